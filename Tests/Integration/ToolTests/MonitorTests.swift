// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import MediaTestSupport
import PlayheadAssets
import Testing

/// Videos on monitors that are plugged in and unplugged.
@Suite(
    "Monitor changes", .serialized,
    .enabled(if: MonitorServer.isAvailable, MonitorServer.absence),
    .enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"), .timeLimit(.minutes(20)))
struct MonitorTests {
    private let server: MonitorServer
    private let folder = TemporaryFolder()

    init() throws {
        server = try MonitorServer()
        try server.plugIn()
    }

    // MARK: The position of the video

    /// Returns the largest video area in a part of the desktop.
    private static func fitted(
        x: Int, y: Int, width: Int, height: Int
    ) -> FrameNumberStrip.Area {
        let shape = Double(Films.width) / Double(Films.height)
        let size = (
            width: min(Double(width), Double(height) * shape),
            height: min(Double(height), Double(width) / shape)
        )
        return FrameNumberStrip.Area(
            x: Double(x) + (Double(width) - size.width) / 2,
            y: Double(y) + (Double(height) - size.height) / 2, width: size.width,
            height: size.height)
    }

    private static let window = fitted(x: 0, y: 0, width: 480, height: 640)
    private static let secondMonitor = fitted(
        x: MonitorServer.first.width, y: 0, width: MonitorServer.second.width,
        height: MonitorServer.second.height)

    private func play(_ arguments: String...) throws -> ChildProcess {
        // Slowly, so that a slow machine does not reach the end.
        let program = try Tool.start(
            ["play", "--mute", "--speed", "0.25", try Films.silent(seconds: 60)] + arguments,
            environment: ["DISPLAY": server.name, "XDG_STATE_HOME": folder.url.path])
        try eventually("a window") {
            if program.hasEnded { throw MonitorServer.Ended(words: program.standardError) }
            return try !windows().isEmpty
        }
        try server.xdotool("mousemove", "100", "60")
        return program
    }

    private func windows() throws -> [Substring] {
        try server.xdotool("search", "--onlyvisible", "--class", "playhead").split(separator: "\n")
    }

    private func geometry() throws -> [Int] {
        guard let window = try windows().first else { return [] }
        let text = try server.xdotool("getwindowgeometry", "--shell", String(window))
        return ["X=", "Y=", "WIDTH=", "HEIGHT="].compactMap { name in
            text.split(separator: "\n").first { $0.hasPrefix(name) }
                .flatMap { Int($0.dropFirst(name.count)) }
        }
    }

    /// Waits until a part of the desktop shows frames, each later than the one before.
    @discardableResult
    private func expectMotion(_ what: String, in part: FrameNumberStrip.Area) throws -> Int {
        let first = try eventually(what) { try server.frameNumber(in: part) }
        return try eventually("\(what), going on") {
            try server.frameNumber(in: part).flatMap { $0 > first + 5 ? $0 : nil }
        }
    }

    private func quit(_ program: ChildProcess) throws {
        try server.xdotool("mousemove", "100", "60", "key", "q")
        #expect(program.wait(patience) == 0, "\(program.standardError)")
    }

    // MARK: Tests

    @Test func `the video moves to the second monitor, and back when that is unplugged`() throws {
        let program = try play("--size", "480x640")
        let start = try expectMotion("the video in its window", in: Self.window)
        try server.xdotool("key", "ctrl+f")
        let there = try expectMotion("the video on the other monitor", in: Self.secondMonitor)
        #expect(there > start)
        #expect(try windows().count == 2)

        try server.unplug()
        try eventually("the window alone") { try windows().count == 1 }
        let home = try expectMotion("the video in its window again", in: Self.window)
        #expect(home > there)

        try server.plugIn()
        let again = try expectMotion("the video on the monitor again", in: Self.secondMonitor)
        #expect(again > home)
        // A window that the user has moved home stays there, whatever is plugged in.
        try server.xdotool("mousemove", "100", "60", "key", "ctrl+f")
        try eventually("the window alone again") { try windows().count == 1 }
        try server.unplug()
        try server.plugIn()
        try expectMotion("the video at home", in: Self.window)
        #expect(try windows().count == 1)
        try quit(program)
    }

    @Test func `a paused video returns as soon as its monitor is unplugged`() throws {
        let program = try play("--size", "480x640", "--output-monitor", "1")
        try expectMotion("the video on the other monitor", in: Self.secondMonitor)
        try server.xdotool("key", "space")
        try eventually("the pause") {
            try !server.xdotool("search", "--name", "\\(paused\\)$").isEmpty
        }
        let frame = try eventually("it to pause") {
            let number = try server.frameNumber(in: Self.secondMonitor)
            _ = program.wait(.milliseconds(300))
            return try server.frameNumber(in: Self.secondMonitor) == number ? number : nil
        }
        try server.unplug()
        try eventually("the window alone") { try windows().count == 1 }
        try eventually("the frame in it") { try server.frameNumber(in: Self.window) == frame }
        try quit(program)
    }

    @Test func `a window on an unplugged monitor moves to the remaining one`() throws {
        let program = try play("--size", "480x640", "--monitor", "1")
        try expectMotion("the video over the other monitor", in: Self.secondMonitor)
        try server.unplug()
        try eventually("its window on the one that is left") {
            let place = try geometry()
            return place.count == 4 && place[2...] == [480, 640] && place[0] < 1024
        }
        let place = try geometry()
        try expectMotion(
            "the video in it",
            in: Self.fitted(x: place[0], y: place[1], width: 480, height: 640))
        try server.xdotool("mousemove", "\(place[0] + 100)", "\(place[1] + 60)", "key", "q")
        #expect(program.wait(patience) == 0, "\(program.standardError)")
    }

    @Test func `a window opens on the monitor of the last one if it is connected`() throws {
        var program = try play("--size", "480x560")
        try expectMotion(
            "the video on the first monitor", in: Self.fitted(x: 0, y: 0, width: 480, height: 560))
        let window = try #require(try windows().first)
        try server.xdotool("windowmove", String(window), "1100", "20")
        try eventually("the window on the other monitor") { try geometry().first == 1100 }
        try server.xdotool("mousemove", "1200", "60", "key", "q")
        #expect(program.wait(patience) == 0, "\(program.standardError)")

        program = try play("--size", "480x560")
        // In the middle of the monitor.
        try eventually("a window there") { try geometry().first == 1024 + (800 - 480) / 2 }
        try server.xdotool("mousemove", "1400", "60", "key", "q")
        #expect(program.wait(patience) == 0, "\(program.standardError)")

        try server.unplug()
        program = try play("--size", "480x560")
        try expectMotion(
            "the video on the monitor that is left",
            in: Self.fitted(x: 0, y: 0, width: 480, height: 560))
        try quit(program)
    }

    @Test func `monitors are listed with their refresh rates`() throws {
        let text = try Tool.run("doctor", environment: ["DISPLAY": server.name]).text
        #expect(text.contains("DUMMY0") && text.contains("60 Hz"), "\(text)")
        #expect(text.contains("DUMMY1") && text.contains("48 Hz"), "\(text)")
    }
}
