// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadStretching
import PlayheadTime
import Testing

@testable import PlayheadAudio

/// A renderer on a manual clock, fed with audio whose samples carry their own number.
private final class Rig {
    static let rate = 48_000
    let clock = ManualClock()
    let sink: CaptureAudioSink
    let timebase: Timebase
    let renderer: AudioRenderer
    private var written = 0

    init(bufferSeconds: Double = 1) {
        sink = CaptureAudioSink(format: .mono(sampleRate: Self.rate), clock: clock)
        timebase = Timebase(masterClock: clock)
        renderer = AudioRenderer(sink: sink, timebase: timebase, bufferSeconds: bufferSeconds)
    }

    /// The sample of frame `index`: exact in `Float`, never 0, and different for 2^16 frames.
    static func sample(_ index: Int) -> Float { Float(index % 65_536 + 1) / 131_072 }

    static func time(_ milliseconds: Int) -> MediaTime {
        MediaTime(value: Int64(milliseconds), timescale: 1_000)
    }

    /// Enqueues from the last position until the ring is full, or up to frame `end`.
    func fill(upTo end: Int = .max) {
        while written < end {
            let count = min(1_000, end - written)
            let start = written
            let buffer = AudioBuffer(
                format: renderer.format,
                presentationTime: MediaTime(value: Int64(start), timescale: Int32(Self.rate)),
                frameCount: count
            ) { samples in
                for index in 0..<count { samples[index] = Self.sample(start + index) }
            }
            let taken = renderer.enqueue(buffer)
            written += taken
            if taken < count { return }
        }
    }

    /// Seeks the writer.
    func flush(to frame: Int) {
        renderer.flush()
        written = frame
    }

    /// Runs the clock for some time, keeping the ring full.
    func run(milliseconds: Int, filling: Bool = true) {
        let end = clock.time + Self.time(milliseconds)
        while clock.time < end {
            if filling { fill() }
            sink.advance(to: min(end, clock.time + Self.time(10)))
        }
    }

    func play(at item: MediaTime, from clockTime: MediaTime) {
        timebase.setRate(1, time: item, atMasterTime: clockTime, holdingUntilThen: true)
    }

    /// Pauses like a player: the timeline stops, and the sink is paused.
    func pause() {
        timebase.rate = 0
        renderer.pause()
    }

    func resume() {
        renderer.resume()
        timebase.rate = 1
    }

    /// Returns the frame of the capture that plays at a clock time.
    func captured(at clockTime: MediaTime) -> Float? {
        let nanoseconds = clockTime.nanoseconds ?? 0
        for run in sink.runs {
            let frame = Double(nanoseconds - run.clockTime) * Double(Self.rate) / 1e9
            let index = Int(frame.rounded())
            if run.samples.indices.contains(index) { return run.samples[index] }
        }
        return nil
    }
}

@Suite struct AudioRendererTests {
    @Test func `a start in the future is exact to the sample`() {
        let rig = Rig()
        rig.fill()
        rig.renderer.resume()
        // 123.4567 ms is 5925.92 frames: the nearest frame on the device's grid is 5926.
        let anchor = MediaTime(value: 1_234_567, timescale: 10_000_000)
        rig.play(at: .zero, from: anchor)
        rig.run(milliseconds: 500)
        let samples = rig.sink.samples
        #expect(samples.firstIndex { $0 != 0 } == 5_926)
        for index in 5_926..<samples.count {
            #expect(samples[index] == Rig.sample(index - 5_926))
        }
        let statistics = rig.renderer.statistics
        #expect(statistics.underruns == 0 && statistics.skippedFrames == 0)
        #expect(abs((statistics.lastStartClockTime - anchor).seconds) < 0.5 / 48_000)
    }

