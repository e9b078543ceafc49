// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import MediaTestSupport
import PlayheadAssets
import Testing

/// The program in a window on its own display, used as by a user, with real key events and pixels.
///
/// The window is higher than the videos, so that text is shown in the bar above the video, and the
/// frame number can always be read.
///
/// - Concurrency: one thread.
/// - Ownership: the program and the display end with the object.
final class PlayerSession {
    static let width = 480
    static let height = 640
    /// The area of the video in the window.
    static let picture = FrameNumberStrip.Area(
        x: 0, y: Double(height - width * 9 / 16) / 2, width: Double(width),
        height: Double(width * 9 / 16))

    let display: XServer
    let program: ChildProcess
    /// The program's working folder.
    let folder = TemporaryFolder()
    /// The X identifier of the window.
    private(set) var window: String

    /// Starts the program and waits for its window.
    ///
    /// - Parameter starter: A program, with arguments, that executes its last arguments.
    init(
        _ arguments: String..., hasSize: Bool = true, environment: [String: String] = [:],
        by starter: [String] = []
    ) throws {
        display = try XServer()
        let size = hasSize ? ["--size", "\(Self.width)x\(Self.height)"] : []
        let program = try Tool.start(
            ["play", "--mute"] + size + arguments,
            environment: environment.merging(["DISPLAY": display.name]) { $1 },
            in: folder.url, by: starter)
        self.program = program
        let display = display
        window = try eventually("a window") {
            if program.hasEnded { throw Ended(words: program.standardError) }
            let name = try display.xdotool("search", "--onlyvisible", "--class", "playhead")
            return name.isEmpty ? nil : name
        }
        // Without a window manager, keys go to the window under the pointer.
        try display.xdotool("mousemove", "100", "60")
    }

    /// The program ended while it should play.
    struct Ended: Error {
        var words: String
    }

    /// Finds the window again, after it was replaced.
    func findWindow() throws {
        window = try eventually("a window") {
            let name = try display.xdotool("search", "--onlyvisible", "--class", "playhead")
            return name.isEmpty ? nil : name
        }
    }

    /// Presses keys, by their X names.
    func press(_ keys: String...) throws {
        for key in keys { try display.xdotool("key", key) }
    }

    /// Presses a key that shows text for a second, and waits for the text. Starts looking when the
    /// key is sent, since the text may be gone by the time the key is known to have arrived.
    func pressForWords(_ key: String) throws {
        let pressing = try ChildProcess(
            ["xdotool", "key", key], environment: ["DISPLAY": display.name])
        try eventually("text after \(key)") { try hasWords() }
        #expect(pressing.wait(patience) == 0)
    }

    /// Moves the pointer to a position in the window.
    func movePointer(_ x: Int, _ y: Int) throws {
        try display.xdotool("mousemove", "\(x)", "\(y)")
    }

    /// Presses and releases the left button.
    func click() throws { try display.xdotool("click", "1") }

    /// Drops files on the window, as a file manager does, and waits until they are taken.
    func drop(_ paths: String...) throws {
        try desktop("drop", paths.map { URL(filePath: $0).absoluteString })
    }

    /// Minimises the window, or restores it.
    func setMinimised(_ isMinimised: Bool) throws {
        try desktop(isMinimised ? "minimise" : "restore", [])
    }

    private func desktop(_ action: String, _ arguments: [String]) throws {
        let client = URL(filePath: Tool.path).deletingLastPathComponent().appending(path: "XClient")
        try ProcessRunner.check(
            [client.path, action, window] + arguments, environment: ["DISPLAY": display.name],
            deadline: patience)
    }

    /// Returns the window's contents on the screen.
    func shot() throws -> TestImage { try display.picture(width: Self.width, height: Self.height) }

    /// Returns the red, green and blue of a pixel.
    func pixel(_ x: Int, _ y: Int) throws -> SIMD3<UInt8> {
        try display.withScreen { bytes, bytesPerRow in
            let place = y * bytesPerRow + x * 4
            return SIMD3(bytes[place + 2], bytes[place + 1], bytes[place])
        }
    }

    /// Returns the number of the frame on the screen, or nil without one.
    func frameNumber() throws -> Int? { try display.frameNumber(in: Self.picture) }

    /// Waits until the screen shows a frame whose number satisfies a condition.
    @discardableResult
    func waitForFrame(
        _ what: String, within limit: Duration = patience, _ isRight: (Int) -> Bool
    ) throws -> Int {
        try eventually(what, within: limit) {
            try frameNumber().flatMap { isRight($0) ? $0 : nil }
        }
    }

    /// Returns the number of the frame at which the video is paused, once it is.
    func standingFrame() throws -> Int {
        try eventually("the video to pause") {
            guard try title().hasSuffix("(paused)"), let number = try frameNumber() else {
                return nil
            }
            // A frame may still be on its way to the screen when the title changes.
            _ = program.wait(.milliseconds(500))
            return try frameNumber() == number ? number : nil
        }
    }

    /// Returns whether there is text in the bar above the video. Text that disappears after a
    /// second must be seen on a slow machine too, so the look is brief.
    func hasWords() throws -> Bool {
        try display.withScreen { bytes, bytesPerRow in
            guard let screen = bytes.baseAddress else { return false }
            // Loops over ranges are slow in a debug build.
            var row = 0
            while row < Int(Self.picture.y) - 4 {
                var green = screen + row * bytesPerRow + 1
                let end = green + Self.width * 4
                while green < end {
                    if green.load(as: UInt8.self) > 200 { return true }
                    green += 4
                }
                row += 1
            }
            return false
        }
    }

    func title() throws -> String { try display.xdotool("getwindowname", window) }

    /// Returns the width and height of the window.
    func size() throws -> [Int] {
        let result = try ProcessRunner.run(
            ["xdotool", "getwindowgeometry", "--shell", window],
            environment: ["DISPLAY": display.name])
        return ["WIDTH=", "HEIGHT="].compactMap { name in
            result.text.split(separator: "\n").first { $0.hasPrefix(name) }
                .flatMap { Int($0.dropFirst(name.count)) }
        }
    }

    /// Returns the processor time that the program has used, in milliseconds.
    func processorTime() throws -> Int {
        let stat = try String(
            contentsOf: URL(filePath: "/proc/\(program.identifier)/stat"), encoding: .utf8)
        // Fields 14 and 15, in hundredths of a second; the second field may contain spaces.
        let fields = stat.split(separator: ")").last?.split(separator: " ") ?? []
        return [11, 12].compactMap { Int(fields[$0]) }.reduce(0, +) * 10
    }

    /// Presses `q`, and checks that the program succeeds.
    func quit(at location: SourceLocation = #_sourceLocation) throws {
        try press("q")
        let status = program.wait(patience)
        #expect(status == 0, "\(program.standardError)", sourceLocation: location)
    }
}
