// SPDX-License-Identifier: Apache-2.0

import PlayheadTime

/// A volume over item time: steps and linear ramps.
struct VolumeEnvelope: Sendable, Hashable {
    /// The volume from `time` on: it goes to `endVolume` until `end`, and stays there.
    struct Point: Sendable, Hashable {
        var time: MediaTime
        var volume: Float
        var end: MediaTime
        var endVolume: Float
    }

    /// Before the first point.
    private(set) var initial: Float = 1
    /// In order of their times, which are numbers, no two alike.
    private(set) var points: [Point] = []

    mutating func setVolume(_ volume: Float, at time: MediaTime) {
        guard time.isNumeric else {
            initial = volume
            return
        }
        points.removeAll { $0.time == time }
        insert(Point(time: time, volume: volume, end: time, endVolume: volume))
    }

    /// Sets the volume from `time` until `end`, in place of whatever was set there.
    mutating func setVolume(_ volume: Float, at time: MediaTime, until end: MediaTime) {
        points.removeAll { $0.time >= time && $0.time < end }
        setVolume(volume, at: time)
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

    func volume(at time: MediaTime) -> Float {
        guard let point = point(at: time) else { return initial }
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
