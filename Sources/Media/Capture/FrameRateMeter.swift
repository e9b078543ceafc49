// SPDX-License-Identifier: Apache-2.0

package import PlayheadTime

/// The rate at which frames arrive, measured from their timestamps over the last second.
///
/// Drivers report the rate that was set, not the rate that a camera delivers. In dim light, the
/// delivered rate may be half as high.
package struct FrameRateMeter: Sendable {
    private var times: [MediaTime] = []
    private static let window = MediaTime(value: 1, timescale: 1)
    /// The minimum number of intervals, because fewer do not give a reliable rate.
    private static let minimumIntervals = 4

    package init() {}

    /// Records the time of a frame. A time that does not increase starts a new measurement.
    package mutating func record(_ time: MediaTime) {
        if let last = times.last, time <= last { times.removeAll() }
        times.append(time)
        // One interval more than the window is kept, so that slow cameras have a rate too.
        while times.count > Self.minimumIntervals + 1, time - times[1] >= Self.window {
            times.removeFirst()
        }
    }

    /// The frames per second; nil until there are enough intervals.
    package var framesPerSecond: Double? {
        guard times.count > Self.minimumIntervals, let first = times.first, let last = times.last
        else { return nil }
        return Double(times.count - 1) / (last - first).seconds
    }
}
