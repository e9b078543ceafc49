// SPDX-License-Identifier: Apache-2.0

/// An object that calls closures when host time, or the clock that replaces host time, reaches a
/// given time.
protocol AlarmScheduler: AnyObject, Sendable {
    /// The current host time, in nanoseconds.
    var alarmTime: Int64 { get }
    /// Calls `body` once at `time`. Replaces an alarm with the same key.
    func setAlarm(_ key: AlarmKey, at time: Int64, body: @escaping @Sendable () -> Void)
    func cancelAlarm(_ key: AlarmKey)
}

/// The key of an alarm: an object, and a number that the object chooses.
struct AlarmKey: Hashable, Sendable {
    var owner: ObjectIdentifier
    var number: Int
}

/// A list of pending alarms. It is short, so it is searched from start to end.
struct AlarmList {
    private struct Alarm {
        var key: AlarmKey
        var time: Int64
        var body: @Sendable () -> Void
    }
    /// The alarms in the order in which they were set. Alarms for the same time fire in that order.
    private var alarms: [Alarm] = []

    mutating func set(_ key: AlarmKey, at time: Int64, body: @escaping @Sendable () -> Void) {
        cancel(key)
        alarms.append(Alarm(key: key, time: time, body: body))
    }

    mutating func cancel(_ key: AlarmKey) { alarms.removeAll { $0.key == key } }

    var earliestTime: Int64? { alarms.map(\.time).min() }

    /// Removes and returns the earliest alarm if it is due.
    mutating func takeFirst(by time: Int64) -> (time: Int64, body: @Sendable () -> Void)? {
        guard let earliest = earliestTime, earliest <= time,
            let index = alarms.firstIndex(where: { $0.time == earliest })
        else { return nil }
        let alarm = alarms.remove(at: index)
        return (alarm.time, alarm.body)
    }
}
