// SPDX-License-Identifier: Apache-2.0

public import Dispatch

/// Where an observer's handler runs. Handlers on one queue run one at a time, in the order of what
/// they tell.
///
/// - Corresponds to: the `queue` parameters of AVFoundation's observers.
public struct ObservationQueue: Sendable {
    let queue: DispatchQueue

    /// A dispatch queue; a concurrent one loses the order.
    public init(_ queue: DispatchQueue) {
        self.queue = queue
    }

    /// The main thread's queue, which `MainLoop` drains.
    public static let main = ObservationQueue(.main)
    /// A queue of Playhead's own, for handlers that are brief and do not care where they run.
    public static let background = ObservationQueue(DispatchQueue(label: "playhead.observation"))
}
