// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation

/// The user's file of options for `play`. Each line has the form `name = value`, or only the name
/// for a switch. Comments begin with `#`.
///
///     # ~/.config/playhead/config
///     hwaccel = auto
///     sub-scale = 1.2
///     mute
///
/// Options that need a window are ignored in a run without one. The command line takes precedence.
/// Options that can be repeated are combined.
enum ConfigurationFile {
    /// An option on a line of the file.
    struct Entry: Hashable {
        var line: Int
        var name: String
        /// The value; nil without an equals sign.
        var value: String?
    }

    /// The maximum size of a configuration file, in bytes.
    static let maximumSize = 1 << 20

    /// Parses the lines of a file.
    static func entries(_ text: String) throws -> [Entry] {
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        return try lines.enumerated().compactMap { index, line in
            let line = line.trimmingCharacters(in: .whitespaces)
            guard !line.isEmpty, !line.hasPrefix("#") else { return nil }
            let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            var name = parts[0].trimmingCharacters(in: .whitespaces)
            while name.hasPrefix("-") { name.removeFirst() }
            guard !name.isEmpty, !name.contains(where: \.isWhitespace) else {
                throw Problem(line: index + 1, cause: "expected NAME = VALUE, found '\(line)'")
            }
            let value = parts.count == 2 ? unquoted(parts[1]) : nil
            return Entry(line: index + 1, name: name, value: value)
        }
    }

    /// An error on a line.
    struct Problem: Error {
        var line: Int
        var cause: String

        func error(in path: String) -> ToolError {
            ToolError(
                .wrongUsage,
                "\(path), line \(line): \(cause); correct the line, or use --no-config")
        }
    }

    /// Returns a value without its quotation marks, and without the comment that follows it.
    private static func unquoted(_ text: Substring) -> String {
        var value = text.trimmingCharacters(in: .whitespaces)
        if let mark = value.first, "\"'".contains(mark),
            let end = value.dropFirst().firstIndex(of: mark)
        {
            return String(value[value.index(after: value.startIndex)..<end])
        }
        if let remark = value.range(of: " #") {
            value = value[..<remark.lowerBound].trimmingCharacters(in: .whitespaces)
        }
        return value
    }

    /// Returns the command-line arguments that correspond to the entries.
    ///
    /// - Parameter options: the options of the command by name; true for those that take a value.
    static func arguments(_ entries: [Entry], options: [String: Bool]) throws -> [String] {
        try entries.flatMap { entry -> [String] in
            guard let takesValue = options[entry.name] else {
                let meant = OptionHint.meant(by: entry.name, of: Array(options.keys))
                    .map { "'\($0)'" }.joined(separator: " or ")
                throw Problem(
                    line: entry.line,
                    cause: "unknown option '\(entry.name)'"
                        + (meant.isEmpty ? "" : " (did you mean \(meant)?)"))
            }
            if takesValue {
                guard let value = entry.value, !value.isEmpty else {
                    throw Problem(line: entry.line, cause: "option '\(entry.name)' needs a value")
                }
                // The argument is a single word, so that a value can begin with a dash.
                return ["--\(entry.name)=\(value)"]
            }
            switch entry.value {
            case nil, "yes", "true", "on", "1": return ["--\(entry.name)"]
            case "no", "false", "off", "0":
                // A switch that is on by default has an option that turns it off.
                let opposite = "no-\(entry.name)"
                return options[opposite] == nil ? [] : ["--\(opposite)"]
            default:
                throw Problem(line: entry.line, cause: "option '\(entry.name)' takes yes or no")
            }
        }
    }

    /// A program whose options a configuration file sets.
    struct Program {
        /// The names of the program's commands.
        var commands: [String]
        /// Returns the options of `play` by name. The values indicate whether an option takes a
        /// value. Called only if there is a file.
        var options: () throws -> [String: Bool]
        /// Returns the message of an error that the parser threw.
        var message: (any Error) -> String
    }

    /// Inserts the options of the user's file before those of the command line, if the command is
    /// `play` and `--no-config` is absent.
    ///
    /// - Parameter arguments: the command line without the program's name.
    static func merged(into arguments: [String], of program: Program) throws -> [String] {
        guard let file = try File(for: arguments, of: program) else { return arguments }
        return file.merged(into: arguments, entryCount: file.entries.count)
    }

