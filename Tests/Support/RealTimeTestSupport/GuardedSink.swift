// SPDX-License-Identifier: Apache-2.0

package import PlayheadAudio
package import PlayheadBuffers
package import PlayheadTime

/// A sink whose source is monitored while it renders.
///
/// - Concurrency: any thread.
package final class GuardedSink: AudioSink {
    private let sink: any AudioSink
    package let violations: RealTimeViolations

    private let onEnd: @Sendable (RealTimeViolations) -> Void

    /// Creates a sink.
    ///
    /// - Parameter onEnd: Called with the violations, if there were any, when the sink is released.
    package init(
        _ sink: any AudioSink, violations: RealTimeViolations = RealTimeViolations(),
        onEnd: @escaping @Sendable (RealTimeViolations) -> Void = { _ in }
    ) {
        self.sink = sink
        self.violations = violations
        self.onEnd = onEnd
    }

    deinit { if !violations.isClean { onEnd(violations) } }

    package var format: AudioFormat { sink.format }
    package var clock: any MediaClock { sink.clock }
    package var latency: MediaTime { sink.latency }
    package var status: AudioSinkStatus { sink.status }

    package func start(
        _ source: any AudioSource, onStatusChange: @escaping @Sendable () -> Void
    ) {
        sink.start(
            GuardedSource(source, violations: violations), onStatusChange: onStatusChange)
    }

    package func resume() { sink.resume() }
    package func pause() { sink.pause() }
    package func stop() { sink.stop() }
}
