// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation

/// Where the program begins, and how it ends.
@main
struct Main {
    @MainActor
    static func main() {
        // Mesa's own warnings would stand beside the one line that says what is wrong.
        setenv("EGL_LOG_LEVEL", "fatal", 0)
        do {
            let arguments = try ConfigurationFile.merged(
                into: Array(CommandLine.arguments.dropFirst()),
                options: { try CommandManual.current().options(of: "play") })
            var command = try PlayheadCommand.parseAsRoot(arguments)
            try command.run()
        } catch {
            end(with: error)
        }
        exit(ExitStatus.success.rawValue)
    }

    /// Reports an error in one line and exits; help and the version, which the parser throws too,
    /// are printed as they are.
    private static func end(with error: any Error) -> Never {
        // A command that has said all there is to say.
        if let code = error as? ExitCode { exit(code.rawValue) }
        if PlayheadCommand.exitCode(for: error).isSuccess { PlayheadCommand.exit(withError: error) }
        if error is CleanExit { PlayheadCommand.exit(withError: error) }
        let isUsage = PlayheadCommand.exitCode(for: error) == .validationFailure
        if isUsage {
            let message = ToolError(.wrongUsage, PlayheadCommand.message(for: error))
            Console.note("\(message); see 'playhead --help'")
            exit(ExitStatus.wrongUsage.rawValue)
        }
        let failure = ToolError(error)
        Console.note(failure.description)
        exit(failure.status.rawValue)
    }
}
