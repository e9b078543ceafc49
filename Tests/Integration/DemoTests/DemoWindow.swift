// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import MediaTestSupport

/// A demo in a window of an X server without a screen, driven by real keys and pointer events, and
/// looked at in the server's framebuffer.
///
/// - Concurrency: one thread.
/// - Ownership: server and demo end with the object.
final class DemoWindow {
    private let server: XServer
    private let demo: ChildProcess
    private let name: String
    private let window: String

    /// Opens a demo's window and waits until it is there.
    init(_ name: String, _ arguments: [String] = []) throws {
        let server = try XServer()
        let demo = try ChildProcess(
            [Demos.path(of: name)] + arguments,
            environment: Demos.environment.merging(["DISPLAY": server.name]) { $1 },
            directory: Checkout.root)
        (self.server, self.demo, self.name) = (server, demo, name)
        window = try eventually("a window of \(name)") {
            if demo.hasEnded { throw Ended(words: demo.standardError) }
            let found = try server.xdotool("search", "--onlyvisible", "--name", ".")
            return found.isEmpty ? nil : found
        }
        // Some have to get ready first.
        try eventually("\(name) to be ready") {
            try !server.xdotool("getwindowname", window).hasSuffix("…")
        }
    }

    struct Ended: Error {
        var words: String
    }

    /// Sends events as xdotool knows them, one after another.
    func send(_ events: [String]) throws { try server.xdotool(events) }

    /// Waits until the title says something.
    func expect(title expected: String) throws {
        do {
            try eventually(expected) {
                try server.xdotool("getwindowname", window).contains(expected)
            }
        } catch {
            let title = try server.xdotool("getwindowname", window)
            throw Overdue(what: "\(expected); the title is \(title)")
        }
    }

    // MARK: Pictures

    /// Waits until the window shows what it showed when it was looked at.
    ///
    /// - Parameter hidden: parts that are never the same twice.
    func expect(
        picture golden: GoldenImage, hiding hidden: [(x: Range<Int>, y: Range<Int>)] = []
    ) throws {
        let size = try size()
        func look() throws -> TestImage {
            let picture = try server.picture(width: size.width, height: size.height)
            // What is in the repository for long had better be small.
            return hidden.reduce(picture) { $0.hiding(x: $1.x, y: $1.y) }.reduced(by: 3)
        }
        if GoldenImage.areUpdated { return try golden.compare(try steadyPicture(look)) }
        if let expected = try? golden.expected() {
            let hasCome = try? eventually("\(name) to show \(golden.name)") {
                golden.accepts(try look(), expected: expected) ? true : nil
            }
            if hasCome == true { return }
        }
        // Tells what is wrong, and leaves pictures.
        try golden.compare(try look())
    }

    /// What is seen once nothing moves any more.
    private func steadyPicture(_ look: () throws -> TestImage) throws -> TestImage {
        var last = try look()
        var since = ContinuousClock.now
        return try eventually("\(name) to stand still") {
            let next = try look()
            if next != last { (last, since) = (next, .now) }
            return since.duration(to: .now) > .seconds(4) ? last : nil
        }
    }

    private func size() throws -> (width: Int, height: Int) {
        let result = try ProcessRunner.run(
            ["xdotool", "getwindowgeometry", "--shell", window],
            environment: ["DISPLAY": server.name])
        func number(_ name: String) -> Int {
            result.text.split(separator: "\n").first { $0.hasPrefix(name) }
                .flatMap { Int($0.dropFirst(name.count)) } ?? 0
        }
        return (number("WIDTH="), number("HEIGHT="))
    }

    // MARK: The end

    /// Closes the window by `q`; gives the demo's status, nil where it does not end.
    func quit() throws -> Int32? {
        try server.xdotool("mousemove", "400", "300", "key", "q")
        return demo.wait(patience)
    }

    /// What the demo has written about what went wrong.
    var words: String { demo.standardError }

    deinit { demo.kill() }
}
