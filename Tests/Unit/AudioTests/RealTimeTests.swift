// SPDX-License-Identifier: Apache-2.0

import Glibc
import PlayheadBuffers
import PlayheadThreads
import PlayheadTime
import RealTimeTestSupport
import Synchronization
import Testing

@testable import PlayheadAudio

/// Actions that the audio callback must not perform, monitored while it does everything that it can
/// do.
@Suite struct RealTimeTests {
    /// A tap that performs forbidden actions.
    private final class Offender: AudioProcessingTap, @unchecked Sendable {
        enum Offence: CaseIterable { case allocates, locks, callsSystem, waitsForLock }

        private let offence: Offence
        private let lock = Monitor(0)
        let held = Mutex(0)
        /// A Boolean value that indicates whether the lock is about to be taken.
        let isCalling = Atomic(false)
        private var kept: [Float] = []

        init(_ offence: Offence) { self.offence = offence }

        override func process(_ block: inout AudioTapBlock) {
            block.pull()
            switch offence {
            case .allocates: kept = Array(block.samples)
            case .locks: lock.withLock { $0 += 1 }
            case .callsSystem: _ = sched_yield()
            case .waitsForLock:
                isCalling.store(true, ordering: .releasing)
                held.withLock { $0 += 1 }
            }
        }
    }

    private static func render(
        _ taps: [AudioProcessingTap], seconds: Double = 0.5, rate: Double = 1
    ) -> RealTimeViolations {
        let clock = ManualClock()
        let null = NullAudioSink(clock: clock)
        let sink = GuardedSink(null)
        let timebase = Timebase(masterClock: clock)
        let renderer = AudioRenderer(
            sink: sink, timebase: timebase, bufferSeconds: 1, stopwatch: StoppedClock())
        var parameters = AudioMixInputParameters()
        parameters.taps = taps
        parameters.setVolumeRamp(from: 0, to: 1, timeRange: MixRig.range(0..<400))
        renderer.inputParameters = parameters
        timebase.setRate(rate, time: .zero, atMasterTime: .zero)
        renderer.resume()
        null.advance(to: MediaTime(seconds: seconds))
        renderer.invalidate()
        return sink.violations
    }

    @Test func `the guard detects an allocation, a lock and a system call`() {
        for offence in [Offender.Offence.allocates, .locks, .callsSystem] {
            if offence == .callsSystem, !RealTimeViolations.watchesSystemCalls { continue }
            let violations = Self.render([Offender(offence)])
            #expect(!violations.isClean && violations.calls > 0)
            switch offence {
            case .allocates: #expect(violations.allocations >= violations.calls)
            case .locks: #expect(violations.locks == violations.calls)
            default: #expect(violations.systemCalls == violations.calls)
            }
        }
    }

    @Test(.enabled(if: RealTimeViolations.watchesSystemCalls, "the kernel cannot watch"))
    func `the guard detects a contended Mutex`() {
        let offender = Offender(.waitsForLock)
        let isHeld = Atomic(false)
        let isDone = Atomic(false)
        // Holds the lock until the callback is about to take it, and a little longer. The callback
        // may wait already without having been seen, hence the limit.
        let other = WorkerThread(name: "holder") {
            while !isDone.load(ordering: .relaxed) {
                offender.held.withLock {
                    isHeld.store(true, ordering: .releasing)
                    for _ in 0..<500 where !offender.isCalling.load(ordering: .acquiring) {
                        usleep(100)
                    }
                    _ = usleep(2000 + UInt32($0 & 1))
                    offender.isCalling.store(false, ordering: .releasing)
                }
            }
        }
        while !isHeld.load(ordering: .acquiring) { sched_yield() }
        let violations = Self.render([offender], seconds: 1)
        isDone.store(true, ordering: .relaxed)
        other.join()
        #expect(violations.systemCalls > 0)
    }

    /// Other threads take all their locks here, repeatedly, so that the callback would wait for any
    /// lock that it shared with them.
    @Test(arguments: [1.0, 1.5])
    func `the audio callback neither allocates nor locks`(rate: Double) {
        let clock = ManualClock()
        let null = NullAudioSink(clock: clock)
        let sink = GuardedSink(null)
        let mixer = AudioMixer(sink: sink)
        let renderers = (0..<2).map { _ in
            let timebase = Timebase(masterClock: clock)
            timebase.setRate(rate, time: .zero, atMasterTime: .zero)
            return AudioRenderer(sink: mixer.makeInput(), timebase: timebase)
        }
        let taps = Self.everyTap
        let isDone = Atomic(false)
        let others = renderers.flatMap { renderer in
            [
                WorkerThread(name: "decoder") {
                    Self.feed(renderer, until: isDone)
                },
                WorkerThread(name: "control") {
                    Self.meddle(renderer, taps, until: isDone)
                },
            ]
        }
        for renderer in renderers { renderer.resume() }
        null.advance(to: MediaTime(value: 3, timescale: 1))
        isDone.store(true, ordering: .relaxed)
        for other in others { other.join() }
        let violations = sink.violations
        #expect(violations.isClean, "\(violations.description)")
        #expect(violations.calls > 250)
        for renderer in renderers { renderer.invalidate() }
    }

    private static let everyTap: [AudioProcessingTap] =
        AudioFilterTap.Kind.allCases.map { AudioFilterTap($0, frequency: 1000, gain: 3) } + [
            AudioGainTap(gain: 0.5), AudioLevelMeterTap(), AudioAnalyzerTap(),
        ]

    private static func feed(_ renderer: AudioRenderer, until isDone: borrowing Atomic<Bool>) {
        var next = 0
        while !isDone.load(ordering: .relaxed) {
            let buffer = AudioBuffer(
                format: renderer.format,
                presentationTime: MediaTime(value: Int64(next), timescale: 48_000),
                frameCount: 1024
            ) { samples in
                for index in samples.indices { samples[index] = Float(index % 200) / 400 }
            }
            next += renderer.enqueue(buffer)
            if next % 7 == 0 { renderer.discard(before: renderer.timebase.time) }
        }
    }

    private static func meddle(
        _ renderer: AudioRenderer, _ taps: [AudioProcessingTap],
        until isDone: borrowing Atomic<Bool>
    ) {
        var count = 0
        while !isDone.load(ordering: .relaxed) {
            count += 1
            renderer.volume = Float(count % 10) / 10
            renderer.isMuted = count % 3 == 0
            _ = renderer.statistics
            _ = renderer.bufferedTimeRange
            renderer.endTime = .invalid
            guard count % 50 == 0 else { continue }
            var parameters = AudioMixInputParameters()
            parameters.taps = taps
            parameters.pan = Float(count % 7) / 7
            parameters.duck(by: 0.5, during: [MixRig.range(500..<700)])
            renderer.inputParameters = parameters
        }
    }
}
