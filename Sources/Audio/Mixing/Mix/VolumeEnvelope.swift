// SPDX-License-Identifier: Apache-2.0

import PlayheadTime

/// A volume over item time: steps and linear ramps.
struct VolumeEnvelope: Sendable, Hashable {
    /// A point at which the volume begins to move to `endVolume`. It reaches that value at `end`
    /// and then stays constant.
    struct Point: Sendable, Hashable {
        var time: MediaTime
        var volume: Float
        var end: MediaTime
        var endVolume: Float
    }

    /// The volume before the first point.
    private(set) var initial: Float = 1
    /// The points in order of their times, which are numeric and distinct.
    private(set) var points: [Point] = []

    mutating func setVolume(_ volume: Float, at time: MediaTime) {
        guard time.isNumeric else {
            initial = volume
            return
        }
        points.removeAll { $0.time == time }
        insert(Point(time: time, volume: volume, end: time, endVolume: volume))
    }

    mutating func setRamp(from start: Float, to end: Float, timeRange: MediaTimeRange) {
        guard timeRange.start.isNumeric, timeRange.end.isNumeric, timeRange.duration > .zero else {
            return
        }
        points.removeAll { $0.time >= timeRange.start && $0.time < timeRange.end }
        insert(
            Point(
                time: timeRange.start, volume: start, end: timeRange.end, endVolume: end))
    }

    /// Multiplies the volume in a range by a linearly changing factor. Outside the range the volume
    /// is unchanged. The product of two ramps is a curve, which is approximated by its chord.
    mutating func multiply(from start: Float, to end: Float, timeRange: MediaTimeRange) {
        guard timeRange.start.isNumeric, timeRange.end.isNumeric, timeRange.duration > .zero else {
            return
        }
        let before = self
        let bends = points.flatMap { [$0.time, $0.end] }
            .filter { $0 > timeRange.start && $0 < timeRange.end }.sorted()
        points.removeAll { $0.time >= timeRange.start && $0.time < timeRange.end }
        let times = [timeRange.start] + bends + [timeRange.end]
        for (time, next) in zip(times, times.dropFirst()) where time < next {
            let factors = [time, next].map {
                let part = ($0 - timeRange.start).seconds / timeRange.duration.seconds
                return start + (end - start) * Float(part)
            }
            let volume = before.volume(at: time) * factors[0]
            let endVolume = before.volume(at: next, since: time) * factors[1]
            let isFlat = volume == endVolume
            insert(
                Point(
                    time: time, volume: volume, end: isFlat ? time : next, endVolume: endVolume))
        }
        // The earlier volume continues after the range, unless there is a point at its end.
        guard before.point(at: timeRange.end)?.time != timeRange.end else { return }
        let last = before.point(at: timeRange.end)
        insert(
            Point(
                time: timeRange.end, volume: before.volume(at: timeRange.end),
                end: max(timeRange.end, last?.end ?? timeRange.end),
                endVolume: last?.endVolume ?? initial))
    }

    func volume(at time: MediaTime) -> Float { volume(at: time, since: time) }

    /// Returns the volume at `time` that follows from the point at `start`, as if there were no
    /// later points.
    private func volume(at time: MediaTime, since start: MediaTime) -> Float {
        guard let point = point(at: start) else { return initial }
        guard time < point.end else { return point.endVolume }
        let part = (time - point.time).seconds / (point.end - point.time).seconds
        return point.volume + (point.endVolume - point.volume) * Float(part)
    }

    func ramp(
        at time: MediaTime
    ) -> (startVolume: Float, endVolume: Float, timeRange: MediaTimeRange)? {
        guard let point = point(at: time), time < point.end else { return nil }
        return (
            point.volume, point.endVolume, MediaTimeRange(start: point.time, end: point.end)
        )
    }

    private func point(at time: MediaTime) -> Point? {
        guard time.isNumeric else { return time.isPositiveInfinity ? points.last : nil }
        return points.last { $0.time <= time }
    }

    private mutating func insert(_ point: Point) {
        let place = points.firstIndex { $0.time > point.time } ?? points.count
        points.insert(point, at: place)
    }
}
