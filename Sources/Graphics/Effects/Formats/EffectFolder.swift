// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The folder of an effect's file: what the effect may read, and nothing else.
///
/// Other people's effects are run as they are, so what they include and import is held to the
/// folder that they lie in and to those below it, symbolic links resolved.
///
/// - Concurrency: any thread; reads files, so not the render thread.
package struct EffectFolder: Sendable, Hashable {
    /// With symbolic links resolved.
    package let path: String

    /// Longer shaders are hostile, or no shaders.
    private static let maximumFileSize = 8 << 20
    /// Tables of colours are longer: one of 128 levels has two million lines.
    private static let maximumTableSize = 96 << 20

    /// The folder that a file lies in; nil where there is none.
    package init?(ofFile file: String) {
        guard let resolved = Self.resolve(file) else { return nil }
        path = resolved.lastIndex(of: "/").map { String(resolved[..<$0]) } ?? "/"
    }

    /// A folder itself; nil where there is none.
    package init?(path: String) {
        guard let resolved = Self.resolve(path) else { return nil }
        self.path = resolved
    }

    /// Returns the path of a file that an effect names.
    ///
    /// - Parameters:
    ///   - name: relative to the folder of `file`.
    ///   - file: the file that names it, for its folder and for error reports.
    ///   - line: the line that does.
    /// - Throws: `EffectError.inaccessible`.
    func locate(_ name: String, from file: String, line: Int) throws(EffectError) -> String {
        func refused(_ reason: String) -> EffectError {
            .inaccessible(path: file, line: line, reason: reason)
        }
        guard !name.hasPrefix("/"), !name.contains("\0") else {
            throw refused("'\(name)' is not read: files are named relative to the effect's folder")
        }
        let base = Self.resolve(file).flatMap { resolved in
            resolved.lastIndex(of: "/").map { String(resolved[..<$0]) }
        }
        guard let resolved = Self.resolve((base ?? path) + "/" + name) else {
            throw refused("'\(name)' cannot be read: " + String(cString: strerror(errno)))
        }
        guard resolved.hasPrefix(path == "/" ? "/" : path + "/") else {
            throw refused("'\(name)' is not read: it lies outside the effect's folder")
        }
        return resolved
    }

    /// The text of a file.
    ///
    /// - Throws: `EffectError.unreadable`.
    static func text(of path: String) throws(EffectError) -> String {
        // A pipe in place of a file would never end: only what is a file is opened for reading.
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else {
            throw .unreadable(path: path, reason: String(cString: strerror(errno)))
        }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw .unreadable(path: path, reason: "it is not a file")
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

    /// Text in UTF-8, or in UTF-16 with the mark that says so, as programs of Windows write it. No
    /// mark stands before the result, which would be none of GLSL's.
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
