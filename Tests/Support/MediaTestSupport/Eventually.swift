// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The time that tests wait for another process to do what it does at once on an idle machine. It
/// separates a slow machine from a defect, and passes only if a test fails.
public let patience = Duration.seconds(120)

/// Looks again and again, at what other processes do, until there is a result.
///
/// - Throws: an error that names the expected result, if it does not arrive within the limit.
public func eventually<Value>(
    _ what: String, within limit: Duration = patience, _ look: () throws -> Value?
) throws -> Value {
    let end = ContinuousClock.now + limit
    while true {
        if let value = try look() { return value }
        guard ContinuousClock.now < end else { throw Overdue(what: what, limit: limit) }
        usleep(5000)
    }
}

/// Looks again and again until something is so.
public func eventually(
    _ what: String, within limit: Duration = patience, _ look: () throws -> Bool
) throws {
    let _: Void = try eventually(what, within: limit) { try look() ? () : nil }
}

/// Looks again and again until something is so, with the main thread going on meanwhile.
///
/// - Returns: false when it is not so within the time given.
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

/// Looks again and again for a while, and throws as soon as something is not so.
public func throughout(_ time: Duration, _ what: String, _ look: () throws -> Bool) throws {
    let end = ContinuousClock.now + time
    while ContinuousClock.now < end {
        guard try look() else { throw Overdue(what: what, limit: time) }
        usleep(5000)
    }
}

/// What a test waited for has not come.
public struct Overdue: Error, CustomStringConvertible {
    var what: String
    var limit: Duration

    public init(what: String, limit: Duration = patience) {
        self.what = what
        self.limit = limit
    }

    public var description: String { "waited \(limit) for \(what)" }
}
