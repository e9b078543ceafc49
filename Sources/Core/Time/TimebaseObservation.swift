// SPDX-License-Identifier: Apache-2.0

/// An observer of a timebase's events, for cancelling it.
///
/// - Concurrency: any thread.
/// - Ownership: the timebase keeps the observer until it is cancelled; dropping this does not.
public final class TimebaseObservation: Sendable {
    let handler: CancellableHandler<Timebase.Event>

    init(_ body: @escaping @Sendable (Timebase.Event) -> Void) {
        handler = CancellableHandler(body)
    }

    /// Ends the observation: the handler is not called any more once this has returned. Waits for a
    /// call that is under way on another thread, so hold no lock that the handler takes.
    public func cancel() { handler.cancel() }
}
