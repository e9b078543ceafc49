// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import PlayheadUI

/// What goes wrong while films play, and does not end the program: a film that cannot be opened is
/// passed over, an effect that does not compile is left out. Each problem is told once, in a line;
/// the first decides the status that the program ends with.
@MainActor final class ProblemLog {
    private var told: Set<String> = []
    private var status = ExitStatus.success

    /// Tells a problem on standard error, unless it has been told.
    ///
    /// - Returns: the line, for those who watch a window; nil if it has been told.
    @discardableResult
    func note(_ error: any Error) -> String? {
        let problem = ToolError(error)
        if status == .success { status = problem.status }
        return remark(problem.description) ? problem.description : nil
    }

    /// Tells something that is worth knowing but no failure, unless it has been told.
    @discardableResult
    func remark(_ line: String) -> Bool {
        guard told.insert(line).inserted else { return false }
        Console.note(line)
        return true
    }

    /// Ends the command with the status of the first problem, if there was any.
    func throwStatus() throws {
        if status != .success { throw ExitCode(status.rawValue) }
    }
}