    /// Finds the line of the user's file that causes a command line to be rejected.
    ///
    /// - Parameter parse: throws an error if the arguments are invalid.
    /// - Throws: an error that names the file and the line, if the command line is valid without
    ///   the file.
    static func check(
        with arguments: [String], of program: Program, parse: ([String]) throws -> Void
    ) throws {
        guard let file = try File(for: arguments, of: program),
            (try? parse(arguments)) != nil
        else { return }
        for count in 1...max(1, file.entries.count) {
            do {
                try parse(file.merged(into: arguments, entryCount: count))
            } catch {
                let text = program.message(error)
                throw Problem(
                    line: file.entries[count - 1].line,
                    cause: text.hasSuffix(".") ? String(text.dropLast()) : text
                ).error(in: file.path)
            }
        }
    }

    /// The user's file, converted to arguments.
    private struct File {
        let path: String
        /// The index in the command line at which the options are inserted.
        let place: Int
        let entries: [(line: Int, arguments: [String])]

        /// Reads the file. Returns nil if it does not exist or does not apply to the command line.
        init?(for arguments: [String], of program: Program) throws {
            guard !arguments.contains("--no-config"),
                let place = ConfigurationFile.placeOfOptions(arguments, program.commands),
                let url = UserFolders.configuration?.appendingPathComponent("config"),
                let data = try? Data(contentsOf: url)
            else { return nil }
            do {
                guard data.count <= maximumSize, String(data: data, encoding: .utf8) != nil
                else {
                    throw Problem(line: 1, cause: "the file is not text in UTF-8")
                }
                let options = try program.options()
                let all = try ConfigurationFile.entries(String(text: data))
                let read = try all.map { entry in
                    (entry.line, try ConfigurationFile.arguments([entry], options: options))
                }
                let misfits = ConfigurationFile.misfits(arguments + read.flatMap(\.1))
                entries = zip(all, read).filter { !misfits.contains($0.0.name) }.map(\.1)
            } catch let problem as Problem {
                throw problem.error(in: url.path)
            }
            path = url.path
            self.place = place
        }

        /// Returns the command line with the first `entryCount` entries inserted.
        func merged(into arguments: [String], entryCount: Int) -> [String] {
            var merged = arguments
            merged.insert(contentsOf: entries.prefix(entryCount).flatMap(\.arguments), at: place)
            return merged
        }
    }

    /// The options that need a window.
    private static let windowOptions: Set = [
        "idle", "browse", "pause", "ab-loop", "ipc", "monitor", "output-monitor", "fullscreen",
        "save-position",
    ]
    /// The options that cannot be combined with `--untimed`.
    private static let timedOptions: Set = ["loop", "loop-playlist", "transition"]

    /// The options that apply only to files. `cameraOptions` apply only to cameras, screens and
    /// microphones.
    private static let fileOptions: Set = [
        "start", "speed", "ab-loop", "loop", "loop-playlist", "shuffle", "transition",
        "save-position", "pause", "ipc", "browse",
    ]
    private static let cameraOptions: Set = ["mirror", "record"]

    /// Returns the options of the file that are ignored because they do not apply to this run.
    private static func misfits(_ arguments: [String]) -> Set<String> {
        let isUntimed = arguments.contains("--untimed")
        let isCamera = arguments.contains(where: LiveVideoArgument.isOne)
        let isMicrophone = arguments.contains(where: MicrophoneArgument.isMicrophone)
        let others =
            isCamera
            ? fileOptions
            : isMicrophone ? fileOptions.union(["mirror", "effect"]) : cameraOptions
        guard isUntimed || arguments.contains("--headless") else { return others }
        return windowOptions.union(isUntimed ? timedOptions : []).union(others)
    }

    /// Returns the index at which the options of `play` begin; nil for other commands, and for
    /// options that only print something.
    private static func placeOfOptions(_ arguments: [String], _ commands: [String]) -> Int? {
        let words = arguments.prefix { $0 != "--" }
        let lists = ["--help", "-h", "--version", "--list-keys", "--list-commands"]
        guard !words.contains(where: lists.contains) else { return nil }
        guard let first = arguments.first else { return 0 }
        if first == "play" { return 1 }
        let isOther =
            commands.contains(first)
            || ["help", "--generate-completion-script", "--experimental-dump-help"].contains(first)
        return isOther ? nil : 0
    }
}
