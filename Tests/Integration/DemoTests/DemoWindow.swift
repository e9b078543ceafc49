// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import MediaTestSupport

/// A demo in a window of an X server without a screen, driven by real key and pointer events. Its
/// frames are read from the server's framebuffer.
///
/// - Concurrency: one thread.
/// - Ownership: server and demo end with the object.
final class DemoWindow {
    private let server: XServer
    private let demo: ChildProcess
    private let name: String
    private let window: String

    /// Opens a demo's window and waits for it.
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
        // Some demos are not ready at once.
        try eventually("\(name) to be ready") {
            try !server.xdotool("getwindowname", window).hasSuffix("…")
        }
    }

    struct Ended: Error {
        var words: String
    }

    /// Sends events in the syntax of xdotool, one after another.
    func send(_ events: [String]) throws { try server.xdotool(events) }

    /// Waits until the title contains a text.
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

    // MARK: Images

    /// Waits until the window matches the golden image.
    ///
    /// - Parameter hidden: parts that differ in each run.
    func expect(
        picture golden: GoldenImage, hiding hidden: [(x: Range<Int>, y: Range<Int>)] = []
    ) throws {
        let size = try size()
        func look() throws -> TestImage {
            let picture = try server.picture(width: size.width, height: size.height)
            // Reduced, to keep the repository small.
            return hidden.reduce(picture) { $0.hiding(x: $1.x, y: $1.y) }.reduced(by: 3)
        }
        if GoldenImage.areUpdated { return try golden.compare(try steadyPicture(look)) }
        if let expected = try? golden.expected() {
            let hasCome = try? eventually("\(name) to show the image \(golden.name)") {
                golden.accepts(try look(), expected: expected) ? true : nil
            }
            if hasCome == true { return }
        }
        // Reports the difference, and writes images.
        try golden.compare(try look())
    }

    /// Returns the image once nothing moves any more.
    private func steadyPicture(_ look: () throws -> TestImage) throws -> TestImage {
        var last = try look()
        var since = ContinuousClock.now
        return try eventually("a still image of \(name)") {
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

    /// Closes the window with `q`; returns the demo's status, or nil if it does not end.
    func quit() throws -> Int32? {
        try server.xdotool("mousemove", "400", "300", "key", "q")
        return demo.wait(patience)
    }

    /// The errors that the demo has written.
    var words: String { demo.standardError }

    deinit { demo.kill() }
}
