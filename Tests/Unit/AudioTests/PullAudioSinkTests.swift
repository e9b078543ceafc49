// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadThreads
import PlayheadTime
import Testing

@testable import PlayheadAudio

/// Audio that a host pulls at times of its choice.
@Suite struct PullAudioSinkTests {
    @Test func `readings of future times do not make the clock step`() throws {
        let sink = PullAudioSink(format: .mono(sampleRate: 48_000))
        sink.start(PCMSource([], format: sink.format)) {}
        sink.resume()
        let start = HostClock.nanoseconds + 40_000_000
        func reading() -> (host: Int64, clock: Int64) {
            let host = HostClock.nanoseconds
            let time = sink.clock.time(atHostTime: MediaTime(nanoseconds: host))
            return (host, time.nanoseconds ?? 0)
        }
        var samples = [Float](repeating: 0, count: 480)
        for block in 0..<100 {
            // Alternately late and early, and a device that is slightly slow.
            let host = start + Int64(block) * 10_010_000 + (block % 2 == 0 ? 400_000 : -400_000)
            let before = reading()
            samples.withUnsafeMutableBufferPointer {
                guard let target = $0.baseAddress else { return }
                sink.read(
                    into: target, frameCount: 480, hostTime: MediaTime(nanoseconds: host))
            }
            let after = reading()
            let passed = Double(after.host - before.host)
            #expect(abs(Double(after.clock - before.clock) - passed) <= 0.02 * passed + 2)
        }
    }

    @Test func `a pulled block contains the audio that is due when it is heard`() {
        let sink = PullAudioSink(format: .mono(sampleRate: 48_000))
        let source = PCMSource(
            (1...48_000).map { Float($0) / 65_536 }, format: sink.format)
        var samples = [Float](repeating: 9, count: 480)
        func read(_ milliseconds: Int) {
            samples.withUnsafeMutableBufferPointer {
                guard let start = $0.baseAddress else { return }
                sink.read(into: start, frameCount: 480, hostTime: MixRig.time(milliseconds))
            }
        }
        read(0)
        #expect(samples.allSatisfy { $0 == 0 } && sink.status == .ready)
        sink.start(source) {}
        source.play(at: MixRig.time(1000))
        sink.resume()
        for block in 0..<100 { read(900 + 10 * block) }
        #expect(sink.status == .running)
        // The last block plays from 1890 ms on: 890 ms after the first sample.
        let expected = (1...480).map { Float(42_720 + $0) / 65_536 }
        #expect(samples == expected)
        sink.pause()
        read(1900)
        #expect(samples.allSatisfy { $0 == 0 } && sink.status == .paused)
        sink.stop()
        #expect(sink.status == .ready)
    }

    @Test func `a latency stated before playback applies to the first start`() {
        let sound = PullAudioSink(format: .stereo(sampleRate: 48_000), latency: .zero)
        let recorder = Recorder()
        sound.start(recorder) {}
        #expect(sound.latency == MediaTime(value: 20, timescale: 1000))
        var samples = [Float](repeating: 0, count: 2 * 4800)
        samples.withUnsafeMutableBufferPointer {
            sound.read(
                into: $0.baseAddress!, frameCount: 4800,
                latency: MediaTime(nanoseconds: 200_000_000))
        }
        #expect(recorder.takeTimes() == [])
        // The next block comes up to a block later.
        #expect(sound.latency >= MediaTime(value: 300, timescale: 1000))
        #expect(sound.latency <= MediaTime(value: 320, timescale: 1000))
    }

    /// A mixer that works ahead pulls several blocks at once, with the same time for each.
    @Test func `consecutive pulled blocks are continuous`() throws {
        let sound = PullAudioSink(format: .stereo(sampleRate: 48_000), latency: .zero)
        let recorder = Recorder()
        sound.start(recorder) {}
        sound.resume()
        var samples = [Float](repeating: 0, count: 2 * 480)
        for _ in 0..<100 {
            samples.withUnsafeMutableBufferPointer {
                sound.read(
                    into: $0.baseAddress!, frameCount: 480,
                    latency: MediaTime(nanoseconds: 50_000_000))
            }
        }
        let times = recorder.takeTimes()
        let start = try #require(times.first)
        #expect(times == (0..<100).map { start + $0 * 10 })
    }

