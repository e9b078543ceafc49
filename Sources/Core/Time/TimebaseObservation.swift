// SPDX-License-Identifier: Apache-2.0

/// A registration of an observer of a timebase's events, for cancelling it.
///
/// - Concurrency: any thread.
/// - Ownership: the timebase keeps the observer until it is cancelled; dropping this object does
///   not cancel it.
public final class TimebaseObservation: Sendable {
    private let handler: any Cancellable

    init(_ handler: any Cancellable) { self.handler = handler }

    /// Cancels the observation: after this returns the handler is not called. Waits for a call in
    /// progress on another thread, so do not hold a lock that the handler takes.
    public func cancel() { handler.cancel() }
}
