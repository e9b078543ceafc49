// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import MediaTestSupport

/// The demos, built beside the tests.
enum Demos {
    private static let folder: URL = {
        let manager = FileManager.default
        let tests = (try? manager.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? "."
        return URL(filePath: tests).deletingLastPathComponent()
    }()

    static func path(of name: String) -> String { folder.appending(path: name).path }

    /// No sound server, no display but what a test has.
    static let environment: [String: String?] = [
        "DISPLAY": nil, "WAYLAND_DISPLAY": nil, "PULSE_SERVER": "unix:/nonexistent/pulse",
    ]
}

/// The same once more until it gives something.
///
/// - Throws: what it throws, or that it took longer than half a minute.
func eventually<Value>(_ what: String, _ body: () throws -> Value?) throws -> Value {
    let deadline = ContinuousClock.now + .seconds(40)
    while ContinuousClock.now < deadline {
        if let value = try body() { return value }
        usleep(30_000)
    }
    throw TimeOut(what: what)
}

struct TimeOut: Error, CustomStringConvertible {
    var what: String
    var description: String { "waited in vain for \(what)" }
}
