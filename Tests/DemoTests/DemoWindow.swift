// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import MediaTestSupport

/// A demo in a window of an X server without a screen, driven by real keys and pointer events.
///
/// - Concurrency: one thread.
/// - Ownership: server and demo end with the object.
final class DemoWindow {
    static let isAvailable = ProcessRunner.has("Xvfb") && ProcessRunner.has("xdotool")

    private let server: ChildProcess
    private let demo: ChildProcess
    private let display: String
    private var window = ""

    /// Opens a demo's window and waits until it is there.
    init(_ name: String) throws {
        let server = try ChildProcess([
            "Xvfb", "-displayfd", "1", "-screen", "0", "1280x800x24", "-nolisten", "tcp",
            "-noreset", "+extension", "GLX",
        ])
        self.server = server
        display = try eventually("Xvfb to start") {
            let line = String(decoding: server.standardOutput, as: UTF8.self)
            return line.hasSuffix("\n") ? ":\(line.dropLast())" : nil
        }
        demo = try ChildProcess(
            [Demos.path(of: name)],
            environment: Demos.environment.merging(["DISPLAY": display]) { $1 },
            directory: Checkout.root)
        window = try eventually("a window of \(name)") {
            if demo.hasEnded { throw Ended(words: demo.standardError) }
            let found = try xdotool("search", "--onlyvisible", "--name", ".")
            return found.isEmpty ? nil : found
        }
    }

    struct Ended: Error {
        var words: String
    }

    /// Sends events, and asks about windows; gives the first line of what xdotool prints.
    @discardableResult
    private func xdotool(_ arguments: String...) throws -> String {
        let result = try ProcessRunner.run(
            ["xdotool"] + arguments, environment: ["DISPLAY": display])
        return String(result.text.prefix { $0 != "\n" })
    }

    /// Sends events as xdotool knows them, one after another.
    func send(_ events: [String]) throws {
        try ProcessRunner.check(["xdotool"] + events, environment: ["DISPLAY": display])
    }

    /// Waits until the title says something.
    func expect(title expected: String) throws {
        do {
            try eventually(expected) {
                try xdotool("getwindowname", window).contains(expected)
            }
        } catch {
            throw Overdue(what: "\(expected); the title is \(try xdotool("getwindowname", window))")
        }
    }

    /// Closes the window by `q`; gives the demo's status, nil where it does not end.
    func quit() throws -> Int32? {
        try xdotool("mousemove", "400", "300", "key", "q")
        return demo.wait(patience)
    }

    /// What the demo has written about what went wrong.
    var words: String { demo.standardError }

    deinit {
        demo.kill()
        server.kill()
    }
}
