// SPDX-License-Identifier: Apache-2.0

import Playhead

/// What `play --list-keys` prints: a line for each row of the table of keys.
enum KeyList {
    static var lines: [String] {
        let bindings = KeyBindings.standard
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
