// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The user's directories.
///
/// - Corresponds to: the XDG Base Directory Specification, version 0.8.
enum UserFolders {
    /// The directory of the files that the user writes: `config`, `keys.conf`.
    static var configuration: URL? { folder("XDG_CONFIG_HOME", "/.config") }
    /// The directory of the files that the program keeps from run to run.
    static var state: URL? { folder("XDG_STATE_HOME", "/.local/state") }

    private static func folder(_ variable: String, _ fallback: String) -> URL? {
        let environment = ProcessInfo.processInfo.environment
        // The specification ignores relative paths.
        let base =
            environment[variable].flatMap { $0.hasPrefix("/") ? $0 : nil }
            ?? environment["HOME"].map { $0 + fallback }
        return base.map { URL(fileURLWithPath: $0).appendingPathComponent("playhead") }
    }
}
