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

    private static func folder(_ variable: String, _ fallback: String) -> URL? {
        let environment = ProcessInfo.processInfo.environment
        // The XDG specification requires relative paths to be ignored.
        let base =
            environment[variable].flatMap { $0.hasPrefix("/") ? $0 : nil }
            ?? environment["HOME"].map { $0 + fallback }
        return base.map { URL(fileURLWithPath: $0).appendingPathComponent("playhead") }
    }
}
