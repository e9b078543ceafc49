// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadTime
import Testing

@testable import PlayheadAudio

@Suite struct AudioMixTests {
    private func parameters(
        _ change: (inout AudioMixInputParameters) -> Void
    ) -> AudioMixInputParameters {
        var parameters = AudioMixInputParameters()
        change(&parameters)
        return parameters
    }

    @Test func `the volume is 1 by default and constant between points`() {
        let parameters = parameters {
            $0.setVolume(0.5, at: MixRig.time(1000))
            $0.setVolumeRamp(from: 0.25, to: 0.75, timeRange: MixRig.range(2000..<3000))
        }
        #expect(parameters.volume(at: .zero) == 1)
        #expect(parameters.volume(at: MixRig.time(1000)) == 0.5)
        #expect(parameters.volume(at: MixRig.time(1999)) == 0.5)
        #expect(parameters.volume(at: MixRig.time(2000)) == 0.25)
        #expect(parameters.volume(at: MixRig.time(2500)) == 0.5)
        #expect(parameters.volume(at: MixRig.time(9000)) == 0.75)
        #expect(parameters.volumeRamp(at: MixRig.time(2999))?.endVolume == 0.75)
        #expect(parameters.volumeRamp(at: MixRig.time(3000)) == nil)
    }

    @Test func `a ramp replaces points within its range`() {
        let parameters = parameters {
            $0.setVolume(0.1, at: MixRig.time(1500))
            $0.setVolumeRamp(from: 0, to: 1, timeRange: MixRig.range(1000..<4000))
            $0.setVolumeRamp(from: 1, to: 0, timeRange: MixRig.range(2000..<3000))
        }
        #expect(abs(parameters.volume(at: MixRig.time(1500)) - 1.0 / 6) < 1e-6)
        #expect(parameters.volume(at: MixRig.time(2500)) == 0.5)
        #expect(parameters.volume(at: MixRig.time(3500)) == 0)
    }

    @Test func `invalid volumes and times are harmless`() {
        let parameters = parameters {
            $0.setVolume(-1, at: .zero)
            $0.setVolume(.nan, at: MixRig.time(1000))
            $0.setVolumeRamp(from: 0, to: .infinity, timeRange: MixRig.range(2000..<3000))
            $0.setVolumeRamp(from: 0, to: 0, timeRange: .invalid)
            $0.setVolumeRamp(from: 0, to: 0, timeRange: .zero)
            $0.setVolume(0.5, at: .indefinite)
            $0.duck(by: 0.5, during: [.invalid, .all])
        }
        #expect(parameters.volume(at: MixRig.time(-1)) == 0.5)
        #expect(parameters.volume(at: .zero) == 0)
        #expect(parameters.volume(at: MixRig.time(1000)) == 1)
        #expect(parameters.volume(at: MixRig.time(3000)) == 1)
    }

    @Test func `ducking lowers the volume in each range, and restores it between distant ones`() {
        let parameters = parameters {
            $0.setVolume(0.8)
            $0.duck(
                by: 0.25,
                during: [
                    MixRig.range(5000..<6000), MixRig.range(1000..<2000), MixRig.range(2500..<3000),
                ])
        }
        for time in [1000, 1500, 2000, 2250, 2500, 3000, 5000, 6000] {
            #expect(abs(parameters.volume(at: MixRig.time(time)) - 0.2) < 1e-6, "\(time)")
        }
        for time in [0, 800, 3600, 4800, 6600] {
            #expect(abs(parameters.volume(at: MixRig.time(time)) - 0.8) < 1e-6, "\(time)")
        }
        #expect(abs(parameters.volume(at: MixRig.time(900)) - 0.5) < 1e-6)
        #expect(abs(parameters.volume(at: MixRig.time(3300)) - 0.5) < 1e-6)
    }

