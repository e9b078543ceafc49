// SPDX-License-Identifier: Apache-2.0

import PlayheadAudio
import PlayheadBuffers
import PlayheadStretching
import PlayheadTime
import RealTimeGuard
import Synchronization

/// The actions of sources that a real-time thread must not perform.
///
/// - Concurrency: any thread.
package final class RealTimeViolations: Sendable {
    private let callCount = Atomic(0)
    private let allocationCount = Atomic(0)
    private let lockCount = Atomic(0)
    private let systemCallCount = Atomic(0)
    private let referenceCount = Atomic(0)
    private let lastSystemCall = Atomic(-1)

    package init() { Self.warmUp }

    /// Runs once, since Swift's runtime allocates at its first use.
    private static let warmUp: Void = {
        let clock = ManualClock()
        let sink = NullAudioSink(clock: clock)
        let timebase = Timebase(masterClock: clock)
        let renderer = AudioRenderer(sink: AudioMixer(sink: sink).makeInput(), timebase: timebase)
        var parameters = AudioMixInputParameters()
        parameters.taps = [AudioGainTap(), AudioFilterTap(.peak, frequency: 1000)]
        renderer.inputParameters = parameters
        let buffer = AudioBuffer(
            format: sink.format, presentationTime: .zero, frameCount: sink.format.sampleRate
        ) { samples in
            for index in samples.indices where index % 9600 < 4800 {
                samples[index] = index % 100 < 50 ? 0.5 : -0.5
            }
        }
        _ = renderer.enqueue(buffer)
        renderer.endTime = MediaTime(value: 9, timescale: 10)
        renderer.resume()
        var steps = 0
        for algorithm in AudioTimePitchAlgorithm.allCases {
            renderer.timePitchAlgorithm = algorithm
            for rate in [1, 0.5, 1.5, -1, 100, 0.0] {
                timebase.setRate(
                    rate, time: MediaTime(value: 1, timescale: 10), atMasterTime: clock.time,
                    holdingUntilThen: steps % 2 == 0)
                steps += 1
                sink.advance(to: clock.time + MediaTime(value: 1, timescale: 2))
            }
        }
        renderer.invalidate()
    }()

    /// Watches the calling thread while it runs `body`.
    package func watch(_ body: () -> Void) {
        real_time_guard_begin()
        body()
        add(real_time_guard_end())
    }

    private func add(_ report: RealTimeReport) {
        callCount.add(1, ordering: .relaxed)
        allocationCount.add(Int(report.allocations), ordering: .relaxed)
        lockCount.add(Int(report.locks), ordering: .relaxed)
        systemCallCount.add(Int(report.system_calls), ordering: .relaxed)
        referenceCount.add(Int(report.references), ordering: .relaxed)
        if report.system_calls > 0 { lastSystemCall.store(report.system_call, ordering: .relaxed) }
    }

    /// The number of watched calls.
    package var calls: Int { callCount.load(ordering: .relaxed) }
    package var allocations: Int { allocationCount.load(ordering: .relaxed) }
    package var locks: Int { lockCount.load(ordering: .relaxed) }
    package var systemCalls: Int { systemCallCount.load(ordering: .relaxed) }
    /// The number of retains and releases; in builds without optimisation there are always some.
    package var references: Int { referenceCount.load(ordering: .relaxed) }
    /// A Boolean value that indicates whether this system can detect system calls.
    package static var watchesSystemCalls: Bool { real_time_guard_watches_system_calls() }

    /// A Boolean value that indicates whether there was no violation; references are not counted.
    package var isClean: Bool { allocations == 0 && locks == 0 && systemCalls == 0 }

    /// The callers of retain and release, in lines of text.
    package static var referenceCallers: String {
        String(cString: real_time_guard_reference_callers())
    }

    /// The violations, and the place of the first one.
    package var description: String {
        """
        \(allocations) allocations, \(locks) locks, \(systemCalls) calls with system calls \
        (\(lastSystemCall.load(ordering: .relaxed))) in \(calls) calls
        \(isClean ? "" : String(cString: real_time_guard_first_violation()))
        """
    }
}
