// SPDX-License-Identifier: Apache-2.0

public import PlayheadAudio
import RealTimeGuard

/// A source of sound that is watched while it renders: for allocations, locks and system calls.
///
/// - Concurrency: as the source that it stands before.
public final class GuardedSource: AudioSource {
    private let source: any AudioSource
    private let violations: RealTimeViolations

    init(_ source: any AudioSource, violations: RealTimeViolations) {
        self.source = source
        self.violations = violations
    }

    public func render(
        into samples: UnsafeMutablePointer<Float>, frameCount: Int, presentationTime: Int64
    ) {
        real_time_guard_begin()
        source.render(into: samples, frameCount: frameCount, presentationTime: presentationTime)
        violations.add(real_time_guard_end())
    }
}
