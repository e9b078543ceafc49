// SPDX-License-Identifier: Apache-2.0

/// The names that are derived from the path of an effect's file.
enum EffectName {
    /// Returns the name of an effect: the last component of its path without the extension.
    static func name(ofPath path: String) -> String {
        let name = path.split(separator: "/").last.map { String($0) } ?? path
        let dot = name.lastIndex(of: ".") ?? name.endIndex
        return dot == name.startIndex ? name : String(name[..<dot])
    }

    /// Returns the paths at which the vertex shader of an ISF file may be, in order of preference,
    /// as in VVISF.
    static func vertexPaths(besides path: String) -> [String] {
        let dot = path.lastIndex(of: ".") ?? path.endIndex
        let slash = path.lastIndex(of: "/") ?? path.startIndex
        let base = slash < dot ? path[..<dot] : path[...]
        return [".vs", ".vert"].map { base + $0 }.filter { $0 != path }
    }
}
