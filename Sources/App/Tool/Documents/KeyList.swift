// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadUI

/// The output of `play --list-keys`, which has a line for each row of a table of key bindings.
enum KeyList {
    static func lines(of bindings: KeyBindings) -> [String] {
        let width = bindings.rows.map(\.title.count).max() ?? 0
        return bindings.groups.flatMap { group, rows in
            ["\(group.rawValue):"]
                + rows.map { row in
                    let space = String(repeating: " ", count: width - row.title.count + 2)
                    return "  \(row.title)\(space)\(row.help)"
                }
        }
    }
}

extension KeyBindings {
    /// Reads the user's `keys.conf`, if there is one, and returns its errors.
    mutating func readUserFile() -> [String] {
        guard let url = UserFolders.configuration?.appendingPathComponent("keys.conf"),
            let data = try? Data(contentsOf: url), data.count <= ConfigurationFile.maximumSize
        else { return [] }
        return read(String(text: data)).map { line, error in
            "\(url.path), line \(line): \(error)"
        }
    }
}
