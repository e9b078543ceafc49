// SPDX-License-Identifier: Apache-2.0

/// A source of time that never stops.
///
/// Every clock is related to *host time*, the timeline of `HostClock`. The timestamps of vsyncs,
/// audio packets and events are host times. A clock can return its time at any past or future host
/// time.
///
/// - Concurrency: any thread, including the render thread and the audio callback. Conforming types
///   return times without locking, allocating or waiting.
/// - Corresponds to: `CMClock`.
public protocol MediaClock: AnyObject, Sendable {
    /// The clock's current time.
    var time: MediaTime { get }
    /// Returns the clock's time when the host clock reads `hostTime`.
    func time(atHostTime hostTime: MediaTime) -> MediaTime
    /// Returns the host time at which the clock reads `time`.
    func hostTime(at time: MediaTime) -> MediaTime
}
