// SPDX-License-Identifier: Apache-2.0

/// The line numbers of the members and elements of a JSON text.
package struct JSONPlaces: Sendable {
    /// The line numbers by path. A path consists of member names and element indices.
    private var lines: [[String]: Int] = [:]
    private var path: [String] = []
    private var (line, counted) = (1, 0)

    /// Returns the line, from 1, of a member's name or of an element. If the path does not exist,
    /// returns the line of the nearest enclosing part that exists.
    package func line(of path: [String]) -> Int {
        var path = path[...]
        while !path.isEmpty {
            if let line = lines[Array(path)] { return line }
            path.removeLast()
        }
        return 1
    }

    /// Returns whether the member or element exists.
    package func contains(_ path: [String]) -> Bool { lines[path] != nil }

    /// Enters a member or an element and records its line. If several members have the same name,
    /// the line of the last one is kept, as in the parsed value.
    package mutating func enter(_ name: String, at offset: Int, in bytes: [UInt8]) {
        line += bytes[counted..<offset].count { $0 == UInt8(ascii: "\n") }
        counted = offset
        path.append(name)
        lines[path] = line
    }

    package mutating func leave() { path.removeLast() }
}