    @Test func `ducking multiplies a fade`() {
        let parameters = parameters {
            $0.setVolumeRamp(from: 1, to: 0, timeRange: MixRig.range(10_000..<20_000))
            $0.duck(by: 0.5, during: [MixRig.range(11_000..<12_000)])
        }
        for (time, volume) in [
            (10_000, 1), (10_800, 0.92), (11_000, 0.45), (11_500, 0.425), (12_000, 0.4),
            (12_600, 0.74), (13_000, 0.7), (19_000, 0.1), (20_000, 0), (25_000, 0),
        ] as [(Int, Float)] {
            #expect(abs(parameters.volume(at: MixRig.time(time)) - volume) < 1e-5, "\(time)")
        }
    }

    @Test(arguments: 0..<40) func `ducking is a factor only within its ranges`(
        seed: UInt64
    ) {
        var random = SplitMix64(seed: seed)
        func volume() -> Float { .random(in: 0...1, using: &random) }
        func range(_ longest: Int) -> Range<Int> {
            let start = Int.random(in: 0...9000, using: &random)
            return start..<start + Int.random(in: 0...longest, using: &random)
        }
        var parameters = AudioMixInputParameters()
        for _ in 0..<Int.random(in: 0...6, using: &random) {
            parameters.setVolume(volume(), at: MixRig.time(range(0).lowerBound))
            parameters.setVolumeRamp(
                from: volume(), to: volume(), timeRange: MixRig.range(range(3000)))
        }
        let before = parameters
        let attack = Int.random(in: 0...1, using: &random) * 200
        let release = Int.random(in: 0...1, using: &random) * 600
        let ranges = (0..<Int.random(in: 1...3, using: &random)).map { _ in range(2000) }
        let factor = volume()
        parameters.duck(
            by: factor, during: ranges.map { MixRig.range($0) }, attack: MixRig.time(attack),
            release: MixRig.time(release))
        var wrong: [Int] = []
        for time in stride(from: Int.random(in: -500 ... -490, using: &random), to: 16_000, by: 11)
        {
            let (now, was) = (
                parameters.volume(at: MixRig.time(time)), before.volume(at: MixRig.time(time))
            )
            let isInside = ranges.contains { $0.contains(time) }
            let isNear = ranges.contains {
                time >= $0.lowerBound - attack && time < $0.upperBound + release
            }
            // Between two close ranges the volume stays low.
            let isBetween =
                time >= (ranges.map(\.lowerBound).min() ?? 0)
                && time < (ranges.map(\.upperBound).max() ?? 0)
            if isInside, abs(now - was * factor) > 1e-4 { wrong.append(time) }
            if !isNear, !isBetween, abs(now - was) > 1e-4 { wrong.append(time) }
        }
        #expect(wrong.isEmpty)
    }

    @Test(arguments: [1.0, 2, 0.5])
    func `a ramp is exact to the sample at any rate`(rate: Double) {
        let rig = MixRig()
        rig.renderer.inputParameters = parameters {
            $0.setVolumeRamp(from: 1, to: 0.2, timeRange: MixRig.range(100..<300))
        }
        rig.play(rate: rate)
        rig.run(milliseconds: 800)
        for (frame, sample) in rig.heard().enumerated() {
            let time = Double(frame) / 48_000 * rate
            let expected = 1 - 0.8 * min(max((time - 0.1) / 0.2, 0), 1)
            #expect(abs(Double(sample) - 0.5 * expected) < 2e-5, "frame \(frame)")
        }
    }

    @Test func `no change of the mix makes a step`() {
        let rig = MixRig()
        rig.play()
        rig.run(milliseconds: 50)
        let changes: [(inout AudioMixInputParameters) -> Void] = [
            { $0.isMuted = true }, { _ in }, { $0.setVolume(0.1) }, { $0.setVolume(1.5) },
            { $0.pan = 1 }, { $0.pan = -1 }, { $0.pan = .nan },
            { $0.setVolume(0, at: rig.timebase.time + MixRig.time(60)) },
        ]
        for change in changes {
            rig.renderer.inputParameters = parameters(change)
            rig.run(milliseconds: 100)
        }
        for channel in 0..<2 {
            let heard = rig.heard(channel: channel)
            let steepest = zip(heard, heard.dropFirst()).map { abs($1 - $0) }.max() ?? 1
            // 0.5 of full scale in 10 ms; more if a volume above 1 and the pan change at once.
            #expect(steepest < 0.5 / 480 * 3.1)
        }
    }

