// SPDX-License-Identifier: Apache-2.0

/// The lines in which the members and elements of a JSON text stand.
package struct JSONPlaces: Sendable {
    /// By the names and numbers that lead to them.
    private var lines: [[String]: Int] = [:]
    private var path: [String] = []
    private var (line, counted) = (1, 0)

    /// The line, from 1, of a member's name or of an element, or of what is next around it that there is.
    package func line(of path: [String]) -> Int {
        var path = path[...]
        while !path.isEmpty {
            if let line = lines[Array(path)] { return line }
            path.removeLast()
        }
        return 1
    }

    /// Whether there is such a member or element.
    package func contains(_ path: [String]) -> Bool { lines[path] != nil }

    /// Of members with the same name the last counts, here too.
    package mutating func enter(_ name: String, at offset: Int, in bytes: [UInt8]) {
        line += bytes[counted..<offset].count { $0 == UInt8(ascii: "\n") }
        counted = offset
        path.append(name)
        lines[path] = line
    }

    package mutating func leave() { path.removeLast() }
}
