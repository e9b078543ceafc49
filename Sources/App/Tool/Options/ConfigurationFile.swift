// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation

/// A file of options of `play`: `name = value` in each line, or the name alone for what is switched on,
/// and `#` before remarks.
///
///     # ~/.config/playhead/config
///     hwaccel = auto
///     sub-scale = 1.2
///     mute
///
/// What does not fit a run without a window is passed over. The command line goes before it: what it says of an option counts, and options that may be given
/// several times are added to those of the file.
enum ConfigurationFile {
    /// A line that says something.
    struct Entry: Hashable {
        var line: Int
        var name: String
        /// Nil where there is no equals sign.
        var value: String?
    }

    /// Bytes that are read: more than anybody writes by hand.
    static let maximumSize = 1 << 20

    /// What the lines of a file say.
    static func entries(_ text: String) throws -> [Entry] {
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        return try lines.enumerated().compactMap { index, line in
            let line = line.trimmingCharacters(in: .whitespaces)
            guard !line.isEmpty, !line.hasPrefix("#") else { return nil }
            let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            var name = parts[0].trimmingCharacters(in: .whitespaces)
            while name.hasPrefix("-") { name.removeFirst() }
            guard !name.isEmpty, !name.contains(where: \.isWhitespace) else {
                throw Problem(line: index + 1, cause: "'\(line)' is no name = value")
            }
            let value = parts.count == 2 ? unquoted(parts[1]) : nil
            return Entry(line: index + 1, name: name, value: value)
        }
    }

    /// What is wrong with a line.
    struct Problem: Error {
        var line: Int
        var cause: String

        func error(in path: String) -> ToolError {
            ToolError(
                .wrongUsage,
                "\(path), line \(line): \(cause); correct it, or use --no-config")
        }
    }

    /// A value without the quotation marks that may stand around it, and the remark that may follow.
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

    /// The arguments that say the same.
    ///
    /// - Parameter options: those of the command, by name; true for those that take a value.
    static func arguments(_ entries: [Entry], options: [String: Bool]) throws -> [String] {
        try entries.flatMap { entry -> [String] in
            guard let takesValue = options[entry.name] else {
                let meant = OptionHint.meant(by: entry.name, of: Array(options.keys))
                    .map { "'\($0)'" }.joined(separator: " or ")
                throw Problem(
                    line: entry.line,
                    cause: "there is no option '\(entry.name)'"
                        + (meant.isEmpty ? "" : ", but \(meant)"))
            }
            if takesValue {
                guard let value = entry.value, !value.isEmpty else {
                    throw Problem(line: entry.line, cause: "'\(entry.name)' needs a value")
                }
                // In one word, so that a value may begin with a dash.
                return ["--\(entry.name)=\(value)"]
            }
            switch entry.value {
            case nil, "yes", "true", "on", "1": return ["--\(entry.name)"]
            case "no", "false", "off", "0":
                // What is on by itself is switched off by a name of its own.
                let opposite = "no-\(entry.name)"
                return options[opposite] == nil ? [] : ["--\(opposite)"]
            default:
                throw Problem(line: entry.line, cause: "'\(entry.name)' is yes or no")
            }
        }
    }

    /// Puts the options of the user's file before those of a command line that plays, unless it says
    /// `--no-config`.
    ///
    /// - Parameters:
    ///   - arguments: without the program's name.
    ///   - options: those of `play`, asked for where there is a file.
    static func merged(
        into arguments: [String], options: () throws -> [String: Bool]
    ) throws -> [String] {
        guard let file = try File(for: arguments, options: options) else { return arguments }
        return file.merged(into: arguments, entryCount: file.entries.count)
    }

    /// Finds the line of the user's file because of which a command line is refused that would be
    /// taken without the file.
    ///
    /// - Parameter parse: throws where arguments are refused.
    /// - Throws: what is wrong, with the file and the line; nothing where that is another thing.
    static func check(
        with arguments: [String], options: () throws -> [String: Bool],
        parse: ([String]) throws -> Void
    ) throws {
        guard let file = try File(for: arguments, options: options),
            (try? parse(arguments)) != nil
        else { return }
        for count in 1...max(1, file.entries.count) {
            do {
                try parse(file.merged(into: arguments, entryCount: count))
            } catch {
                let text = PlayheadCommand.message(for: error)
                throw Problem(
                    line: file.entries[count - 1].line,
                    cause: text.hasSuffix(".") ? String(text.dropLast()) : text
                ).error(in: file.path)
            }
        }
    }

    /// The user's file, as arguments.
    private struct File {
        let path: String
        /// Where its options belong among the arguments of the command line.
        let place: Int
        let entries: [(line: Int, arguments: [String])]

        /// Nil where there is none, or it is not for this command line.
        init?(for arguments: [String], options: () throws -> [String: Bool]) throws {
            guard !arguments.contains("--no-config"),
                let place = ConfigurationFile.placeOfOptions(arguments),
                let url = UserFolders.configuration?.appendingPathComponent("config"),
                let data = try? Data(contentsOf: url)
            else { return nil }
            do {
                guard data.count <= maximumSize, String(data: data, encoding: .utf8) != nil
                else {
                    throw Problem(line: 1, cause: "it is no text in UTF-8")
                }
                let options = try options()
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

        /// The command line with the first entries before its own options.
        func merged(into arguments: [String], entryCount: Int) -> [String] {
            var merged = arguments
            merged.insert(contentsOf: entries.prefix(entryCount).flatMap(\.arguments), at: place)
            return merged
        }
    }

    /// Options of the file that are passed over, since they do not fit how films are played this time.
    private static func misfits(_ arguments: [String]) -> Set<String> {
        let isUntimed = arguments.contains("--untimed")
        guard isUntimed || arguments.contains("--headless") else { return [] }
        return PlayCommand.windowOptions.union(isUntimed ? PlayCommand.timedOptions : [])
    }

    /// Where the options of `play` begin; nil for other commands, and for those that play nothing.
    private static func placeOfOptions(_ arguments: [String]) -> Int? {
        let words = arguments.prefix { $0 != "--" }
        let lists = ["--help", "-h", "--version", "--list-keys", "--list-commands"]
        guard !words.contains(where: lists.contains) else { return nil }
        guard let first = arguments.first else { return 0 }
        if first == "play" { return 1 }
        let others = PlayheadCommand.configuration.subcommands.map {
            $0.configuration.commandName ?? ""
        }
        let isOther =
            others.contains(first)
            || ["help", "--generate-completion-script", "--experimental-dump-help"].contains(first)
        return isOther ? nil : 0
    }
}
