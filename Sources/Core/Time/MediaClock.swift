// SPDX-License-Identifier: Apache-2.0

/// A source of time that never stops.
///
/// Every clock is seen from *host time*, the timeline of `HostClock` in which vsyncs, packets of
/// sound and events are stamped: a clock answers what it will read, or has read, at any host time.
///
/// - Concurrency: any thread, the render thread and the sound callback included: conforming types
///   answer without locking, allocating or waiting.
/// - Corresponds to: `CMClock`.
public protocol MediaClock: AnyObject, Sendable {
    /// What the clock reads now.
    var time: MediaTime { get }
    /// What the clock reads when the host clock reads `hostTime`.
    func time(atHostTime hostTime: MediaTime) -> MediaTime
    /// When, in host time, the clock reads `time`.
    func hostTime(at time: MediaTime) -> MediaTime
}
