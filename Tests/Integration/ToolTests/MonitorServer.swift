// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import MediaTestSupport
import PlayheadAssets
import Testing

/// An X server with two monitors, of which the second can be plugged in and unplugged: Xorg with
/// the dummy driver, whose outputs count as connected as soon as they have a mode.
///
/// Xvfb has only one output, which is always connected.
///
/// - Concurrency: one thread.
/// - Ownership: the server ends with the object.
final class MonitorServer {
    static let absence: Comment = """
        needs an X server with monitors that come and go (apt install xserver-xorg-core \
        xserver-xorg-video-dummy x11-xserver-utils)
        """
    static let isAvailable =
        [program, "/usr/lib/xorg/modules/drivers/dummy_drv.so"].allSatisfy {
            FileManager.default.fileExists(atPath: $0)
        } && ProcessRunner.has("xrandr") && ProcessRunner.has("xdotool")
    private static let program = "/usr/lib/xorg/Xorg"

    /// The sizes of the monitors, side by side; their refresh rates differ.
    static let first = (width: 1024, height: 768)
    static let second = (width: 800, height: 600)

    /// The value for `DISPLAY`.
    let name: String
    private let folder = TemporaryFolder()
    private let process: ChildProcess
    private(set) var hasSecond = false

    /// Starts the server with one monitor.
    init() throws {
        let configuration = folder.appending("xorg.conf")
        try Data(Self.configuration.utf8).write(to: configuration)
        let process = try ChildProcess([
            Self.program, "-displayfd", "1", "-config", configuration.path, "-logfile",
            folder.appending("log").path, "-noreset", "-nolisten", "tcp",
        ])
        self.process = process
        name = try eventually("Xorg to start") {
            if process.hasEnded { throw Ended(words: process.standardError) }
            let line = String(decoding: process.standardOutput, as: UTF8.self)
            return line.hasSuffix("\n") ? ":\(line.dropLast())" : nil
        }
        try xrandr(["--output", "DUMMY0", "--mode", "1024x768"])
        // 30.72 MHz for 1024 x 625 pixels, blanking included, is 48 Hz.
        let timing = "30.72 800 824 896 1024 600 601 603 625".split(separator: " ")
        try xrandr(["--newmode", "slow"] + timing.map { String($0) })
        try xrandr(["--addmode", "DUMMY1", "slow"])
    }

    struct Ended: Error {
        var words: String
    }

    private static let configuration = """
        Section "ServerFlags"
            Option "AutoAddDevices" "false"
            Option "AutoAddGPU" "false"
            Option "DontVTSwitch" "true"
        EndSection
        Section "Device"
            Identifier "dummy"
            Driver "dummy"
            VideoRam 65536
        EndSection
        Section "Screen"
            Identifier "screen"
            Device "dummy"
            DefaultDepth 24
            SubSection "Display"
                Depth 24
                Virtual 2048 768
            EndSubSection
        EndSection

        """

    // MARK: The second monitor

    func plugIn() throws {
        try xrandr(["--output", "DUMMY1", "--mode", "slow", "--right-of", "DUMMY0"])
        try look()
        hasSecond = true
    }

    func unplug() throws {
        try xrandr(["--output", "DUMMY1", "--off"])
        try look()
        hasSecond = false
    }

    /// Makes the server query its outputs, since the driver sends no events to it.
    private func look() throws { try xrandr(["--query"]) }

    private func xrandr(_ arguments: [String]) throws {
        try ProcessRunner.check(
            ["xrandr"] + arguments, environment: ["DISPLAY": name], deadline: patience)
    }

    // MARK: Keys and images

    /// Sends real key and pointer events, or queries windows; returns the output of xdotool.
    @discardableResult
    func xdotool(_ arguments: String...) throws -> String {
        try ProcessRunner.run(["xdotool"] + arguments, environment: ["DISPLAY": name]).text
    }

    /// Returns the number of the frame in a part of the screen, or nil without one.
    func frameNumber(in part: FrameNumberStrip.Area) throws -> Int? {
        let file = folder.appending("screen")
        let client = URL(filePath: Tool.path).deletingLastPathComponent().appending(path: "XClient")
        try ProcessRunner.check(
            [client.path, "picture", file.path], environment: ["DISPLAY": name],
            deadline: patience)
        let bytes = [UInt8](try Data(contentsOf: file))
        let width = Self.first.width + (hasSecond ? Self.second.width : 0)
        guard bytes.count == width * Self.first.height * 4 else { return nil }
        // Black and white are equal in any byte order.
        return bytes.withUnsafeBytes {
            FrameNumberStrip.read(
                fromRGBA: $0, width: width, height: Self.first.height, picture: part,
                sourceWidth: Films.width, sourceHeight: Films.height)
        }
    }

    deinit { process.kill() }
}
