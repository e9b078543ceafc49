// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadUI
import PulseTestSupport

/// The program in a window on its own display and with its own audio server, driven by real key and
/// pointer events, with its control socket held open.
///
/// - Concurrency: one thread.
/// - Ownership: program, display and servers end with the object.
final class SessionPlayer {
    /// The longest wait for a program that answers at once on an idle machine.
    static let patience = Duration.seconds(40)
    /// The size of the window: a video of 16:9 lies across its middle, with text above and controls
    /// beneath.
    static let size = (width: 480, height: 640)
    /// The area of the video in the window.
    static let picture = FrameNumberStrip.Area(x: 0, y: 185, width: 480, height: 270)
    /// The vertical position of the scrubber, and that of the buttons.
    static let scrubber = 592
    static let buttons = 557

    let display: XServer
    let program: ChildProcess
    let socket: PlayerSocket
    let folder: TemporaryFolder
    private let sound: PulseServer?
    private(set) var window: String

    init(_ film: String) throws {
        let folder = TemporaryFolder()
        self.folder = folder
        display = try XServer(isLasting: true)
        sound = PulseServer.isInstalled ? try PulseServer() : nil
        let path = folder.appending("socket").path
        let environment: [String: String?] = [
            "DISPLAY": display.display, "WAYLAND_DISPLAY": nil,
            "PULSE_SERVER": sound?.address ?? "unix:/nonexistent", "PLAYHEAD_GL_DEBUG": "1",
            "XDG_STATE_HOME": folder.appending("state").path,
            "XDG_CACHE_HOME": folder.appending("cache").path,
            "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent",
        ]
        let shots = folder.appending("shots")
        try FileManager.default.createDirectory(at: shots, withIntermediateDirectories: true)
        let program = try ChildProcess(
            [
                try Tool.path(), "play", film, "--no-config", "--ipc", path, "--size",
                "\(Self.size.width)x\(Self.size.height)",
            ], environment: environment, directory: shots)
        self.program = program
        socket = try eventually("the player's socket", within: Self.patience) {
            if program.hasEnded { throw CannotProve("the player ended: \(program.standardError)") }
            return PlayerSocket(path: path)
        }
        window = ""
        window = try eventually("the player's window", within: Self.patience) {
            let name = try xdotool("search", "--onlyvisible", "--class", "playhead")
            return name.isEmpty ? nil : name
        }
        // Without a window manager, keys go to the window under the pointer.
        try xdotool("mousemove", "100", "60")
    }

    /// Screenshots that were taken, in the working folder of the program.
    var screenshots: [URL] {
        let files = try? FileManager.default.contentsOfDirectory(
            at: folder.appending("shots"), includingPropertiesForKeys: nil)
        return files ?? []
    }

    // MARK: Input

    @discardableResult
    func xdotool(_ arguments: String...) throws -> String {
        let result = try ProcessRunner.run(
            ["xdotool"] + arguments, environment: ["DISPLAY": display.display])
        return String(result.text.drop { $0 == "\n" }.prefix { $0 != "\n" })
    }

    /// Presses keys, by their X names.
    func press(_ keys: String...) throws {
        for key in keys { try xdotool("key", "--clearmodifiers", key) }
    }

    func movePointer(_ x: Int, _ y: Int) throws { try xdotool("mousemove", "\(x)", "\(y)") }

    /// Drops files on the window, as a file manager does.
    func drop(_ paths: String...) throws {
        try desktop("drop", paths.map { URL(filePath: $0).absoluteString })
    }

    /// Performs a desktop's action: `minimise`, `restore`.
    func desktop(_ action: String, _ arguments: [String] = []) throws {
        let client = URL(filePath: try Tool.path()).deletingLastPathComponent()
            .appending(path: "XClient")
        try ProcessRunner.check(
            [client.path, action, window] + arguments,
            environment: ["DISPLAY": display.display])
    }

    // MARK: Observation

    /// Returns a numeric property; nil if it has no value now.
    func number(_ property: String) throws -> Double? {
        do {
            return (try socket.request("get_property", property) as? NSNumber)?.doubleValue
        } catch let refusal as PlayerSocket.Refusal
            where refusal.answer.hasPrefix("property unavailable")
        {
            return nil
        }
    }

    func text(_ property: String) throws -> String? {
        do {
            return try socket.request("get_property_string", property) as? String
        } catch let refusal as PlayerSocket.Refusal
            where refusal.answer.hasPrefix("property unavailable")
        {
            return nil
        }
    }

    func flag(_ property: String) throws -> Bool { try text(property) == "yes" }

    func set(_ property: String, _ value: Any) throws {
        try socket.request("set_property", property, value)
    }

    /// Waits until a condition holds.
    func wait(_ what: String, _ look: () throws -> Bool) throws {
        try eventually(what, within: Self.patience) {
            if program.hasEnded {
                throw CannotProve("the player ended: \(program.standardError)")
            }
            return try look()
        }
    }

    /// Returns the number of the frame on the screen; nil if none can be read.
    func frameNumber() -> Int? {
        FrameNumberStrip.read(
            fromRGBA: display.pixels, width: XServer.width, height: XServer.height,
            bytesPerRow: display.bytesPerRow, picture: Self.picture,
            sourceWidth: SessionMedia.width, sourceHeight: SessionMedia.height)
    }

    /// Returns the width and height of the window.
    func windowSize() throws -> [Int] {
        let result = try ProcessRunner.run(
            ["xdotool", "getwindowgeometry", "--shell", window],
            environment: ["DISPLAY": display.display])
        return ["WIDTH=", "HEIGHT="].compactMap { name in
            result.text.split(separator: "\n").first { $0.hasPrefix(name) }
                .flatMap { Int($0.dropFirst(name.count)) }
        }
    }

    /// The resources that the program uses.
    var resources: Resources { Resources(ofProcess: "\(program.identifier)") }

    /// Returns the number of OpenGL objects that the program has.
    func objectCount() throws -> Int {
        // The first request asks the render thread, which has answered by the second.
        _ = try number("gl-objects")
        usleep(200_000)
        return Int(try number("gl-objects") ?? 0)
    }
}
