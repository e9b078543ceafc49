// SPDX-License-Identifier: Apache-2.0

public import Dispatch

/// A queue for the handler of an observer. Handlers on a queue run one at a time, in the order of
/// the events.
///
///     item.observe(\.status, on: .main) { … }
///     item.observe(\.status, on: ObservationQueue { link.perform($0) }) { … }
///
/// - Concurrency: any thread.
/// - Corresponds to: the `queue` parameters of AVFoundation's observers.
public struct ObservationQueue: Sendable {
    private let enqueue: @Sendable (_ job: @escaping @Sendable () -> Void) -> Void

    /// Creates an observation queue from a dispatch queue. A concurrent dispatch queue does not
    /// keep the order.
    public init(_ queue: DispatchQueue) {
        enqueue = { queue.async(execute: $0) }
    }

    /// Creates an observation queue from a closure, for use with a render thread or an actor's
    /// executor.
    ///
    /// - Parameter enqueue: Schedules the job and returns at once. It must not run the job itself.
    ///   If it drops the job, the notification is lost.
    public init(_ enqueue: @escaping @Sendable (_ job: @escaping @Sendable () -> Void) -> Void) {
        self.enqueue = enqueue
    }

    /// The queue of the main thread, which `MainLoop` drains.
    public static let main = ObservationQueue(.main)
    /// A queue of the library, for short handlers that may run on any thread.
    public static let background = ObservationQueue(DispatchQueue(label: "playhead.observation"))

    /// Schedules `job`, and does not wait for it.
    package func async(_ job: @escaping @Sendable () -> Void) { enqueue(job) }

    /// Schedules `job` to run after a number of nanoseconds.
    func async(afterNanoseconds nanoseconds: Int64, _ job: @escaping @Sendable () -> Void) {
        guard nanoseconds > 0 else {
            enqueue(job)
            return
        }
        Self.delays.asyncAfter(
            deadline: .now() + .nanoseconds(Int(clamping: nanoseconds))
        ) { [self] in enqueue(job) }
    }

    private static let delays = DispatchQueue(label: "playhead.observation.delays")
}