    @Test func `a start in the past catches up with the timebase`() {
        let rig = Rig(bufferSeconds: 0.2)
        rig.fill()
        rig.sink.advance(to: Rig.time(5_000))
        rig.play(at: .zero, from: Rig.time(1_000))
        rig.renderer.resume()
        rig.run(milliseconds: 1_000)
        // The decoder is as fast as the ring allows, so audio starts after a few blocks.
        let started = rig.sink.samples.firstIndex { $0 != 0 } ?? .max
        #expect(started < 48_000)
        for index in started..<rig.sink.samples.count {
            #expect(rig.sink.samples[index] == Rig.sample(4 * 48_000 + index))
        }
    }

    @Test func `pausing and resuming neither loses nor repeats samples`() {
        var random = SplitMix64(seed: 11)
        let rig = Rig()
        rig.fill()
        rig.play(at: .zero, from: .zero)
        rig.renderer.resume()
        for _ in 0..<40 {
            rig.run(milliseconds: Int.random(in: 1...300, using: &random))
            rig.pause()
            rig.run(milliseconds: Int.random(in: 0...200, using: &random))
            rig.resume()
        }
        rig.run(milliseconds: 100)
        rig.pause()
        let samples = rig.sink.samples
        #expect(samples.count > 48_000)
        for index in samples.indices where samples[index] != Rig.sample(index) {
            Issue.record("frame \(index) of the capture is not the item's")
            return
        }
        #expect(rig.renderer.statistics.underruns == 0)
        #expect(rig.renderer.statistics.skippedFrames == 0)
    }

