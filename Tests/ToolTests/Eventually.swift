// SPDX-License-Identifier: Apache-2.0

import Glibc
import MediaTestSupport

/// Looks again and again until there is a result.
///
/// - Throws: when there is none within the time given, with what was waited for.
func eventually<Value>(
    _ what: String, within limit: Duration = .seconds(10), _ look: () throws -> Value?
) throws -> Value {
    let end = ContinuousClock.now + limit
    while true {
        if let value = try look() { return value }
        guard ContinuousClock.now < end else { throw Overdue(what: what, limit: limit) }
        usleep(5000)
    }
}

/// Looks again and again until something is so.
func eventually(
    _ what: String, within limit: Duration = .seconds(10), _ look: () throws -> Bool
) throws {
    let _: Void = try eventually(what, within: limit) { try look() ? () : nil }
}

/// Looks again and again for a while, and throws as soon as something is not so.
func throughout(_ time: Duration, _ what: String, _ look: () throws -> Bool) throws {
    let end = ContinuousClock.now + time
    while ContinuousClock.now < end {
        guard try look() else { throw Overdue(what: what, limit: time) }
        usleep(5000)
    }
}

/// What a test waited for has not come.
struct Overdue: Error, CustomStringConvertible {
    var what: String
    var limit: Duration

    var description: String { "waited \(limit) for \(what)" }
}
