// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation

/// The entry point: parses the command line, runs the command and reports its error.
@main
struct Main {
    @MainActor
    static func main() {
        // Without this, Mesa prints warnings beside the error, which should be a single line.
        setenv("EGL_LOG_LEVEL", "fatal", 0)
        // Threads at the lowest priority would delay the exit on a busy machine.
        atexit { ShaderCacheThreads.raisePriority() }
        do {
            let line = Array(CommandLine.arguments.dropFirst())
            var command = try parse(line)
            do {
                // `play` skips files whose names are not UTF-8.
                try checkNames(except: (command as? PlayCommand)?.options.files ?? [])
                try command.run()
            } catch {
                end(with: error, of: help(for: type(of: command)))
            }
        } catch {
            end(with: error, of: help(in: PlayheadCommand.fullMessage(for: error)))
        }
        exit(ExitStatus.success.rawValue)
    }

    /// Rejects names that are not UTF-8. If they were decoded as text, they would name other files.
    private static func checkNames(except known: [String]) throws {
        for index in 1..<max(1, Int(CommandLine.argc)) {
            guard let argument = CommandLine.unsafeArgv[index] else { continue }
            let name = String(cString: argument)
            if String(validatingCString: argument) == nil, !known.contains(name) {
                throw ToolError(.mediaFailure, "\(name): the name is not UTF-8; rename the file")
            }
        }
    }

    /// Parses a command line, together with the options in the user's configuration file.
    private static func parse(_ line: [String]) throws -> any ParsableCommand {
        let program = ConfigurationFile.Program(
            commands: PlayheadCommand.configuration.subcommands.compactMap {
                $0.configuration.commandName
            },
            options: { try CommandManual(of: PlayheadCommand.self).options(of: "play") },
            message: { PlayheadCommand.message(for: $0) })
        let arguments = try ConfigurationFile.merged(into: line, of: program)
        do {
            return try PlayheadCommand.parseAsRoot(arguments)
        } catch {
            if arguments != line, PlayheadCommand.exitCode(for: error) == .validationFailure {
                try ConfigurationFile.check(with: line, of: program) {
                    _ = try PlayheadCommand.parseAsRoot($0)
                }
            }
            throw error
        }
    }

    /// Returns the command that shows the help to which a usage message refers.
    private static func help(in message: String) -> String {
        guard let start = message.range(of: "See '", options: .backwards),
            let end = message[start.upperBound...].firstIndex(of: "'")
        else { return "playhead --help" }
        return String(message[start.upperBound..<end])
    }

    /// Returns the command that shows the help of a command.
    private static func help(for command: any ParsableCommand.Type) -> String {
        func path(from parent: any ParsableCommand.Type) -> [String]? {
            if parent == command { return [] }
            for child in parent.configuration.subcommands {
                if let rest = path(from: child) {
                    return [child.configuration.commandName ?? ""] + rest
                }
            }
            return nil
        }
        let words = ["playhead"] + (path(from: PlayheadCommand.self) ?? []) + ["--help"]
        return words.joined(separator: " ")
    }

    /// Reports an error as one line, and exits. Help and the version, which the parser throws as
    /// errors too, are printed.
    ///
    /// - Parameter help: the command that shows how to use the command that failed.
    private static func end(with error: any Error, of help: String) -> Never {
        Console.showStatus("")
        // The command has reported its problems already.
        if let code = error as? ExitCode { exit(code.rawValue) }
        let code = PlayheadCommand.exitCode(for: error)
        if code.isSuccess || error is CleanExit { PlayheadCommand.exit(withError: error) }
        if code == .validationFailure {
            let words = OptionHint.message(PlayheadCommand.message(for: error)) {
                let name = help.split(separator: " ").dropFirst().first.map(String.init) ?? ""
                let manual = try? CommandManual(of: PlayheadCommand.self)
                return manual.map { Array($0.options(of: name).keys) } ?? []
            }
            let message = ToolError(.wrongUsage, words).description
            // Some messages end with a full stop.
            let text = message.hasSuffix(".") ? String(message.dropLast()) : message
            Console.note("\(text); see '\(help)'")
            exit(ExitStatus.wrongUsage.rawValue)
        }
        let failure = ToolError(error)
        Console.note(failure.description)
        exit(failure.status.rawValue)
    }
}
