// SPDX-License-Identifier: Apache-2.0

public import PlayheadAudio
public import PlayheadBuffers
public import PlayheadTime

/// A sink whose source is watched while it renders.
///
/// - Concurrency: any thread.
public final class GuardedSink: AudioSink {
    private let sink: any AudioSink
    public let violations: RealTimeViolations

    private let onEnd: @Sendable (RealTimeViolations) -> Void

    /// - Parameter onEnd: called with what there was, if anything, when the sink is let go.
    public init(
        _ sink: any AudioSink, violations: RealTimeViolations = RealTimeViolations(),
        onEnd: @escaping @Sendable (RealTimeViolations) -> Void = { _ in }
    ) {
        self.sink = sink
        self.violations = violations
        self.onEnd = onEnd
    }

    deinit { if !violations.isClean { onEnd(violations) } }

    public var format: AudioFormat { sink.format }
    public var clock: any MediaClock { sink.clock }
    public var latency: MediaTime { sink.latency }
    public var status: AudioSinkStatus { sink.status }

    public func start(
        _ source: any AudioSource, onStatusChange: @escaping @Sendable () -> Void
    ) {
        sink.start(
            GuardedSource(source, violations: violations), onStatusChange: onStatusChange)
    }

    public func resume() { sink.resume() }
    public func pause() { sink.pause() }
    public func stop() { sink.stop() }
}
