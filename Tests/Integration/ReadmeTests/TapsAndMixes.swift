// SPDX-License-Identifier: Apache-2.0

import Playhead
import PlayheadLV2

// The code of Documentation/Audio.md; a test compares the two.

private struct AudioPrograms {
    // document begins
    struct Filtered {
        static func main() async {
            let item = PlayerItem(asset: URLAsset(CommandLine.arguments[1]))
            let events = item.events

            let filter = AudioFilterTap(.bandPass, frequency: 1000, bandwidth: 2)
            let meter = AudioLevelMeterTap()
            var parameters = AudioMixInputParameters()
            parameters.taps = [filter, meter]
            item.audioMix = AudioMix(inputParameters: [parameters])

            let player = Player(playerItem: item)
            let clock = player.addPeriodicTimeObserver(
                forInterval: MediaTime(value: 1, timescale: 1), on: .background
            ) { time in
                guard let levels = meter.levels(at: time) else { return }
                print(time.seconds, levels.channels.map(\.peakDecibels))
            }
            player.play()

            playing: for await event in events {
                switch event {
                case .didPlayToEndTime: break playing
                case .failedToPlayToEndTime(let error):
                    print(error)
                    break playing
                case .timeJumped, .playbackStalled, .newAccessLogEntry, .newErrorLogEntry:
                    continue
                }
            }
            clock.cancel()
            player.pause()
        }
    }
    // document ends

    // document begins
    final class Inverter: AudioProcessingTap, @unchecked Sendable {
        override func process(_ block: inout AudioTapBlock) {
            block.pull()
            for index in block.samples.indices { block.samples[index] *= -1 }
        }
    }
    // document ends

    // document begins
    final class Recorder: AudioProcessingTap, @unchecked Sendable {
        let samples = SampleQueue<Float>(capacity: 96_000)

        override func process(_ block: inout AudioTapBlock) {
            block.pull()
            samples.write(block.samples)
        }
    }
    // document ends

    // document begins
    /// Makes a tap of a reverb, and lists its parameters.
    func makeReverb() throws -> LV2Tap {
        let plugin = try LV2Plugin(uri: "http://drobilla.net/plugins/mda/Ambience")
        for parameter in plugin.parameters {
            print(parameter.symbol, parameter.minimum, parameter.maximum, parameter.unit ?? "")
        }
        let tap = try LV2Tap(plugin, values: ["size": 0.8])
        try tap.set(0.5, for: "mix")
        return tap
    }
    // document ends

    // document begins
    /// A mix that fades in over two seconds and is lowered from 10 s to 15 s, under a voice.
    func makeMix(taps: [AudioProcessingTap]) -> AudioMix {
        var parameters = AudioMixInputParameters()
        parameters.taps = taps
        parameters.setVolumeRamp(
            from: 0, to: 1,
            timeRange: MediaTimeRange(start: .zero, duration: MediaTime(value: 2, timescale: 1)))
        let voice = MediaTimeRange(
            start: MediaTime(value: 10, timescale: 1), duration: MediaTime(value: 5, timescale: 1))
        parameters.duck(by: 0.3, during: [voice])
        return AudioMix(inputParameters: [parameters])
    }
    // document ends

    // document begins
    /// Lets an effect read the audio of an item.
    func showAudio(of item: PlayerItem, in effect: EffectInstance) {
        let analyzer = AudioAnalyzerTap()
        var parameters = AudioMixInputParameters()
        parameters.taps = [analyzer]
        item.audioMix = AudioMix(inputParameters: [parameters])
        effect.sound = analyzer
    }
    // document ends

    // document begins
    /// Starts an item and samples of your own, interleaved stereo at 48 kHz, at the same instant.
    /// Keep both results while it plays.
    func startInStep(
        _ item: PlayerItem, with samples: [Float]
    ) async throws -> (Player, PulseAudioSink) {
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
        return (player, sink)
    }
    // document ends

    // document begins
    /// Lists the output devices and moves a sink to one of them, which adds 120 ms of latency.
    func moveToLoudspeaker(_ sink: PulseAudioSink) throws {
        for device in try PulseAudioDevice.all() { print(device.name, device.title) }
        sink.move(toDevice: "bluez_sink.loudspeaker")
        sink.setLatencyOffset(
            MediaTime(value: 120, timescale: 1000), forDevice: "bluez_sink.loudspeaker")
    }
    // document ends

    // document begins
    /// A player whose taps run with or without an audio server.
    func makeAnalyzedPlayer(_ item: PlayerItem) -> Player {
        let sink: any AudioSink = (try? PulseAudioSink()) ?? NullAudioSink()
        return Player(playerItem: item, audioSink: sink)
    }
    // document ends
}
