// SPDX-License-Identifier: Apache-2.0

public import Dispatch

/// Where an observer's handler runs. Handlers on one queue run one at a time, in the order of what
/// they tell.
///
///     item.observe(\.status, on: .main) { … }
///     item.observe(\.status, on: ObservationQueue { link.perform($0) }) { … }
///
/// - Concurrency: any thread.
/// - Corresponds to: the `queue` parameters of AVFoundation's observers.
public struct ObservationQueue: Sendable {
    private let enqueue: @Sendable (_ job: @escaping @Sendable () -> Void) -> Void

    /// A dispatch queue; a concurrent one loses the order.
    public init(_ queue: DispatchQueue) {
        enqueue = { queue.async(execute: $0) }
    }

    /// Any other place, such as a render thread or an actor's executor.
    ///
    /// - Parameter enqueue: sees to it that the job runs there, and returns at once. It must not run
    ///   the job itself; one that drops it drops the notification.
    public init(_ enqueue: @escaping @Sendable (_ job: @escaping @Sendable () -> Void) -> Void) {
        self.enqueue = enqueue
    }

    /// The main thread's queue, which `MainLoop` drains.
    public static let main = ObservationQueue(.main)
    /// A queue of Playhead's own, for handlers that are brief and do not care where they run.
    public static let background = ObservationQueue(DispatchQueue(label: "playhead.observation"))

    /// Runs `job` there, and does not wait for it.
    package func async(_ job: @escaping @Sendable () -> Void) { enqueue(job) }

    /// Runs `job` there when `nanoseconds` have passed.
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
