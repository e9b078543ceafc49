// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The maximum time that tests wait for another process to do what takes no time on an idle
/// machine. It distinguishes a slow machine from a defect, and only elapses if a test fails.
public let patience = Duration.seconds(300)

/// Polls the state of other processes until there is a result.
///
/// - Throws: An error that names the expected result, if it does not arrive within the limit.
public func eventually<Value>(
    _ what: String, within limit: Duration = patience, _ look: () throws -> Value?
) throws -> Value {
    let end = ContinuousClock.now + limit
    // Most results take less than a millisecond, and others take long.
    var pause: useconds_t = 100
    while true {
        if let value = try look() { return value }
        guard ContinuousClock.now < end else { throw Overdue(what: what, limit: limit) }
        usleep(pause)
        pause = min(2 * pause, 5000)
    }
}

/// Polls until a condition is true.
public func eventually(
    _ what: String, within limit: Duration = patience, _ look: () throws -> Bool
) throws {
    let _: Void = try eventually(what, within: limit) { try look() ? () : nil }
}

/// Polls until a condition is true, while the main thread continues.
///
/// - Returns: False if the condition is not true within the limit.
@MainActor public func eventually(
    within limit: Duration = patience, _ condition: @MainActor () throws -> Bool
) async rethrows -> Bool {
    let end = ContinuousClock.now + limit
    while ContinuousClock.now < end {
        if try condition() { return true }
        try? await Task.sleep(for: .milliseconds(2))
    }
    return try condition()
}

/// Polls for a duration, and throws as soon as a condition is false.
public func throughout(_ time: Duration, _ what: String, _ look: () throws -> Bool) throws {
    let end = ContinuousClock.now + time
    while ContinuousClock.now < end {
        guard try look() else { throw Overdue(what: what, limit: time) }
        usleep(5000)
    }
}

/// The error of a wait whose condition did not become true.
public struct Overdue: Error, CustomStringConvertible {
    var what: String
    var limit: Duration

    public init(what: String, limit: Duration = patience) {
        self.what = what
        self.limit = limit
    }

    public var description: String { "waited \(limit) for \(what)" }
}
