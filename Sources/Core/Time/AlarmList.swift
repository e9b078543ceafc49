// SPDX-License-Identifier: Apache-2.0

/// Something that runs closures when host time, or what stands for it, has come to a point.
protocol AlarmScheduler: AnyObject, Sendable {
    /// Host time, in nanoseconds.
    var alarmTime: Int64 { get }
    /// Runs `body` once when the time has come; replaces an alarm of the same key.
    func setAlarm(_ key: AlarmKey, at time: Int64, body: @escaping @Sendable () -> Void)
    func cancelAlarm(_ key: AlarmKey)
}

/// Names an alarm: an object, and a number of the object's choice.
struct AlarmKey: Hashable, Sendable {
    var owner: ObjectIdentifier
    var number: Int
}

/// Alarms that have been set, few at a time.
struct AlarmList {
    private struct Alarm {
        var key: AlarmKey
        var time: Int64
        var body: @Sendable () -> Void
    }
    /// In the order in which they were set, so that of those for one time the first goes off first.
    private var alarms: [Alarm] = []

    mutating func set(_ key: AlarmKey, at time: Int64, body: @escaping @Sendable () -> Void) {
        cancel(key)
        alarms.append(Alarm(key: key, time: time, body: body))
    }

    mutating func cancel(_ key: AlarmKey) { alarms.removeAll { $0.key == key } }

    var earliestTime: Int64? { alarms.map(\.time).min() }

    /// Takes the earliest alarm out, if its time has come.
    mutating func takeFirst(by time: Int64) -> (time: Int64, body: @Sendable () -> Void)? {
        guard let earliest = earliestTime, earliest <= time,
            let index = alarms.firstIndex(where: { $0.time == earliest })
        else { return nil }
        let alarm = alarms.remove(at: index)
        return (alarm.time, alarm.body)
    }
}
