// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The folder of an effect's file, which contains all files that the effect may read.
///
/// Effects may come from untrusted sources. The files that they include and import must be in this
/// folder or a subfolder after symbolic links are resolved.
///
/// - Concurrency: any thread, but not the render thread, because it reads files.
package struct EffectFolder: Sendable, Hashable {
    /// The path with symbolic links resolved.
    package let path: String

    /// The maximum size of a shader file, in bytes.
    private static let maximumFileSize = 8 << 20
    /// The maximum size of a LUT file, in bytes. A LUT with 128 levels has two million lines.
    private static let maximumTableSize = 96 << 20

    /// Creates the folder of a file; nil if the file does not exist.
    package init?(ofFile file: String) {
        guard let resolved = Self.resolve(file) else { return nil }
        path = resolved.lastIndex(of: "/").map { String(resolved[..<$0]) } ?? "/"
    }

    /// Creates a folder from its path; nil if the folder does not exist.
    package init?(path: String) {
        guard let resolved = Self.resolve(path) else { return nil }
        self.path = resolved
    }

    /// Returns the path of a file that an effect names.
    ///
    /// - Parameters:
    ///   - name: The path relative to the folder of `file`.
    ///   - file: The file that contains the name.
    ///   - line: The line that contains the name.
    /// - Throws: `EffectError.inaccessible`.
    func locate(_ name: String, from file: String, line: Int) throws(EffectError) -> String {
        func refused(_ reason: String) -> EffectError {
            .inaccessible(path: file, line: line, reason: reason)
        }
        guard !name.hasPrefix("/"), !name.contains("\0") else {
            throw refused("'\(name)': expected a path relative to the effect's folder")
        }
        let base = Self.resolve(file).flatMap { resolved in
            resolved.lastIndex(of: "/").map { String(resolved[..<$0]) }
        }
        guard let resolved = Self.resolve((base ?? path) + "/" + name) else {
            throw refused("'\(name)' cannot be read: " + String(cString: strerror(errno)))
        }
        guard resolved.hasPrefix(path == "/" ? "/" : path + "/") else {
            throw refused("'\(name)' is outside the effect's folder")
        }
        return resolved
    }

    /// Returns the text of a file.
    ///
    /// - Throws: `EffectError.unreadable`.
    static func text(of path: String) throws(EffectError) -> String {
        // Only regular files are read, because a named pipe would block.
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else {
            throw .unreadable(
                path: path, reason: String(cString: strerror(errno)) + "; check the path")
        }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw .unreadable(path: path, reason: "it is not a regular file")
        }
        let isTable = path.lowercased().hasSuffix(".cube")
        let limit = isTable ? maximumTableSize : maximumFileSize
        guard status.st_size <= limit else {
            throw .unreadable(path: path, reason: "it is longer than \(limit >> 20) MiB")
        }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while bytes.count <= limit {
            let count = read(file, &chunk, chunk.count)
            guard count >= 0 else {
                if errno == EINTR { continue }
                throw .unreadable(path: path, reason: String(cString: strerror(errno)))
            }
            guard count > 0 else { break }
            bytes.append(contentsOf: chunk[..<count])
        }
        return ShaderText.withLineFeeds(decoded(bytes))
    }

    /// Decodes UTF-8, or UTF-16 with a byte order mark, as Windows programs write it. The result
    /// has no byte order mark, which GLSL does not allow.
    private static func decoded(_ bytes: [UInt8]) -> String {
        let isLittle = bytes.starts(with: [0xFF, 0xFE])
        guard isLittle || bytes.starts(with: [0xFE, 0xFF]) else {
            let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
            return String(decoding: bytes[start...], as: UTF8.self)
        }
        let units = stride(from: 2, to: bytes.count - 1, by: 2).map { index in
            let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
            return isLittle ? second << 8 | first : first << 8 | second
        }
        return String(decoding: units, as: UTF16.self)
    }

    private static func resolve(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}
