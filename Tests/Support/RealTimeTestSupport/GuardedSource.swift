// SPDX-License-Identifier: Apache-2.0

import PlayheadAudio

/// An audio source that is monitored while it renders: for allocations, locks and system calls.
///
/// - Concurrency: that of the wrapped source.
package final class GuardedSource: AudioSource {
    private let source: any AudioSource
    private let violations: RealTimeViolations

    init(_ source: any AudioSource, violations: RealTimeViolations) {
        self.source = source
        self.violations = violations
    }

    package func render(
        into samples: UnsafeMutablePointer<Float>, frameCount: Int, presentationTime: Int64
    ) {
        violations.watch {
            source.render(
                into: samples, frameCount: frameCount, presentationTime: presentationTime)
        }
    }
}
