// SPDX-License-Identifier: Apache-2.0

import Foundation
import Playhead

// 1. Add an analyser to the audio of an item.
let item = PlayerItem(asset: URLAsset(CommandLine.arguments[1]))
let analyzer = AudioAnalyzerTap()
var parameters = AudioMixInputParameters()
parameters.taps = [analyzer]
item.audioMix = AudioMix(inputParameters: [parameters])

// 2. Connect the effect. Its input of the type audioFFT gets the spectrum of each frame.
let pulse = EffectInstance(try EffectLibrary.load("pulse.fs"))
pulse.sound = analyzer
let output = PlayerItemVideoOutput()
item.add(output)
let scene = Scene(layers: [Layer(.video(output), effects: [pulse])])

// 3. Play. Taps run while the audio is played: without a server, a sink without a device plays it.
let sink: any AudioSink = (try? PulseAudioSink()) ?? NullAudioSink()
let player = Player(playerItem: item, audioSink: sink)
player.play()

// 4. Draw, and read the same spectrum in the program. Save the frame of the loudest bass.
let context = try HeadlessContext()
let renderer = VideoRenderer(context: context)
let framebuffer = try GLFramebuffer(width: 640, height: 360, context: context)
var spectrum = [Float](repeating: 0, count: 128)
var loudest: Float = 0
while !item.hasPlayedToEnd {
    if let error = item.error { throw error }
    let now = HostClock.shared.time
    let report = renderer.render(scene, hostTime: now, into: RenderTarget(framebuffer))
    for problem in report.problems { print(problem) }
    let time = output.itemTime(forHostTime: now)
    let hasSound = spectrum.withUnsafeMutableBufferPointer {
        analyzer.copySpectrum(into: $0, channel: nil, at: time)
    }
    if hasSound, let bass = spectrum[..<8].max(), bass > loudest {
        loudest = bass
        print("\(time.seconds) s: bass \(bass)")
        try ImageFile.writePNG(framebuffer.image(), to: "pulse.png")
    }
    usleep(16_667)
}
