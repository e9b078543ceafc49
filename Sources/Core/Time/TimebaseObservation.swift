// SPDX-License-Identifier: Apache-2.0

/// An observation of a timebase's events, which can be cancelled.
///
/// - Concurrency: any thread.
/// - Ownership: the timebase keeps the observer until the observation is cancelled. Releasing this
///   object does not cancel it.
public final class TimebaseObservation: Sendable {
    private let handler: any Cancellable

    init(_ handler: any Cancellable) { self.handler = handler }

    /// Cancels the observation. After this call returns, the handler is not called again. The call
    /// waits for the handler if it is running on another thread, so do not hold a lock that the
    /// handler takes.
    public func cancel() { handler.cancel() }
}
