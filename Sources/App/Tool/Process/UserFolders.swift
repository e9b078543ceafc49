// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The directories of the user's files.
///
/// - Corresponds to: the XDG Base Directory Specification, version 0.8.
enum UserFolders {
    /// The directory of files that the user writes: `config` and `keys.conf`.
    static var configuration: URL? { folder("XDG_CONFIG_HOME", "/.config") }
    /// The directory of files that the program keeps between runs.
    static var state: URL? { folder("XDG_STATE_HOME", "/.local/state") }

    /// The absolute path of the directory of the user's videos, which `user-dirs.dirs` names. If it
    /// does not exist, it is the home directory.
    ///
    /// - Corresponds to: `xdg-user-dir VIDEOS`.
    static var videos: String {
        let environment = ProcessInfo.processInfo.environment
        let home = environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? NSHomeDirectory()
        let configuration =
            environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
            ?? home + "/.config"
        let file = URL(fileURLWithPath: configuration).appendingPathComponent("user-dirs.dirs")
        guard let data = try? Data(contentsOf: file),
            let path = videos(in: String(text: data), home: home),
            isReadableDirectory(path)
        else { return home }
        return path
    }

    private static func isReadableDirectory(_ path: String) -> Bool {
        var isDirectory: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory)
            && isDirectory.boolValue && access(path, R_OK | X_OK) == 0
    }

    /// Returns the directory that a text in the format of `user-dirs.dirs` names; nil if it names
    /// none.
    static func videos(in text: String, home: String) -> String? {
        let name = "XDG_VIDEOS_DIR="
        for line in text.split(whereSeparator: \.isNewline).reversed() {
            let line = line.trimmingCharacters(in: .whitespaces)
            guard line.hasPrefix(name) else { continue }
            var value = ""
            var isQuoted = false
            var rest = Substring(line.dropFirst(name.count))
            while let letter = rest.popFirst() {
                if letter == "\"" {
                    isQuoted.toggle()
                } else if letter == "\\", let next = rest.popFirst() {
                    value.append(next)
                } else {
                    value.append(letter)
                }
            }
            guard !isQuoted else { return nil }
            if value == "$HOME" || value == "$HOME/" { return home }
            if value.hasPrefix("$HOME/") { return home + value.dropFirst("$HOME".count) }
            return value.hasPrefix("/") ? value : nil
        }
        return nil
    }

    private static func folder(_ variable: String, _ fallback: String) -> URL? {
        let environment = ProcessInfo.processInfo.environment
        // The XDG specification requires relative paths to be ignored.
        let base =
            environment[variable].flatMap { $0.hasPrefix("/") ? $0 : nil }
            ?? environment["HOME"].map { $0 + fallback }
        return base.map { URL(fileURLWithPath: $0).appendingPathComponent("playhead") }
    }
}
