// SPDX-License-Identifier: Apache-2.0

import PlayheadUI

// The code of Documentation/Sound.md, so that it compiles; a test holds both equal.

private enum SoundDocument {
    // document begins
    final class Inverter: AudioProcessingTap, @unchecked Sendable {
        override func process(_ block: inout AudioTapBlock) {
            block.pull()
            for index in block.samples.indices { block.samples[index] *= -1 }
        }
    }
    // document ends
}

func mixSound(of item: PlayerItem, voices: [MediaTimeRange]) {
    // document begins
    let filter = AudioFilterTap(.bandPass, frequency: 1000, bandwidth: 2)
    let meter = AudioLevelMeterTap()
    var parameters = AudioMixInputParameters()
    parameters.taps = [filter, meter]
    parameters.setVolumeRamp(
        from: 0, to: 1,
        timeRange: MediaTimeRange(start: .zero, duration: MediaTime(value: 2, timescale: 1)))
    parameters.duck(by: 0.3, during: voices)
    item.audioMix = AudioMix(inputParameters: [parameters])
    // document ends
    // document begins
    filter.frequency = 2000
    if let levels = meter.levels(at: item.currentTime) {
        print(levels.channels.map(\.peakDecibels))
    }
    // document ends
}

func showSound(of item: PlayerItem, in effect: EffectInstance) {
    // document begins
    let analyzer = AudioAnalyzerTap()
    var parameters = AudioMixInputParameters()
    parameters.taps = [analyzer]
    item.audioMix = AudioMix(inputParameters: [parameters])
    effect.sound = analyzer
    // document ends
}

func handSamplesOver() {
    // document begins
    final class Recorder: AudioProcessingTap, @unchecked Sendable {
        let samples = SampleQueue<Float>(capacity: 96_000)

        override func process(_ block: inout AudioTapBlock) {
            block.pull()
            samples.write(block.samples)
        }
    }
    // document ends
    _ = Recorder()
}

func playInStepWithOwnSound(_ samples: [Float], _ item: PlayerItem) async throws -> Player {
    // document begins
    let sink = try PulseAudioSink()
    let music = PCMSource(samples, format: sink.format)
    sink.start(music) {}
    sink.resume()

    let player = Player(playerItem: item, audioSink: nil)
    player.masterClock = sink.clock
    _ = await player.preroll(atRate: 1)
    let start = HostClock.shared.time + sink.latency + MediaTime(value: 50, timescale: 1000)
    music.play(at: sink.clock.time(atHostTime: start))
    player.setRate(1, time: .zero, atHostTime: start)
    // document ends
    return player
}

func chooseDevice(_ sink: PulseAudioSink) throws {
    // document begins
    for device in try PulseAudioDevice.all() { print(device.name, device.title) }
    sink.move(toDevice: "bluez_sink.loudspeaker")
    sink.setLatencyOffset(
        MediaTime(value: 120, timescale: 1000), forDevice: "bluez_sink.loudspeaker")
    // document ends
}
