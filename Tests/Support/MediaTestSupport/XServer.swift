// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// An X server without a screen, for one test. The screen is read from the server's framebuffer
/// file, so reading it costs almost nothing.
///
/// - Concurrency: any thread.
/// - Ownership: the server ends with the object.
public final class XServer: Sendable {
    public static let isAvailable = ProcessRunner.has("Xvfb") && ProcessRunner.has("xdotool")
    public static let width = 1280
    public static let height = 720

    /// The value of `DISPLAY`.
    public let name: String
    private let folder = TemporaryFolder()
    private let process: ChildProcess

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - height: The height of the screen.
    ///   - extensions: Additional arguments.
    public init(
        height: Int = XServer.height, extensions: [String] = ["+extension", "GLX"]
    ) throws {
        let process = try ChildProcess(
            [
                "Xvfb", "-displayfd", "1", "-screen", "0", "\(Self.width)x\(height)x24",
                "-nolisten", "tcp", "-noreset", "-fbdir", folder.url.path,
            ] + extensions)
        self.process = process
        name = try eventually("Xvfb to start") {
            let line = String(decoding: process.standardOutput, as: UTF8.self)
            return line.hasSuffix("\n") ? ":\(line.dropLast())" : nil
        }
    }

    /// Sends real key and pointer events, or queries windows, with xdotool. Returns the first line
    /// of its output.
    @discardableResult
    public func xdotool(_ arguments: String...) throws -> String { try xdotool(arguments) }

    /// Sends real key and pointer events, or queries windows, with xdotool. Returns the first line
    /// of its output.
    @discardableResult
    public func xdotool(_ arguments: [String]) throws -> String {
        let result = try ProcessRunner.run(["xdotool"] + arguments, environment: ["DISPLAY": name])
        return String(result.text.drop { $0 == "\n" }.prefix { $0 != "\n" })
    }

    /// Sets the size of the screen, which cannot be larger than at the start. Needs xrandr.
    public func resize(width: Int, height: Int) throws {
        let mode = "\(width)x\(height)"
        func xrandr(_ arguments: String...) throws {
            try ProcessRunner.check(
                ["xrandr"] + arguments, environment: ["DISPLAY": name], deadline: patience)
        }
        if (width, height) != (Self.width, Self.height) {
            // The timing has no effect: 60 Hz without blanking.
            let timing = [width, width, width, width, height, height, height, height]
            let clock = Double(width * height * 60) / 1e6
            try ProcessRunner.check(
                ["xrandr", "--newmode", mode, "\(clock)"] + timing.map { "\($0)" },
                environment: ["DISPLAY": name], deadline: patience)
            try xrandr("--addmode", "screen", mode)
        }
        try xrandr("--output", "screen", "--mode", mode)
    }

    /// Returns a part of the screen, from the upper left corner.
    public func picture(width: Int = XServer.width, height: Int = XServer.height) throws
        -> TestImage
    {
        var pixels = [UInt8](repeating: 255, count: width * height * 4)
        try withScreen { screen, bytesPerRow in
            pixels.withUnsafeMutableBufferPointer { pixels in
                guard let screen = screen.baseAddress, var target = pixels.baseAddress else {
                    return
                }
                // Loops over ranges are slow in a debug build.
                var row = 0
                while row < height {
                    var source = (screen + row * bytesPerRow).assumingMemoryBound(to: UInt8.self)
                    let end = target + width * 4
                    while target < end {
                        target[0] = source[2]
                        target[1] = source[1]
                        target[2] = source[0]
                        source += 4
                        target += 4
                    }
                    row += 1
                }
            }
        }
        return TestImage(width: width, height: height, pixels: pixels)
    }

    /// Calls a function with all pixels of the screen, blue, green, red and an unused byte, and the
    /// number of bytes in a row. They change while the function reads them.
    public func withScreen<Result>(
        _ body: (_ bytes: UnsafeRawBufferPointer, _ bytesPerRow: Int) throws -> Result
    ) throws -> Result {
        // An XWD file: a header of big-endian words, a colour table, then the pixels. Words 0, 12
        // and 19 are the sizes of the header, a row and the table. See X11/XWDFile.h.
        let file = try Data(contentsOf: folder.appending("Xvfb_screen0"), options: .alwaysMapped)
        func word(_ index: Int) -> Int {
            file[(index * 4)..<(index * 4 + 4)].reduce(0) { $0 << 8 | Int($1) }
        }
        let start = word(0) + word(19) * 12
        let bytesPerRow = word(12)
        return try file.withUnsafeBytes { bytes in
            try body(UnsafeRawBufferPointer(rebasing: bytes[start...]), bytesPerRow)
        }
    }
}
