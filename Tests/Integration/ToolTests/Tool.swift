// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
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

    /// No display, audio server or cache of the user: a test that needs one sets its own.
    static let bare: [String: String?] = [
        "DISPLAY": nil, "WAYLAND_DISPLAY": nil, "PULSE_SERVER": "unix:/nonexistent/pulse",
        "XDG_CACHE_HOME": cache.url.path,
    ]
    /// A cache that is kept from run to run, only by these tests.
    private static let cache = TemporaryFolder()

    /// A Boolean value that indicates whether GLFW can open windows of Wayland.
    static let hasWayland: Bool = {
        let library = dlopen("libglfw.so.3", RTLD_LAZY)
        defer { library.map { _ = dlclose($0) } }
        guard let function = dlsym(library, "glfwPlatformSupported") else { return false }
        typealias Query = @convention(c) (CInt) -> CInt
        return unsafeBitCast(function, to: Query.self)(0x0006_0003) != 0
    }()

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

    /// Starts it, as the last arguments of another program if there is one.
    static func start(
        _ arguments: [String], environment: [String: String?] = [:], in directory: URL? = nil,
        by program: [String] = []
    ) throws -> ChildProcess {
        try ChildProcess(
            program + [path] + arguments, environment: bare.merging(environment) { $1 },
            directory: directory)
    }
}

/// Repeats a run in real time, which a busy machine may disturb, until it was not disturbed.
///
/// - Parameter body: Returns what was wrong; nil if nothing was.
func undisturbed(
    at location: SourceLocation = #_sourceLocation, _ body: () throws -> String?
) rethrows {
    for attempt in 1...5 {
        guard let fault = try body() else { return }
        #expect(attempt < 5, "\(fault)", sourceLocation: location)
    }
}

extension ProcessRunner.Result {
    /// The lines that it wrote to standard error.
    var errorLines: [Substring] { standardError.split(separator: "\n") }

    /// Checks that a run succeeded.
    func expectSuccess(at location: SourceLocation = #_sourceLocation) {
        #expect(status == 0, "\(standardError)", sourceLocation: location)
    }

    /// Checks an error against the contract: this status, nothing on standard output, and one line
    /// on standard error that contains all of `words`.
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
