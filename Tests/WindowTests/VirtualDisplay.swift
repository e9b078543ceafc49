// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// An X server without a screen, for one test; and the programs that the test runs on it.
final class VirtualDisplay {
    /// Whether what the tests need is installed; the reason that tests skip with otherwise.
    static let isAvailable = ["Xvfb", "xdotool"].allSatisfy { find($0) != nil }
    static let reason: Comment = "needs Xvfb and xdotool (apt: xvfb xdotool)"

    let name: String
    private let server = Process()

    /// Starts a server on a display number that it finds itself.
    init(extensions: [String] = ["+extension", "GLX"]) throws {
        let numbers = Pipe()
        server.executableURL = Self.find("Xvfb")
        server.arguments =
            ["-displayfd", "1", "-screen", "0", "1280x720x24", "-nolisten", "tcp"] + extensions
        server.standardOutput = numbers
        server.standardError = FileHandle.nullDevice
        try server.run()
        var lines = LineReader(numbers.fileHandleForReading)
        guard let number = lines.next() else { throw CocoaError(.fileReadUnknown) }
        name = ":\(number)"
    }

    deinit {
        server.terminate()
        server.waitUntilExit()
    }

    static func find(_ program: String) -> URL? {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin"
        return path.split(separator: ":")
            .map { URL(fileURLWithPath: String($0)).appendingPathComponent(program) }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }

    /// Sends real key and pointer events.
    func xdotool(_ arguments: String...) throws {
        let process = Process()
        process.executableURL = Self.find("xdotool")
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(["DISPLAY": name]) { $1 }
        try process.run()
        process.waitUntilExit()
    }
}

/// The test host under way: its answers arrive line by line.
final class Host {
    private let process = Process()
    private let input = Pipe()
    private var lines: LineReader

    /// Starts a scenario; with no display, it gets none.
    init(_ scenario: String..., on display: VirtualDisplay?) throws {
        let output = Pipe()
        // Built beside the tests.
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appendingPathComponent("WindowTestHost")
        process.arguments = scenario
        var environment = ProcessInfo.processInfo.environment
        environment["DISPLAY"] = display?.name
        environment["WAYLAND_DISPLAY"] = nil
        process.environment = environment
        process.standardOutput = output
        process.standardInput = input
        try process.run()
        lines = LineReader(output.fileHandleForReading)
    }

    deinit {
        if process.isRunning { process.terminate() }
    }

    /// The value of the next line of that name; nil if the host ends without one.
    func next(_ name: String) -> String? {
        while let line = lines.next() {
            if line.hasPrefix("\(name)=") { return String(line.dropFirst(name.utf8.count + 1)) }
        }
        return nil
    }

    /// All that the host says until it ends.
    func values() -> [String: String] {
        var values: [String: String] = [:]
        while let line = lines.next() {
            let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 { values[String(parts[0])] = String(parts[1]) }
        }
        return values
    }

    /// Lets the host go on where it waits for that.
    func proceed() { input.fileHandleForWriting.write(Data("\n".utf8)) }

    func exitStatus() -> Int32 {
        process.waitUntilExit()
        return process.terminationStatus
    }
}

/// Reads a pipe line by line, waiting for each.
struct LineReader: IteratorProtocol {
    private let file: FileHandle
    private var pending = Data()

    init(_ file: FileHandle) { self.file = file }

    mutating func next() -> String? {
        while true {
            if let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
                defer { pending = Data(pending[(end + 1)...]) }
                return String(decoding: pending[..<end], as: UTF8.self)
            }
            let chunk = file.availableData
            if chunk.isEmpty { return nil }
            pending += chunk
        }
    }
}
