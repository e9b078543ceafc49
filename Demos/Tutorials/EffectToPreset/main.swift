// SPDX-License-Identifier: Apache-2.0

import Foundation
import Playhead

// 1. Load the effect. An instance has values of its own.
let duotone = EffectInstance(try EffectLibrary.load("duotone.fs"))

// 2. Set inputs by value, or as text like on the command line.
try duotone.set(.color([0.2, 0.0, 0.35, 1]), for: "shadows")
try duotone.set(parsing: "#ffd9a0", for: "highlights")

// 3. Let the amount grow over the first two seconds of the video.
let start = EffectAnimation.Keyframe(at: .zero, .float(0), .smooth)
let end = EffectAnimation.Keyframe(at: MediaTime(value: 2, timescale: 1), .float(1))
try duotone.set(EffectAnimation([start, end]), for: "amount")

// 4. Save the chain of effects as a preset. Its paths are relative to its file.
let preset = EffectPreset(of: [duotone], name: "Dusk")
try preset.json.write(toFile: "dusk.json", atomically: true, encoding: .utf8)

// 5. Read the preset in another program, and put its effects on a layer.
let effects = try EffectPreset(path: "dusk.json").makeInstances()
let item = PlayerItem(asset: URLAsset(CommandLine.arguments[1]))
let output = PlayerItemVideoOutput()
item.add(output)
let scene = Scene(layers: [Layer(.video(output), effects: effects)])

// 6. Play on a clock that you advance, and save the frames at 0, 1 and 2 seconds.
let clock = ManualClock()
let player = Player(playerItem: item, audioSink: nil, masterClock: clock)
try await item.waitUntilReady()
_ = await player.preroll(atRate: 1)
player.setRate(1, time: .zero, atHostTime: .zero)
let context = try HeadlessContext()
let renderer = VideoRenderer(context: context)
let framebuffer = try GLFramebuffer(width: 640, height: 360, context: context)
for second in 0...2 {
    clock.advance(to: MediaTime(value: Int64(second), timescale: 1))
    _ = output.waitForPixelBuffer(after: output.itemTime(forHostTime: clock.time))
    let report = renderer.render(scene, hostTime: clock.time, into: RenderTarget(framebuffer))
    for problem in report.problems { print(problem) }
    try ImageFile.writePNG(framebuffer.image(), to: "dusk-\(second).png")
}