    @Test func `playback starts at the set volume`() {
        let rig = MixRig()
        rig.renderer.inputParameters = parameters {
            $0.setVolume(0.5)
            $0.setVolume(0.1, at: MixRig.time(500))
        }
        rig.play()
        rig.run(milliseconds: 100)
        #expect(rig.heard().allSatisfy { $0 == 0.25 })
        rig.seek(to: 48_000)
        rig.run(milliseconds: 100)
        #expect(rig.heard().filter { $0 != 0.25 }.allSatisfy { $0 == 0.05 })
    }

    @Test func `pan attenuates the other side and keeps the centre`() {
        let channels: [AudioChannel] = [
            .frontLeft, .frontRight, .frontCenter, .lowFrequency, .sideLeft, .sideRight,
        ]
        let rig = MixRig(format: AudioFormat(sampleRate: MixRig.rate, channels: channels))
        rig.renderer.inputParameters = parameters { $0.pan = 0.75 }
        rig.play()
        rig.run(milliseconds: 50)
        let last = (0..<6).map { rig.heard(channel: $0).last ?? 0 }
        #expect(last == [0.125, 0.5, 0.5, 0.5, 0.125, 0.5])
    }

    @Test func `sums above full scale are rounded off`() {
        let clock = ManualClock()
        let sink = CaptureAudioSink(format: .mono(sampleRate: 48_000), clock: clock)
        let mixer = AudioMixer(sink: sink)
        let renderers = (0..<3).map { _ in
            let timebase = Timebase(masterClock: clock)
            let renderer = AudioRenderer(sink: mixer.makeInput(), timebase: timebase)
            let buffer = AudioBuffer(
                format: sink.format, presentationTime: .zero, frameCount: 4800
            ) { samples in
                for index in samples.indices { samples[index] = 0.6 }
            }
            _ = renderer.enqueue(buffer)
            timebase.setRate(1, time: .zero, atMasterTime: .zero)
            renderer.resume()
            return renderer
        }
        sink.advance(to: MixRig.time(50))
        withExtendedLifetime(renderers) {}
        #expect(!sink.samples.isEmpty && sink.samples.allSatisfy { $0 > 0.9 && $0 <= 1 })
    }

    @Test func `samples that are not finite are silent, and huge ones full scale`() {
        let values: [Float] = [.nan, .infinity, -.infinity, .greatestFiniteMagnitude, 0.5]
        let rig = MixRig(sound: { frame, _ in values[frame % 5] })
        rig.play()
        rig.run(milliseconds: 100)
        for (frame, sample) in rig.heard().enumerated() {
            #expect(sample == [0, 0, 0, 1, 0.5][frame % 5])
        }
    }

    @Test func `values that are not finite from a tap are silent`() {
        let rig = MixRig()
        let tap = NotingTap()
        tap.body = { block in
            for index in block.samples.indices {
                block.samples[index] = [.nan, .infinity, -.infinity, 0.25][index % 4]
            }
        }
        rig.setTaps([tap])
        rig.play()
        rig.run(milliseconds: 100)
        #expect(rig.sink.samples.enumerated().allSatisfy { $1 == [0, 0, 0, 0.25][$0 % 4] })
    }

    @Test func `parameters for a track take precedence over those for any`() {
        let mix = AudioMix(inputParameters: [
            AudioMixInputParameters(), AudioMixInputParameters(trackID: 3),
        ])
        #expect(mix.parameters(forTrack: 3)?.trackID == 3)
        #expect(mix.parameters(forTrack: 2)?.trackID == nil)
        #expect(mix.parameters(forTrack: 2) != nil)
        #expect(AudioMix().parameters(forTrack: 0) == nil)
    }
}
