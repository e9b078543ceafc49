// SPDX-License-Identifier: Apache-2.0

import PlayheadUI

/// The output of `play --list-commands`: commands and properties.
enum CommandList {
    static var commands: [String] {
        table(
            "Commands:",
            CommandDescription.all.map { row in
                (row.arguments.isEmpty ? row.name : "\(row.name) \(row.arguments)", row.help)
            })
    }

    static var properties: [String] {
        table(
            "Properties:",
            PropertyDescription.all.map { row in
                let values = row.isWritable ? row.form.expectation : "read-only"
                return (row.property.rawValue, "\(row.help) (\(values))")
            })
    }

    private static func table(_ title: String, _ rows: [(String, String)]) -> [String] {
        // If a title is long, its help is on the next line.
        let width = min(rows.map(\.0.count).max() ?? 0, 28)
        return [title]
            + rows.flatMap { title, help in
                title.count > width
                    ? ["  \(title)", String(repeating: " ", count: width + 4) + help]
                    : ["  \(title)\(String(repeating: " ", count: width - title.count + 2))\(help)"]
            }
    }
}
