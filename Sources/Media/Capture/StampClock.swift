// SPDX-License-Identifier: Apache-2.0

/// A converter of a driver's timestamps to host times.
///
/// A timestamp is used unchanged if it is plausible and increasing. If it is not, the time of
/// arrival is used. A timestamp is not plausible if it is later than the arrival: the clocks of
/// some devices jump. If a device has a crystal of its own, its timestamps drift steadily from the
/// host clock: by 0.72 s in an hour at 200 ppm. Such timestamps are corrected by a line that is
/// fitted to the drift.
///
/// Only a steady change counts as drift. Frames also arrive late on a busy machine and with longer
/// exposures. Therefore, only the frame with the shortest delay in each five seconds counts, and a
/// line must fit the delays of these frames.
package struct StampClock: Sendable {
    /// The maximum interval between a timestamp and its arrival, in nanoseconds. If the interval is
    /// longer, the timestamp is on another clock, even if the driver declares the host clock.
    private static let tolerance: Int64 = 10_000_000_000
    /// The maximum interval from an arrival to its corrected timestamp, if that is later, in
    /// nanoseconds. It is long enough for a drift that is not corrected yet. Times increase, so the
    /// times of all frames until then would be the same.
    private static let lead: Int64 = 100_000_000
    /// The duration of a window, in nanoseconds. Only the frame with the shortest delay in a window
    /// is used.
    private static let windowNanoseconds: Int64 = 5_000_000_000
    /// The minimum and the maximum number of windows to which a line is fitted.
    private static let windowCounts = 5...180
    /// The smallest change of the delay, over all windows, that counts as drift, in nanoseconds. It
    /// is shorter than a frame.
    private static let smallestRise = 3e6
    /// The maximum mean deviation of the delays from the line, as a share of the line's rise. If
    /// the delays have a step, as after a change of exposure, the share is about a sixth.
    private static let straightness = 0.08
    /// The maximum mean deviation of the delays from the line that counts as noise and not as a
    /// step, in nanoseconds.
    private static let noise = 0.5e6
    /// The maximum relative change of a frame's period that the correction makes. It is too small
    /// to be seen.
    private static let slew = 0.005

    /// The frame with the shortest delay in a window: the time of its arrival, and the delay from
    /// its timestamp to its arrival.
    private struct Point {
        var arrival: Int64
        var delay: Int64
    }

    private var last = Int64.min
    private var lastArrival = Int64.min
    private var window: Point?
    private var windowStart = Int64.min
    private var points: [Point] = []
    /// The delay at the start, and the line that is fitted to the delays. The line is given by an
    /// arrival, the delay at that arrival, and the slope.
    private var origin: Int64?
    private var line: (arrival: Int64, delay: Double, slope: Double)?
    /// The correction of the last timestamp.
    private var correction = 0.0

    package init() {}

    /// Returns the host time of a frame, in nanoseconds.
    package mutating func time(stamp: Int64, arrival: Int64) -> Int64 {
        guard abs(stamp - arrival) < Self.tolerance else { return time(arrival: arrival) }
        let corrected = stamp + Int64(steer(arrival).rounded())
        guard corrected > last, corrected - arrival <= Self.lead else {
            return time(arrival: arrival)
        }
        note(stamp, arrival)
        last = corrected
        return corrected
    }

    /// Returns the host time of a frame without a usable timestamp.
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
            // The delay of the line at the first window.
            origin = base.delay + Int64((middle.y - slope * middle.x).rounded())
        }
        // If the line has become flat, the drift has ended. A step does not change the line.
        if isDrift || deviation <= Self.noise {
            line = (
                base.arrival + Int64(middle.x), Double(base.delay) + middle.y, slope
            )
        }
    }
}
