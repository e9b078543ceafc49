// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import PlayheadUI

/// The problems during playback that do not end the program: a file that cannot be opened is
/// skipped, an effect that does not compile is omitted. Each problem is reported once, in a line.
/// The first determines the exit status.
@MainActor final class ProblemLog {
    private var told: Set<String> = []
    private var status = ExitStatus.success

    /// Reports a problem on standard error, unless it has been reported.
    ///
    /// - Returns: the line to show in a window; nil if it has been reported.
    @discardableResult
    func note(_ error: any Error) -> String? {
        let problem = ToolError(error)
        if status == .success { status = problem.status }
        return remark(problem.description) ? problem.description : nil
    }

    /// Reports a remark that is not a failure, unless it has been reported.
    @discardableResult
    func remark(_ line: String) -> Bool {
        guard told.insert(line).inserted else { return false }
        Console.note(line)
        return true
    }

    /// Throws the exit status of the first problem, if there was any.
    func throwStatus() throws {
        if status != .success { throw ExitCode(status.rawValue) }
    }
}
