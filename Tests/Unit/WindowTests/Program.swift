// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A running program whose output is read line by line. It ends with this object.
final class Program {
    struct CannotStart: Error { let program: String }

    private let identifier: pid_t
    private let input: Int32
    private let output: Int32
    private var pending: [UInt8] = []
    private var status: Int32?

    /// Starts a program, by path or by name; `display` is its X server, nil for none.
    init(
        _ arguments: [String], display: String?, variables: [String] = [], showsErrors: Bool = true
    ) throws {
        let (childInput, input) = try Self.pipe()
        let (output, childOutput) = try Self.pipe()
        defer {
            close(childInput)
            close(childOutput)
        }
        (self.input, self.output) = (input, output)
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, childInput, STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, childOutput, STDOUT_FILENO)
        if !showsErrors {
            posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        }
        // Descriptors of the tests must not be inherited by a server that may outlive them.
        for descriptor in Int32(3)..<64 where fcntl(descriptor, F_GETFD) >= 0 {
            posix_spawn_file_actions_addclose(&actions, descriptor)
        }
        var words = arguments.map { strdup($0) } + [nil]
        var variables = (Self.environment(display: display) + variables).map { strdup($0) } + [nil]
        defer { (words + variables).forEach { free($0) } }
        var identifier: pid_t = 0
        guard posix_spawnp(&identifier, arguments[0], &actions, nil, &words, &variables) == 0 else {
            close(input)
            close(output)
            throw CannotStart(program: arguments[0])
        }
        self.identifier = identifier
    }

    deinit {
        close(input)
        close(output)
        if status == nil {
            kill(identifier, SIGKILL)
            waitpid(identifier, nil, 0)
        }
    }

    /// Returns whether a program of that name is in `PATH`.
    static func isInstalled(_ name: String) -> Bool {
        let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin"
        return path.split(separator: ":").contains { access("\($0)/\(name)", X_OK) == 0 }
    }

    /// Returns the next line, without its end; nil if the program ends, or is silent for two
    /// minutes.
    func nextLine() -> String? {
        while true {
            if let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
                defer { pending.removeFirst(end + 1) }
                return String(decoding: pending[..<end], as: UTF8.self)
            }
            var wanted = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
            guard poll(&wanted, 1, 120_000) > 0 else { return nil }
            var chunk = [UInt8](repeating: 0, count: 4096)
            let count = read(output, &chunk, chunk.count)
            guard count > 0 else { return nil }
            pending += chunk[..<count]
        }
    }

    /// Returns the value of the next line `name=value`, skipping those with other names.
    func next(_ name: String) -> String? {
        while let line = nextLine() {
            if line.hasPrefix("\(name)=") { return String(line.dropFirst(name.count + 1)) }
        }
        return nil
    }

    /// Returns all values that the program reports until it ends.
    func values() -> [String: String] {
        var values: [String: String] = [:]
        while let line = nextLine() {
            let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 { values[String(parts[0])] = String(parts[1]) }
        }
        return values
    }

    /// Sends an empty line.
    func proceed() { _ = write(input, "\n", 1) }

    /// Waits for the program's end; returns its status, or 128 plus the signal that ended it.
    func exitStatus() -> Int32 {
        if let status { return status }
        var word: Int32 = 0
        waitpid(identifier, &word, 0)
        let signal = word & 0x7F
        let result = signal == 0 ? (word >> 8) & 0xFF : 128 + signal
        status = result
        return result
    }

    private static func pipe() throws -> (read: Int32, write: Int32) {
        var ends: [Int32] = [0, 0]
        guard Glibc.pipe(&ends) == 0 else { throw CannotStart(program: "a pipe") }
        return (ends[0], ends[1])
    }

    private static func environment(display: String?) -> [String] {
        var result: [String] = display.map { ["DISPLAY=\($0)"] } ?? []
        var entry = environ
        while let variable = entry.pointee {
            let text = String(cString: variable)
            if !text.hasPrefix("DISPLAY="), !text.hasPrefix("WAYLAND_DISPLAY=") {
                result.append(text)
            }
            entry += 1
        }
        return result
    }
}
