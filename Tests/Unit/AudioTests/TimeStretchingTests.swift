// SPDX-License-Identifier: Apache-2.0

import Glibc
import PlayheadBuffers
import PlayheadStretching
import PlayheadTime
import Testing

@testable import PlayheadAudio

/// A renderer on a manual clock, fed with any audio as long as it runs.
private final class StretchRig {
    static let sampleRate = 48_000
    let clock = ManualClock()
    let sink: CaptureAudioSink
    let timebase: Timebase
    let renderer: AudioRenderer
    private let signal: (Int) -> Float
    private var written: Int

    init(from start: Int = 0, channelCount: Int = 1, _ signal: @escaping (Int) -> Float) {
        let format: AudioFormat =
            channelCount == 1
            ? .mono(sampleRate: Self.sampleRate) : .stereo(sampleRate: Self.sampleRate)
        sink = CaptureAudioSink(format: format, clock: clock)
        timebase = Timebase(masterClock: clock)
        renderer = AudioRenderer(sink: sink, timebase: timebase)
        self.signal = signal
        written = start
        fill()
        renderer.resume()
    }

    func fill() {
        let channels = renderer.format.channelCount
        while true {
            let start = written
            let buffer = AudioBuffer(
                format: renderer.format,
                presentationTime: MediaTime(
                    value: Int64(start), timescale: Int32(Self.sampleRate)),
                frameCount: 1000
            ) { samples in
                for index in 0..<1000 {
                    for channel in 0..<channels {
                        samples[index * channels + channel] = signal(start + index)
                    }
                }
            }
            let taken = renderer.enqueue(buffer)
            written += taken
            if taken < 1000 { return }
        }
    }

    func play(rate: Double, at time: MediaTime = .zero) {
        timebase.setRate(rate, time: time, atMasterTime: clock.time)
    }

    func run(milliseconds: Int) {
        let end = clock.time + MediaTime(value: Int64(milliseconds), timescale: 1000)
        while clock.time < end {
            fill()
            sink.advance(to: min(end, clock.time + MediaTime(value: 10, timescale: 1000)))
        }
    }

    /// Returns the audio that plays from a clock time on.
    func heard(from time: MediaTime) -> ArraySlice<Float> {
        sink.samples[Int((time.seconds * Double(Self.sampleRate)).rounded())...]
    }
}

@Suite struct TimeStretchingTests {
    private static let rates = [0.25, 0.5, 0.75, 1.1, 1.25, 1.5, 2, 3, 4]
    private static let rate = Double(StretchRig.sampleRate)

    /// A tick of 10 ms at times that no rate divides evenly.
    private static let tickFrames = stride(from: 24_000, to: 48_000 * 300, by: 30_011)

    private static func tick(_ frame: Int) -> Float {
        let since = (frame - 24_000) % 30_011
        guard frame >= 24_000, since < 480 else { return 0 }
        return 0.8 * (1 - Float(since) / 480) * cosf(2 * .pi * 1000 * Float(since) / 48_000)
    }

    private static func hum(_ frame: Int) -> Float {
        0.1 * sinf(2 * .pi * 220 * Float(frame % 48_000) / 48_000)
    }

    /// Returns the positions where audio rises above half of the ticks' height after 20 ms below
    /// it.
    private static func onsets(in samples: some Collection<Float>) -> [Int] {
        var onsets: [Int] = []
        var last = -10_000
        for (index, sample) in samples.enumerated() where abs(sample) > 0.45 {
            if index - last > 960 { onsets.append(index) }
            last = index
        }
        return onsets
    }

    @Test(arguments: [0.25, 0.5, 0.75, 1.1, 1.5])
    func `a single tick is not repeated by stretching`(rate: Double) {
        let rig = StretchRig(Self.tick)
        rig.play(rate: rate)
        rig.run(milliseconds: 10_000)
        let samples = rig.sink.samples
        let due = Self.tickFrames.map { Int(Double($0) / rate) }
        for (tick, next) in zip(due, due.dropFirst()) where next < samples.count {
            #expect(samples[(tick + 1440)..<(next - 480)].allSatisfy { abs($0) < 0.01 })
        }
    }

    @Test(arguments: rates, [false, true])
    func `a tick is heard once, exactly when it is due, at any rate`(rate: Double, withHum: Bool) {
        let rig = StretchRig { Self.tick($0) + (withHum ? Self.hum($0) : 0) }
        rig.play(rate: rate)
        rig.run(milliseconds: rate < 1 ? 20_000 : 10_000)
        let heard = Self.onsets(in: rig.sink.samples)
        let due = Self.tickFrames.map { Double($0) / rate }.prefix {
            $0 < Double(rig.sink.samples.count) - 4800
        }
        #expect(due.count >= 8)
        #expect(heard.count >= due.count && heard.count <= due.count + 1)
        for (heard, due) in zip(heard, due) {
            // In item time.
            #expect(abs(Double(heard) - due) * rate / Self.rate < 0.001)
        }
    }

