// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import PlayheadUI

/// The problems during playback that do not end the program. A file that cannot be opened is
/// skipped, and an effect that does not compile is omitted. Each problem is reported once, as one
/// line. The first problem determines the exit status.
@MainActor final class ProblemLog {
    private var told: Set<String> = []
    private var status = ExitStatus.success

    /// Reports a problem on standard error, unless it was reported before.
    ///
    /// - Returns: the line to show in a window; nil if it was reported before.
    @discardableResult
    func note(_ error: any Error) -> String? {
        let problem = ToolError(error)
        if status == .success { status = problem.status }
        return remark(problem.description) ? problem.description : nil
    }

    /// Reports a remark that is not a failure, unless it was reported before.
    @discardableResult
    func remark(_ line: String) -> Bool {
        guard told.insert(line).inserted else { return false }
        Console.note(line)
        return true
    }

    /// Throws the exit status of the first problem, if there is a problem.
    func throwStatus() throws {
        if status != .success { throw ExitCode(status.rawValue) }
    }
}