    @Test func `a pause longer than the sink's buffer keeps the history`() {
        let rig = Rig(bufferSeconds: 0.1)
        rig.fill()
        rig.play(at: .zero, from: .zero)
        rig.renderer.resume()
        rig.run(milliseconds: 2_000)
        rig.pause()
        rig.fill()
        rig.run(milliseconds: 60_000)
        rig.resume()
        rig.run(milliseconds: 500)
        let samples = rig.sink.samples
        for index in 0..<96_000 { #expect(samples[index] == Rig.sample(index)) }
        #expect(samples[96_000] == Rig.sample(96_000))
    }

    @Test func `after a seek no earlier audio is heard`() {
        let rig = Rig()
        rig.fill()
        rig.play(at: .zero, from: .zero)
        rig.renderer.resume()
        rig.run(milliseconds: 300)
        rig.pause()
        rig.flush(to: 480_000)
        rig.fill()
        rig.play(at: Rig.time(10_000), from: rig.clock.time + Rig.time(50))
        rig.renderer.resume()
        rig.run(milliseconds: 300)
        let run = rig.sink.runs[1].samples
        for index in run.indices {
            #expect(run[index] == (index < 2_400 ? 0 : Rig.sample(480_000 + index - 2_400)))
        }
    }

    @Test func `after an underrun audio is back in step`() throws {
        let rig = Rig(bufferSeconds: 0.3)
        rig.fill()
        rig.play(at: .zero, from: .zero)
        rig.renderer.resume()
        rig.run(milliseconds: 2_000, filling: false)
        let statistics = rig.renderer.statistics
        #expect(statistics.underruns == 1)
        #expect(statistics.underrunFrames > 24_000)
        // The position where it began, however many blocks it has lasted.
        let lost = rig.renderer.enqueuedEnd
        let missed = try #require(rig.renderer.firstMissedItemTime)
        #expect((missed - lost).magnitude < Rig.time(1))
        rig.run(milliseconds: 1_000)
        let time = rig.clock.time - Rig.time(100)
        #expect(rig.captured(at: time) == Rig.sample(2_900 * 48))
        #expect(rig.renderer.statistics.underruns == 1)
        #expect(rig.renderer.statistics.skippedFrames > 0)
        // A second underrun is reported only after a new watch has begun.
        rig.run(milliseconds: 1_000, filling: false)
        #expect(rig.renderer.firstMissedItemTime == missed)
        rig.renderer.watchForUnderrun()
        #expect(rig.renderer.firstMissedItemTime == nil)
        rig.run(milliseconds: 100, filling: false)
        #expect(try #require(rig.renderer.firstMissedItemTime) > rig.renderer.enqueuedEnd)
    }

    @Test func `the end of the stream is not an underrun`() {
        let rig = Rig()
        rig.fill(upTo: 24_000)
        rig.renderer.markEndOfStream()
        rig.play(at: .zero, from: .zero)
        rig.renderer.resume()
        rig.run(milliseconds: 400, filling: false)
        #expect(!rig.renderer.hasDeliveredEndOfStream)
        rig.run(milliseconds: 400, filling: false)
        #expect(rig.renderer.hasDeliveredEndOfStream)
        #expect(rig.renderer.statistics.underruns == 0)
        #expect(rig.sink.samples[23_999] == Rig.sample(23_999))
        #expect(rig.sink.samples[24_000...].allSatisfy { $0 == 0 })
    }

    @Test func `a gap in the item is silence of its length`() {
        let rig = Rig()
        rig.fill(upTo: 4_800)
        let late = AudioBuffer(
            format: rig.renderer.format, presentationTime: Rig.time(200), frameCount: 4_800
        ) { $0.update(repeating: 0.5) }
        #expect(rig.renderer.enqueue(late) == 4_800)
        rig.play(at: .zero, from: .zero)
        rig.renderer.resume()
        rig.run(milliseconds: 250, filling: false)
        let samples = rig.sink.samples
        #expect(samples[4_799] == Rig.sample(4_799))
        #expect(samples[4_800..<9_600].allSatisfy { $0 == 0 })
        #expect(samples[9_600..<12_000].allSatisfy { $0 == 0.5 })
        #expect(rig.renderer.statistics.underruns == 0)
    }

    @Test func `at a rate without audio, audio after a gap is kept`() {
        let rig = Rig()
        let late = AudioBuffer(
            format: rig.renderer.format, presentationTime: Rig.time(2_000), frameCount: 4_800
        ) { $0.update(repeating: 0.5) }
        #expect(rig.renderer.enqueue(late) == 4_800)
        rig.timebase.setRate(8, time: .zero, atMasterTime: .zero)
        rig.renderer.resume()
        rig.run(milliseconds: 100, filling: false)
        let kept = MediaTimeRange(start: Rig.time(2_000), end: Rig.time(2_100))
        #expect(rig.renderer.bufferedTimeRange == kept)
        rig.run(milliseconds: 200, filling: false)
        #expect(rig.renderer.bufferedTimeRange == .zero)
    }

    @Test func `with varispeed other rates resample, and rate 0 is silent`() {
        let rig = Rig(bufferSeconds: 2)
        rig.renderer.timePitchAlgorithm = .varispeed
        rig.fill()
        rig.timebase.setRate(2, time: .zero, atMasterTime: .zero)
        rig.renderer.resume()
        rig.run(milliseconds: 200)
        for index in 0..<4_800 {
            #expect(abs(rig.sink.samples[index] - Rig.sample(2 * index)) < 1e-5)
        }
        rig.timebase.rate = 0
        rig.run(milliseconds: 200)
        #expect(rig.sink.samples.suffix(1_000).allSatisfy { $0 == 0 })
        let item = rig.timebase.time
        rig.timebase.rate = 0.5
        let start = rig.clock.time
        rig.run(milliseconds: 200)
        let expected = Rig.sample(Int(item.seconds * 48_000 + 0.1 * 24_000))
        let heard = rig.captured(at: start + Rig.time(100)) ?? 0
        #expect(abs(heard - expected) < 1e-4)
        #expect(rig.renderer.statistics.underruns == 0)
    }

    @Test func `changes of volume do not click`() {
        let rig = Rig()
        let buffer = AudioBuffer(
            format: rig.renderer.format, presentationTime: .zero, frameCount: 48_000
        ) { $0.update(repeating: 0.5) }
        #expect(rig.renderer.enqueue(buffer) == 48_000)
        rig.play(at: .zero, from: .zero)
        rig.renderer.resume()
        rig.run(milliseconds: 200, filling: false)
        rig.renderer.isMuted = true
        rig.run(milliseconds: 200, filling: false)
        #expect(rig.sink.samples.last == 0)
        rig.renderer.isMuted = false
        rig.renderer.volume = 0.25
        rig.run(milliseconds: 200, filling: false)
        #expect(rig.sink.samples.last == 0.125)
        let samples = rig.sink.samples
        let largest = zip(samples, samples.dropFirst()).map { abs($1 - $0) }.max() ?? 1
        #expect(largest <= 0.5 / 480 * 1.01)
    }

    @Test func `only peaks above full scale are rounded off`() {
        var ramp = GainRamp()
        var samples: [Float] = [0.1, -0.5, 0.999, -1]
        let quiet = samples
        samples.withUnsafeMutableBufferPointer {
            ramp.apply(
                target: 1, step: 1, to: $0.baseAddress!, frameCount: 4, channelCount: 1)
        }
        #expect(samples == quiet)
        samples = stride(from: Float(-3), through: 3, by: 0.01).map(\.self)
        let count = samples.count
        samples.withUnsafeMutableBufferPointer {
            ramp.apply(
                target: 1, step: 1, to: $0.baseAddress!, frameCount: count, channelCount: 1)
        }
        #expect(samples.allSatisfy { abs($0) <= 1 })
        #expect(zip(samples, samples.dropFirst()).allSatisfy { $0 <= $1 })
    }

    @Test func `a timebase on another clock is followed`() {
        // The sink's clock gains 1000 ppm on the clock that the timebase runs on.
        let host = ManualClock()
        let device = SkewedClock(base: host, drift: 1e-3)
        let timebase = Timebase(masterClock: host)
        let sink = PullSink(clock: device)
        let renderer = AudioRenderer(sink: sink, timebase: timebase, bufferSeconds: 4)
        let buffer = AudioBuffer(
            format: renderer.format, presentationTime: .zero, frameCount: 48_000 * 3
        ) { samples in
            for index in samples.indices { samples[index] = Float(index) / 1_048_576 }
        }
        #expect(renderer.enqueue(buffer) == 48_000 * 3)
        timebase.setRate(1, time: .zero, atMasterTime: .zero)
        var worst = 0.0
        for block in 0..<250 {
            let time = Int64(block) * 10_000_000
            let samples = sink.pull(frames: 480, at: time)
            let item = Double(samples[0]) * 1_048_576 / 48_000
            let ideal = device.hostTime(at: MediaTime(nanoseconds: time)).seconds
            worst = max(worst, abs(item - ideal))
        }
        #expect(worst < 0.0052)
        #expect(worst > 0.001)
    }
}

/// A clock that is faster than another.
private final class SkewedClock: MediaClock {
    let base: ManualClock
    let drift: Double
    init(base: ManualClock, drift: Double) {
        self.base = base
        self.drift = drift
    }
    var time: MediaTime { time(atHostTime: base.time) }
    func time(atHostTime hostTime: MediaTime) -> MediaTime { hostTime * (1 + drift) }
    func hostTime(at time: MediaTime) -> MediaTime { time * (1 / (1 + drift)) }
}

/// A sink that pulls when the test requests it.
private final class PullSink: AudioSink, @unchecked Sendable {
    // Unchecked: used by a single thread.
    let format = AudioFormat.mono(sampleRate: 48_000)
    let clock: any MediaClock
    private var source: (any AudioSource)?

    init(clock: any MediaClock) { self.clock = clock }
    var latency: MediaTime { .zero }
    var status: AudioSinkStatus { .running }
    func start(_ source: any AudioSource, onStatusChange: @escaping @Sendable () -> Void) {
        self.source = source
    }
    func resume() {}
    func pause() {}
    func stop() { source = nil }

    func pull(frames: Int, at time: Int64) -> [Float] {
        var samples = [Float](repeating: .nan, count: frames)
        samples.withUnsafeMutableBufferPointer {
            source?.render(into: $0.baseAddress!, frameCount: frames, presentationTime: time)
        }
        return samples
    }
}
