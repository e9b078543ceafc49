// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A path that is compared by its bytes, as in the file system.
///
/// Strings are compared by canonical equivalence, so that two names which differ only in the way in
/// which an accent is encoded are equal. A folder can contain both.
///
/// - Concurrency: a value; any thread.
package struct ExactPath: Sendable, Hashable {
    /// The path.
    package let text: String

    package init(_ text: String) { self.text = text }

    package static func == (first: ExactPath, second: ExactPath) -> Bool {
        first.text.utf8.elementsEqual(second.text.utf8)
    }

    package func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }

    /// The absolute path, without `.` and `..`.
    package var absolute: ExactPath {
        var path = text
        if path.utf8.first != Self.slash, let folder = getcwd(nil, 0) {
            path = "\(String(cString: folder))/\(path)"
            free(folder)
        }
        var parts: [String] = []
        for part in path.utf8.split(separator: Self.slash).map({ String(Substring($0)) }) {
            switch part {
            case ".": break
            case "..": _ = parts.popLast()
            default: parts.append(part)
            }
        }
        return ExactPath("/" + parts.joined(separator: "/"))
    }

    /// The folder that contains the file or the folder, for an absolute path; nil for the root.
    package var parent: ExactPath? {
        var path = Substring(text).utf8
        while path.count > 1, path.last == Self.slash { path.removeLast() }
        guard let slash = path.lastIndex(of: Self.slash), path.count > 1 else { return nil }
        let folder = path[..<slash]
        return ExactPath(folder.isEmpty ? "/" : String(Substring(folder)))
    }

    /// The name of the file or the folder, as it is shown.
    var title: String {
        (text.utf8.split(separator: Self.slash).last.map { String(Substring($0)) } ?? text)
            .printable()
    }

    private static let slash = UInt8(ascii: "/")
}
