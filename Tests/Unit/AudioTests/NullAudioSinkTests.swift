// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadThreads
import PlayheadTime
import Synchronization
import Testing

@testable import PlayheadAudio

/// Counts the requested frames, and signals when it has enough.
private final class CountingSource: AudioSource {
    let frames = Atomic<Int>(0)
    let calls = Monitor<[Int64]>([])

    func render(
        into samples: UnsafeMutablePointer<Float>, frameCount: Int, presentationTime: Int64
    ) {
        frames.add(frameCount, ordering: .relaxed)
        calls.change { $0.append(presentationTime) }
    }
}

@Suite struct NullAudioSinkTests {
    @Test func `on a manual clock a null sink requests the due blocks in order`() {
        let clock = ManualClock(time: MediaTime(value: 5, timescale: 1))
        let sink = NullAudioSink(clock: clock)
        let source = CountingSource()
        #expect(sink.status == .ready)
        sink.start(source) {}
        #expect(sink.status == .paused)
        sink.renderDueBlocks()
        #expect(source.frames.load(ordering: .relaxed) == 0)
        sink.resume()
        #expect(sink.status == .running)
        sink.renderDueBlocks()
        // The lead over the clock is at most the latency.
        #expect(source.frames.load(ordering: .relaxed) == 4 * 480)
        sink.advance(to: MediaTime(value: 6, timescale: 1))
        #expect(source.frames.load(ordering: .relaxed) == 104 * 480)
        let times = source.calls.withLock { $0 }
        #expect(times == (0..<104).map { 5_000_000_000 + $0 * 10_000_000 })
        sink.pause()
        sink.advance(to: MediaTime(value: 7, timescale: 1))
        #expect(source.frames.load(ordering: .relaxed) == 104 * 480)
        sink.stop()
        #expect(sink.status == .ready)
    }

    @Test func `on the host clock a null sink renders ahead on its own thread`() {
        let sink = NullAudioSink()
        let source = CountingSource()
        let before = HostClock.nanoseconds
        sink.start(source) {}
        sink.resume()
        let times = source.calls.wait(nanoseconds: 60_000_000_000) { $0.count >= 10 ? $0 : nil }
        let after = HostClock.nanoseconds
        sink.pause()
        guard let times else {
            Issue.record("ten blocks in a minute")
            return
        }
        #expect(times[0] >= before && times[0] <= after)
        for (time, next) in zip(times, times.dropFirst()) {
            #expect(next == time + 10_000_000)
        }
        #expect(times[9] <= after + 50_000_000)
    }

    @Test func `status changes call the handler`() {
        let clock = ManualClock()
        let sink = NullAudioSink(clock: clock)
        let count = Atomic(0)
        sink.start(CountingSource()) { count.add(1, ordering: .relaxed) }
        sink.resume()
        sink.resume()
        sink.pause()
        sink.pause()
        #expect(count.load(ordering: .relaxed) == 3)
    }

    @Test func `captured audio can be taken in parts`() {
        let clock = ManualClock()
        let sink = CaptureAudioSink(format: .mono(sampleRate: 48_000), clock: clock)
        sink.start(CountingSource()) {}
        sink.resume()
        sink.advance(to: MediaTime(value: 1, timescale: 10))
        let first = sink.takeRuns()
        #expect(first.map(\.samples.count) == [14 * 480])
        #expect(sink.samples.isEmpty && sink.takeRuns().isEmpty)
        sink.advance(to: MediaTime(value: 2, timescale: 10))
        let second = sink.takeRuns()
        #expect(second.map(\.samples.count) == [10 * 480])
        #expect(second.first?.clockTime == 140_000_000)
    }
}