    @Test(arguments: rates) func `a tone keeps its pitch and its level`(rate: Double) {
        let rig = StretchRig { 0.5 * sinf(2 * .pi * 440 * Float($0 % 48_000) / 48_000) }
        rig.play(rate: rate)
        rig.run(milliseconds: 3000)
        let samples = Array(rig.heard(from: MediaTime(value: 1, timescale: 10)))
        let rises = samples.indices.dropFirst().filter { samples[$0 - 1] < 0 && samples[$0] >= 0 }
        guard let first = rises.first, let last = rises.last else {
            Issue.record("no tone")
            return
        }
        let frequency = Double(rises.count - 1) * Self.rate / Double(last - first)
        #expect(abs(frequency - 440) < 2.2)
        let power = samples.reduce(0) { $0 + $1 * $1 } / Float(samples.count)
        #expect(abs(power - 0.125) < 0.006)
        // A sine of this amplitude and frequency has no larger steps.
        let largest = zip(samples, samples.dropFirst()).map { abs($1 - $0) }.max() ?? 1
        #expect(largest < 0.5 * 2 * .pi * 440 / 48_000 * 1.3)
    }

    @Test func `opposite channels keep their pitch`() {
        let clock = ManualClock()
        let sink = CaptureAudioSink(format: .stereo(sampleRate: 48_000), clock: clock)
        let timebase = Timebase(masterClock: clock)
        let renderer = AudioRenderer(sink: sink, timebase: timebase, bufferSeconds: 4)
        let buffer = AudioBuffer(
            format: renderer.format, presentationTime: .zero, frameCount: 150_000
        ) { samples in
            for frame in 0..<150_000 {
                let sample = 0.5 * sinf(2 * .pi * 220 * Float(frame % 48_000) / 48_000)
                samples[2 * frame] = sample
                samples[2 * frame + 1] = -sample
            }
        }
        #expect(renderer.enqueue(buffer) == 150_000)
        timebase.setRate(1.5, time: .zero, atMasterTime: .zero)
        renderer.resume()
        for step in 1...150 { sink.advance(to: MediaTime(value: Int64(step), timescale: 100)) }
        let samples = sink.samples
        let left = stride(from: 0, to: samples.count, by: 2).map { samples[$0] }
        let largest = zip(left, left.dropFirst()).map { abs($1 - $0) }.max() ?? 1
        #expect(largest < 0.5 * 2 * .pi * 220 / 48_000 * 1.3)
        #expect(left.dropFirst(4800).contains { $0 > 0.49 })
    }

    @Test func `at an odd rate errors do not accumulate`() {
        let rig = StretchRig { Self.tick($0) + Self.hum($0) }
        rig.play(rate: 1.1)
        rig.run(milliseconds: 120_000)
        let heard = Self.onsets(in: rig.sink.samples)
        let due = Self.tickFrames.map { Double($0) / 1.1 }
        #expect(heard.count > 200)
        let errors = zip(heard, due).suffix(20).map { abs(Double($0) - $1) / Self.rate }
        #expect((errors.max() ?? 1) < 0.001)
    }

    @Test func `a change of rate is audible at once and without a click`() {
        let rig = StretchRig { 0.5 * sinf(2 * .pi * 440 * Float($0 % 48_000) / 48_000) }
        var changes: [Double] = []
        for rate in [1, 2, 0.5, 1, 1.25, 4, 0.25, 1, 3, 1] {
            rig.timebase.rate = rate
            changes.append(rig.clock.time.seconds)
            rig.run(milliseconds: 200)
        }
        let samples = rig.sink.samples
        let largest = zip(samples, samples.dropFirst()).map { abs($1 - $0) }.max() ?? 1
        #expect(largest < 0.5 * 2 * .pi * 440 / 48_000 * 1.5)
        #expect(rig.renderer.statistics.underruns == 0)
    }

