// SPDX-License-Identifier: Apache-2.0

/// The host times of a driver's stamps.
///
/// A stamp counts as it is if it is plausible and increasing; otherwise the time of arrival does.
/// If the stamps leave the host clock steadily, because they are of another crystal, they are
/// corrected by the line that they follow: an error of 200 ppm is 0.72 s in an hour.
///
/// Only a steady change counts. Frames arrive late on a busy machine and with longer exposures, so
/// the earliest arrivals of five seconds are compared, and a line must fit them.
package struct StampClock: Sendable {
    /// A stamp further from the arrival is of another clock, whatever the driver says.
    private static let tolerance: Int64 = 10_000_000_000
    /// The duration of a window, of which the earliest arrival counts.
    private static let windowNanoseconds: Int64 = 5_000_000_000
    /// The windows that a line needs, and the most that it is fitted to.
    private static let windowCounts = 5...180
    /// The smallest change over all windows that is a drift and not a delay: less than a frame.
    private static let smallestRise = 3e6
    /// The largest mean deviation from the line, as a share of the rise. A step, as by a change of
    /// exposure, deviates by a sixth.
    private static let straightness = 0.08
    /// The mean deviation, in nanoseconds, that is noise and no step.
    private static let noise = 0.5e6
    /// The largest correction of a frame's period: no one sees it.
    private static let slew = 0.005

    /// An earliest arrival: its time, and how much later it was than its stamp.
    private struct Point {
        var arrival: Int64
        var delay: Int64
    }

    private var last = Int64.min
    private var lastArrival = Int64.min
    private var window: Point?
    private var windowStart = Int64.min
    private var points: [Point] = []
    /// The delay at the start, and the line of the delays: one at a time, and its slope.
    private var origin: Int64?
    private var line: (arrival: Int64, delay: Double, slope: Double)?
    /// The correction of the last stamp.
    private var correction = 0.0

    package init() {}

    /// Returns the host time of a frame, in nanoseconds.
    package mutating func time(stamp: Int64, arrival: Int64) -> Int64 {
        guard abs(stamp - arrival) < Self.tolerance else { return time(arrival: arrival) }
        note(stamp, arrival)
        let corrected = stamp + Int64(steer(arrival).rounded())
        guard corrected > last else { return time(arrival: arrival) }
        last = corrected
        return corrected
    }

    /// Returns the host time of a frame without a stamp that counts.
    package mutating func time(arrival: Int64) -> Int64 {
        last = max(arrival, last == .min ? arrival : last + 1)
        return last
    }

    /// Moves the correction towards the line, no faster than `slew`.
    private mutating func steer(_ arrival: Int64) -> Double {
        defer { lastArrival = max(lastArrival, arrival) }
        guard let line, let origin else { return correction }
        let elapsed = lastArrival == .min ? 0 : Double(max(0, arrival - lastArrival))
        let goal =
            line.delay + line.slope * Double(arrival - line.arrival) - Double(origin)
        let step = Self.slew * elapsed
        correction += max(-step, min(step, goal - correction))
        return correction
    }

    private mutating func note(_ stamp: Int64, _ arrival: Int64) {
        let point = Point(arrival: arrival, delay: arrival - stamp)
        if windowStart == .min { windowStart = arrival }
        if arrival - windowStart >= Self.windowNanoseconds, let window {
            points.append(window)
            if points.count > Self.windowCounts.upperBound { points.removeFirst() }
            windowStart = arrival
            self.window = point
            fit()
        } else if point.delay <= window?.delay ?? .max {
            window = point
        }
    }

    /// Fits a line to the windows.
    private mutating func fit() {
        guard points.count >= Self.windowCounts.lowerBound else { return }
        let base = points[0]
        let count = Double(points.count)
        let places = points.map {
            (x: Double($0.arrival - base.arrival), y: Double($0.delay - base.delay))
        }
        let middle = (
            x: places.reduce(0) { $0 + $1.x } / count, y: places.reduce(0) { $0 + $1.y } / count
        )
        let square = places.reduce(0) { $0 + ($1.x - middle.x) * ($1.x - middle.x) }
        guard square > 0 else { return }
        let slope = places.reduce(0) { $0 + ($1.x - middle.x) * ($1.y - middle.y) } / square
        let deviation =
            (places.reduce(0) { sum, place in
                let error = place.y - middle.y - slope * (place.x - middle.x)
                return sum + error * error
            } / count).squareRoot()
        let rise = abs(slope) * (places[places.count - 1].x)
        let isDrift = rise >= Self.smallestRise && deviation <= rise * Self.straightness
        guard isDrift || line != nil else { return }
        if origin == nil {
            // The delay that the line had at the first stamp.
            origin = base.delay + Int64((middle.y - slope * middle.x).rounded())
        }
        // A line that has become flat ends a drift, and a step leaves the line as it is.
        if isDrift || deviation <= Self.noise {
            line = (
                base.arrival + Int64(middle.x), Double(base.delay) + middle.y, slope
            )
        }
    }
}
