// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// Runs a program to its end, within a deadline.
///
/// - Concurrency: any thread; blocks it.
public enum ProcessRunner {
    /// The exit status and the output of a program.
    public struct Result: Sendable {
        /// Exit status, or minus the number of the signal that ended it.
        public var status: Int32
        public var standardOutput: [UInt8]
        public var standardError: String

        public var text: String { String(decoding: standardOutput, as: UTF8.self) }
    }

    /// Runs a program and accepts any exit status.
    ///
    /// - Parameters:
    ///   - arguments: The program, by path or by name in `PATH`, and its arguments.
    ///   - environment: The variables that differ from this process; nil values are unset.
    ///   - directory: The working folder.
    ///   - deadline: The time after which the program is killed and the call throws.
    ///   - input: Writes the standard input, on a thread of its own.
    /// - Throws: `ChildProcess.Failure` if the program cannot be started or exceeds its deadline.
    public static func run(
        _ arguments: [String], environment: [String: String?] = [:], directory: URL? = nil,
        deadline: Duration = patience, input: ChildProcess.Input? = nil
    ) throws(ChildProcess.Failure) -> Result {
        let process = try ChildProcess(
            arguments, environment: environment, directory: directory, input: input)
        guard let status = process.wait(deadline) else {
            process.kill()
            _ = process.wait(.seconds(10))
            throw ChildProcess.Failure(
                arguments: arguments,
                reason: "did not end within \(deadline): \(process.standardError)")
        }
        return Result(
            status: status, standardOutput: process.standardOutput,
            standardError: process.standardError)
    }

    /// Runs a program that must succeed.
    ///
    /// - Throws: `ChildProcess.Failure` also for an exit status other than 0, with its standard
    ///   error.
    @discardableResult
    public static func check(
        _ arguments: [String], environment: [String: String?] = [:], directory: URL? = nil,
        deadline: Duration = patience, input: ChildProcess.Input? = nil
    ) throws(ChildProcess.Failure) -> Result {
        let result = try run(
            arguments, environment: environment, directory: directory, deadline: deadline,
            input: input)
        guard result.status == 0 else {
            throw ChildProcess.Failure(
                arguments: arguments,
                reason: "ended with status \(result.status): \(result.standardError)")
        }
        return result
    }

    /// Returns whether a program of this name is in `PATH`, for conditions of tests.
    public static func has(_ program: String) -> Bool {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        return path.split(separator: ":").contains {
            FileManager.default.isExecutableFile(atPath: "\($0)/\(program)")
        }
    }
}