    /// A rate with an inaudible change of pitch, and an algorithm that lets the pitch follow.
    @Test(arguments: [(1.004, AudioTimePitchAlgorithm.timeDomain), (2, .varispeed)])
    func `a change of algorithm changes the pitch`(
        rate: Double, algorithm: AudioTimePitchAlgorithm
    ) {
        // A period of 48 frames: splicing preserves it, resampling does not.
        let rig = StretchRig { 0.5 * sinf(2 * .pi * Float($0 % 48) / 48) }
        rig.play(rate: 2)
        rig.run(milliseconds: 300)
        rig.timebase.rate = rate
        rig.renderer.timePitchAlgorithm = algorithm
        rig.run(milliseconds: 2200)
        let samples = Array(rig.heard(from: MediaTime(value: 5, timescale: 10)))
        let rises = samples.indices.dropFirst().filter { samples[$0 - 1] < 0 && samples[$0] >= 0 }
        let length = Double((rises.last ?? 0) - (rises.first ?? 0))
        let frequency = Double(rises.count - 1) * Self.rate / length
        #expect(abs(frequency - 1000 * rate) < 1, "\(frequency) Hz")
        let all = rig.sink.samples
        let largest = zip(all, all.dropFirst()).map { abs($1 - $0) }.max() ?? 1
        // Twice the rate is twice as steep; a click would be many times that.
        #expect(largest < 0.5 * 2 * .pi / 48 * 3)
    }

    @Test func `a change of rate affects the next tick`() {
        let rig = StretchRig { Self.tick($0) }
        rig.play(rate: 2)
        // The first tick is due at 250 ms; the rate changes 20 ms before.
        rig.run(milliseconds: 230)
        rig.timebase.rate = 0.5
        rig.run(milliseconds: 400)
        let ahead = rig.sink.latency.seconds + 0.01
        let heard = Double(Self.onsets(in: rig.sink.samples).first ?? 0) / Self.rate
        // The audio that the device had taken before the change plays unchanged.
        #expect(abs(heard - 0.31) < 0.002 || heard < 0.23 + ahead)
    }

    @Test func `at rate 1 samples are unchanged, also after other rates`() {
        let signal: (Int) -> Float = { Float($0 % 65_536 + 1) / 131_072 }
        let rig = StretchRig(signal)
        rig.play(rate: 1)
        rig.run(milliseconds: 300)
        rig.timebase.rate = 1.5
        rig.run(milliseconds: 300)
        rig.timebase.rate = 1
        rig.run(milliseconds: 500)
        let heard = Array(rig.heard(from: MediaTime(value: 700, timescale: 1000)))
        let offset = Int((0.3 * 1.5 + 0.4) * Self.rate)
        // From 700 ms on the expected audio is that of the timebase, to a frame.
        let first = Int(heard[0] * 131_072) - 1
        #expect(abs(first - offset) <= 2)
        #expect(heard.indices.allSatisfy { heard[$0] == signal(first + $0) })
        #expect(rig.sink.samples[0..<14_000].enumerated().allSatisfy { $1 == signal($0) })
    }

    /// The rate of a video that is locked to a display is multiplied by a factor close to 1.
    @Test(arguments: [0.25, 4]) func `a slightly adjusted rate at the limit keeps its audio`(
        rate: Double
    ) {
        for factor in [0.9955, 1.0045] {
            let rig = StretchRig { _ in 0.25 }
            rig.play(rate: rate * factor)
            rig.run(milliseconds: 500)
            #expect(rig.sink.samples.dropFirst(100).allSatisfy { abs($0 - 0.25) < 1e-6 })
        }
    }

    @Test(arguments: [0.2, 4.1, 16, -1]) func `unsupported rates are silent`(rate: Double) {
        let rig = StretchRig { _ in 0.5 }
        rig.play(rate: rate, at: MediaTime(value: 5, timescale: 1))
        rig.run(milliseconds: 500)
        #expect(rig.sink.samples.allSatisfy { $0 == 0 })
        #expect(rig.renderer.statistics.underruns == 0)
    }

    @Test func `at an unsupported rate decoding continues, and audio returns in step`() {
        let rig = StretchRig { Self.tick($0) }
        rig.play(rate: 16)
        rig.run(milliseconds: 2000)
        #expect(rig.renderer.bufferedTimeRange.end > rig.timebase.time)
        rig.timebase.rate = 1
        let before = rig.sink.samples.count
        rig.run(milliseconds: 1000)
        let heard = Self.onsets(in: rig.sink.samples[before...])
        #expect(!heard.isEmpty)
    }

    @Test func `silence stays silent, and audio after it begins on time`() {
        let rig = StretchRig { frame in frame < 96_000 ? 0 : 0.5 }
        rig.play(rate: 2)
        rig.run(milliseconds: 1500)
        let first = rig.sink.samples.firstIndex { abs($0) > 0.25 } ?? 0
        #expect(abs(first - 48_000) <= 24)
    }
}
