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
            let line = Array(CommandLine.arguments.dropFirst())
            var command = try parse(line)
            do {
                // Films with such names are passed over.
                try checkNames(except: (command as? PlayCommand)?.files ?? [])
                try command.run()
            } catch {
                end(with: error, of: help(for: type(of: command)))
            }
        } catch {
            end(with: error, of: help(in: PlayheadCommand.fullMessage(for: error)))
        }
        exit(ExitStatus.success.rawValue)
    }

    /// Refuses names that are no text, which would be those of other files once they are read as text.
    private static func checkNames(except known: [String]) throws {
        for index in 1..<max(1, Int(CommandLine.argc)) {
            guard let argument = CommandLine.unsafeArgv[index] else { continue }
            let name = String(cString: argument)
            if String(validatingCString: argument) == nil, !known.contains(name) {
                throw ToolError(.mediaFailure, "\(name): its name is not UTF-8; rename it")
            }
        }
    }

    /// The command of a command line, with the options of the user's file.
    private static func parse(_ line: [String]) throws -> any ParsableCommand {
        let options = { try CommandManual.current().options(of: "play") }
        let arguments = try ConfigurationFile.merged(into: line, options: options)
        do {
            return try PlayheadCommand.parseAsRoot(arguments)
        } catch {
            if arguments != line, PlayheadCommand.exitCode(for: error) == .validationFailure {
                try ConfigurationFile.check(with: line, options: options) {
                    _ = try PlayheadCommand.parseAsRoot($0)
                }
            }
            throw error
        }
    }

    /// What shows the help of the command that a usage message is about.
    private static func help(in message: String) -> String {
        guard let start = message.range(of: "See '", options: .backwards),
            let end = message[start.upperBound...].firstIndex(of: "'")
        else { return "playhead --help" }
        return String(message[start.upperBound..<end])
    }

    /// What shows the help of a command.
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

    /// Reports an error in one line and exits; help and the version, which the parser throws too,
    /// are printed as they are.
    ///
    /// - Parameter help: what shows how the command is used.
    private static func end(with error: any Error, of help: String) -> Never {
        Console.showStatus("")
        // A command that has said all there is to say.
        if let code = error as? ExitCode { exit(code.rawValue) }
        if PlayheadCommand.exitCode(for: error).isSuccess { PlayheadCommand.exit(withError: error) }
        if error is CleanExit { PlayheadCommand.exit(withError: error) }
        let isUsage = PlayheadCommand.exitCode(for: error) == .validationFailure
        if isUsage {
            let words = OptionHint.message(PlayheadCommand.message(for: error)) {
                let name = help.split(separator: " ").dropFirst().first.map(String.init) ?? ""
                let manual = try? CommandManual.current()
                return manual.map { Array($0.options(of: name).keys) } ?? []
            }
            let message = ToolError(.wrongUsage, words).description
            // Some are sentences.
            let text = message.hasSuffix(".") ? String(message.dropLast()) : message
            Console.note("\(text); see '\(help)'")
            exit(ExitStatus.wrongUsage.rawValue)
        }
        let failure = ToolError(error)
        Console.note(failure.description)
        exit(failure.status.rawValue)
    }
}