    /// Records the time at which each block plays.
    private final class Recorder: AudioSource {
        let times = Monitor<[Int64]>([])

        func render(
            into samples: UnsafeMutablePointer<Float>, frameCount: Int, presentationTime: Int64
        ) {
            samples.update(repeating: 0.5, count: frameCount * 2)
            times.change { $0.append(presentationTime / 1_000_000) }
        }

        /// Returns the times since the last call, in milliseconds.
        func takeTimes() -> [Int64] {
            times.change { times in
                defer { times = [] }
                return times
            }
        }
    }

    private struct Rig {
        let clock = ManualClock()
        let recorder = Recorder()
        let sound: PullAudioSink

        init() {
            sound = PullAudioSink(format: .stereo(sampleRate: 48_000), manualClock: clock)
            sound.start(recorder) {}
            sound.resume()
        }

        /// Pulls a duration; returns whether it contains audio, in which case all of it does.
        func read(milliseconds: Int) -> Bool {
            var samples = [Float](repeating: .nan, count: milliseconds * 96)
            samples.withUnsafeMutableBufferPointer {
                sound.read(
                    into: $0.baseAddress!, frameCount: milliseconds * 48,
                    latency: MediaTime(nanoseconds: 0))
            }
            #expect(samples.allSatisfy { $0 == samples[0] })
            return samples[0] == 0.5
        }

        func tick(milliseconds: Int64) {
            clock.advance(by: MediaTime(nanoseconds: milliseconds * 1_000_000))
        }
    }

    @Test func `while a ticked clock is stopped, its audio pauses without loss`() {
        let rig = Rig()
        let heard = (0..<20).map { _ in rig.read(milliseconds: 10) }
        #expect(heard == (0..<20).map { $0 < 6 })
        #expect(rig.recorder.takeTimes() == [0, 10, 20, 30, 40, 50])
        rig.tick(milliseconds: 10)
        #expect(rig.read(milliseconds: 10))
        #expect(!rig.read(milliseconds: 10))
        #expect(rig.recorder.takeTimes() == [60])
    }

    @Test(arguments: [1, 7, 40, 500])
    func `audio pulled as the clock is ticked is complete`(milliseconds: Int) {
        for isFetchedFirst in [true, false] {
            let rig = Rig()
            if !isFetchedFirst { _ = rig.read(milliseconds: 1) }
            for _ in 0..<50 {
                if !isFetchedFirst { rig.tick(milliseconds: Int64(milliseconds)) }
                #expect(rig.read(milliseconds: milliseconds))
                if isFetchedFirst { rig.tick(milliseconds: Int64(milliseconds)) }
            }
            let times = rig.recorder.takeTimes().suffix(50)
            let first: Int64 = isFetchedFirst ? 0 : 1
            #expect(times.elementsEqual((0..<50).map { first + $0 * Int64(milliseconds) }))
        }
    }

    @Test(arguments: [100, 300, 900, 5000])
    func `audio returns in step after a mixer continued without ticks`(hitch: Int) {
        let rig = Rig()
        func play(milliseconds: Int) {
            for _ in 0..<(milliseconds / 10) {
                _ = rig.read(milliseconds: 10)
                rig.tick(milliseconds: 10)
            }
        }
        play(milliseconds: 500)
        for _ in 0..<(hitch / 10) { _ = rig.read(milliseconds: 10) }
        rig.tick(milliseconds: Int64(hitch))
        play(milliseconds: 2500)
        let now = rig.clock.time.seconds * 1000
        #expect(abs(Double(rig.recorder.takeTimes().last ?? 0) - now) <= 70)
    }

    @Test func `a seldom ticked clock loses no audio after its first tick`() {
        let rig = Rig()
        for _ in 0..<30 {
            for _ in 0..<20 { _ = rig.read(milliseconds: 10) }
            rig.tick(milliseconds: 200)
        }
        let times = rig.recorder.takeTimes()
        #expect(times.count > 550)
        #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 == 10 })
    }

    @Test func `audio not pulled for more than a second is skipped`() {
        let rig = Rig()
        #expect(rig.read(milliseconds: 20))
        rig.tick(milliseconds: 60_000)
        #expect(rig.read(milliseconds: 20))
        #expect(rig.recorder.takeTimes() == [0, 60_000 - 1020])
    }
}
