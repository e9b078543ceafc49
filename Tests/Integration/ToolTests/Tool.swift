// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import MediaTestSupport
import Testing

/// The program under test: `playhead`, built beside the tests.
enum Tool {
    /// Its path.
    static let path: String = {
        let manager = FileManager.default
        let tests = (try? manager.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? "."
        return URL(filePath: tests).deletingLastPathComponent().appending(path: "playhead").path
    }()

    /// No display, no sound server, no cache of the user's: a test that wants one names its own.
    static let bare: [String: String?] = [
        "DISPLAY": nil, "WAYLAND_DISPLAY": nil, "PULSE_SERVER": "unix:/nonexistent/pulse",
        "XDG_CACHE_HOME": cache.url.path,
    ]
    /// What is kept from run to run, by these tests alone.
    private static let cache = TemporaryFolder()

    /// Runs it to its end.
    static func run(
        _ arguments: String..., environment: [String: String?] = [:], in directory: URL? = nil,
        deadline: Duration = patience
    ) throws -> ProcessRunner.Result {
        try run(arguments, environment: environment, in: directory, deadline: deadline)
    }

    static func run(
        _ arguments: [String], environment: [String: String?] = [:], in directory: URL? = nil,
        deadline: Duration = patience
    ) throws -> ProcessRunner.Result {
        try ProcessRunner.run(
            [path] + arguments, environment: bare.merging(environment) { $1 }, directory: directory,
            deadline: deadline)
    }

    /// Starts it.
    static func start(
        _ arguments: [String], environment: [String: String?] = [:], in directory: URL? = nil
    ) throws -> ChildProcess {
        try ChildProcess(
            [path] + arguments, environment: bare.merging(environment) { $1 }, directory: directory)
    }
}

extension ProcessRunner.Result {
    /// What it wrote to standard error, line by line.
    var errorLines: [Substring] { standardError.split(separator: "\n") }

    /// Holds a run to have done what it was asked.
    func expectSuccess(at location: SourceLocation = #_sourceLocation) {
        #expect(status == 0, "\(standardError)", sourceLocation: location)
    }

    /// Holds an error to the contract: this status, nothing on standard output, and one line on
    /// standard error that says all of `words`.
    func expectError(
        _ status: Int32, saying words: [String], at location: SourceLocation = #_sourceLocation
    ) {
        #expect(self.status == status, "\(standardError)", sourceLocation: location)
        #expect(standardOutput.isEmpty, sourceLocation: location)
        #expect(errorLines.count == 1, "\(standardError)", sourceLocation: location)
        #expect(standardError.hasPrefix("playhead: "), sourceLocation: location)
        for word in words {
            #expect(standardError.contains(word), "no \(word)", sourceLocation: location)
        }
    }
}
