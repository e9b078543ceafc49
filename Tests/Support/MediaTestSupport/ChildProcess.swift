// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
public import Glibc
import PlayheadThreads

/// A program that a test runs: a tool under test, an encoder, an audio server.
///
/// It has a process group of its own, its output goes to files, so that it never waits for a
/// reader, and it is killed with this object.
///
/// - Concurrency: any thread.
/// - Corresponds to: `posix_spawn`, `waitpid`.
public final class ChildProcess: Sendable {
    /// Writes to the program's standard input; false once it reads no more.
    public typealias Input = @Sendable (_ write: (UnsafeRawBufferPointer) -> Bool) -> Void

    /// The identifier of its process and its process group.
    public let identifier: pid_t
    private let output: CaptureFile
    private let errors: CaptureFile
    private let status = Monitor<Int32?>(nil)

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - arguments: The program, by path or by name in `PATH`, and its arguments.
    ///   - environment: The variables that differ from this process; nil values are unset.
    ///   - directory: The working folder; nil for that of this process.
    ///   - input: Writes the standard input, on a thread of its own; nil for no input.
    /// - Throws: `Failure` if the program cannot be started.
    public init(
        _ arguments: [String], environment: [String: String?] = [:], directory: URL? = nil,
        input: Input? = nil
    ) throws(Failure) {
        precondition(!arguments.isEmpty, "a process needs a program")
        output = try CaptureFile(for: arguments)
        errors = try CaptureFile(for: arguments)

        // A socket, since `send` has an option to suppress SIGPIPE.
        var ends: [Int32] = [-1, -1]
        if input != nil {
            socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends)
        }
        var variables = ProcessInfo.processInfo.environment
        for (name, value) in environment { variables[name] = value }
        // Swift cannot call the function that changes the folder of the new process, so `env` does
        // it.
        let chdir = directory.map { ["env", "--chdir=\($0.path)"] } ?? []
        let (identifier, result) = Self.spawn(
            chdir + arguments, environment: variables.map { "\($0)=\($1)" },
            input: input == nil ? nil : ends[1], output: output.descriptor,
            errors: errors.descriptor)
        if ends[1] >= 0 { close(ends[1]) }
        guard result == 0 else {
            if ends[0] >= 0 { close(ends[0]) }
            let reason = String(cString: strerror(result))
            throw Failure(arguments: arguments, reason: "cannot be started: \(reason)")
        }
        self.identifier = identifier

        let status = status
        _ = WorkerThread(name: "test-wait") {
            var word: Int32 = 0
            while waitpid(identifier, &word, 0) < 0 && errno == EINTR {}
            let signal = word & 0x7F
            let code = signal == 0 ? word >> 8 & 0xFF : -signal
            status.change { $0 = code }
        }
        if let input {
            let end = ends[0]
            _ = WorkerThread(name: "test-input") {
                input { bytes in Self.send(bytes, to: end) }
                close(end)
            }
        }
    }

    deinit { kill() }

    /// Waits for the program to end.
    ///
    /// - Returns: its exit status, or minus the number of the signal that ended it; nil after the
    ///   deadline.
    public func wait(_ deadline: Duration = patience) -> Int32? {
        let (seconds, attoseconds) = deadline.components
        return status.wait(nanoseconds: seconds * 1_000_000_000 + attoseconds / 1_000_000_000) {
            $0
        }
    }

    /// A Boolean value that indicates whether it has ended.
    public var hasEnded: Bool { status.withLock { $0 != nil } }

    /// The standard output so far.
    public var standardOutput: [UInt8] { output.contents }
    /// The standard error so far, as text.
    public var standardError: String { String(decoding: errors.contents, as: UTF8.self) }

    /// Sends a signal to the program only: SIGTERM by default.
    public func signal(_ signal: Int32 = SIGTERM) {
        status.withLock { if $0 == nil { _ = Glibc.kill(identifier, signal) } }
    }

    /// Kills the program and all processes that it has started in its group.
    public func kill() {
        // Under the lock, because once the status is known, the number may belong to another
        // process.
        status.withLock { if $0 == nil { _ = Glibc.kill(-identifier, SIGKILL) } }
    }

    private static func send(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let part = UnsafeRawBufferPointer(rebasing: rest)
            let count = Glibc.send(
                descriptor, part.baseAddress, part.count, Int32(MSG_NOSIGNAL))
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Starts a program in a process group of its own; without `input`, its standard input is
    /// empty.
    private static func spawn(
        _ arguments: [String], environment: [String], input: Int32?, output: Int32, errors: Int32
    ) -> (identifier: pid_t, result: Int32) {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if let input {
            posix_spawn_file_actions_adddup2(&actions, input, 0)
        } else {
            posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        }
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        posix_spawn_file_actions_adddup2(&actions, errors, 2)
        // Descriptors that this process inherited, such as a lock of its caller, are closed.
        // Closing one that is not open is harmless.
        for descriptor in 3..<Int32(64) {
            posix_spawn_file_actions_addclose(&actions, descriptor)
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        posix_spawnattr_setflags(
            &attributes,
            Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        // Threads of a test runner block signals, and a program inherits blocked and ignored
        // signals. Without this it could not be terminated.
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        for signal in [SIGTERM, SIGINT, SIGHUP, SIGPIPE] { sigaddset(&signals, signal) }
        posix_spawnattr_setsigdefault(&attributes, &signals)

        var identifier: pid_t = 0
        let result = withCStrings(arguments) { words in
            withCStrings(environment) { variables in
                posix_spawnp(
                    &identifier, arguments[0], &actions, &attributes, words, variables)
            }
        }
        return (identifier, result)
    }

    private static func withCStrings<Result>(
        _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let copies = strings.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        return body(copies + [nil])
    }

    /// The error of a program that could not be started, or that failed.
    public struct Failure: Error, CustomStringConvertible {
        public var arguments: [String]
        public var reason: String

        public var description: String { "\(arguments.joined(separator: " ")): \(reason)" }
    }

    /// A file without a name that collects output.
    private final class CaptureFile: Sendable {
        let descriptor: Int32

        init(for arguments: [String]) throws(Failure) {
            var path = Array("\(TemporaryFolder.base)/playhead-output-XXXXXX".utf8CString)
            descriptor = mkstemp(&path)
            guard descriptor >= 0 else {
                throw Failure(arguments: arguments, reason: "no room for its output")
            }
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            unlink(path)
        }

        deinit { close(descriptor) }

        var contents: [UInt8] {
            let size = Int(lseek(descriptor, 0, SEEK_END))
            return [UInt8](unsafeUninitializedCapacity: max(size, 0)) { buffer, count in
                count = max(0, pread(descriptor, buffer.baseAddress, buffer.count, 0))
            }
        }
    }
}
