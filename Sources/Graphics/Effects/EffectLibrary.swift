// SPDX-License-Identifier: Apache-2.0

import Glibc
import PlayheadShaders

/// Where effects come from: those built in, by name, and ISF files, by path.
///
/// - Concurrency: any thread; reads files, so not the render thread.
public enum EffectLibrary {
    /// The names of the built-in effects, in alphabetical order.
    public static let builtInNames: [String] =
        ShaderLibrary.effects.map { String($0.name.dropLast(3)) }.sorted()

    /// An effect by the name of a built-in one or by the path of an ISF file.
    ///
    /// What contains a slash or ends in `.fs` is a path; anything else is looked up among the
    /// built-in ones first.
    ///
    /// - Throws: `EffectError.notFound`, `.unreadable`, `.malformedHeader`.
    public static func effect(named name: String) throws(EffectError) -> Effect {
        let isPath = name.contains("/") || name.hasSuffix(".fs")
        if !isPath, let file = ShaderLibrary.effects.first(where: { $0.name == name + ".fs" }) {
            return try ISFImporter.effect(text: file.text, path: file.name)
        }
        guard isPath || access(name, R_OK) == 0 else {
            throw .notFound(name: name, builtIn: builtInNames)
        }
        return try effect(path: name)
    }

    /// An effect from an ISF file; the vertex shader beside it, of the same name with `.vs`, is
    /// read too.
    ///
    /// - Throws: `EffectError.unreadable`, `.malformedHeader`.
    public static func effect(path: String) throws(EffectError) -> Effect {
        let text = try read(path)
        var vertexText: String?
        if path.hasSuffix(".fs") {
            let vertexPath = String(path.dropLast(3)) + ".vs"
            if access(vertexPath, R_OK) == 0 { vertexText = try read(vertexPath) }
        }
        return try ISFImporter.effect(text: text, path: path, vertexText: vertexText)
    }

    /// Longer shaders are hostile, or no shaders.
    private static let maximumFileSize = 8 << 20

    private static func read(_ path: String) throws(EffectError) -> String {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else {
            throw .unreadable(path: path, reason: String(cString: strerror(errno)))
        }
        defer { close(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Glibc.read(file, &chunk, chunk.count)
            guard count >= 0 else {
                if errno == EINTR { continue }
                throw .unreadable(path: path, reason: String(cString: strerror(errno)))
            }
            guard count > 0 else { break }
            bytes.append(contentsOf: chunk[..<count])
            guard bytes.count <= maximumFileSize else {
                throw .unreadable(path: path, reason: "it is longer than 8 MiB")
            }
        }
        // A byte order mark would stand before GLSL's text.
        let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        return String(decoding: bytes[start...], as: UTF8.self)
    }
}
