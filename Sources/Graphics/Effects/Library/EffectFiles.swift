// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The files of an effect and their folders.
struct EffectFiles: Sendable {
    /// The paths of the files. For a symbolic link, both its own path and the path of its target
    /// are included.
    private(set) var paths: Set<String> = []
    private(set) var folders: Set<String> = []
    /// A Boolean value that indicates whether the effect is a folder of tabs.
    private(set) var isFolder = false

    /// Creates the list for one file.
    init(path: String) { add(path) }

    init(_ effect: Effect) {
        var status = stat()
        isFolder = stat(effect.path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
        add(isFolder ? effect.path + "/Image.glsl" : effect.path)
        // A vertex shader that does not exist yet may be added.
        if effect.format == .isf {
            for path in EffectName.vertexPaths(besides: effect.path) { add(path) }
        }
        for piece in effect.shaders.joined() { add(piece.path) }
        for piece in effect.vertex { add(piece.path) }
        for image in effect.importedImages { add(Self.folder(of: effect.path) + "/" + image.path) }
    }

    /// Adds a file by its own path and, if it is a symbolic link, by the path of the link's target,
    /// because either file may be replaced.
    private mutating func add(_ path: String) {
        guard path != ShaderSource.generatedPath else { return }
        paths.insert(Self.folder(of: path) + "/" + Self.name(of: path))
        folders.insert(Self.folder(of: path))
        guard let resolved = realpath(path, nil) else { return }
        defer { free(resolved) }
        let real = String(cString: resolved)
        paths.insert(real)
        folders.insert(Self.folder(of: real))
    }

    private static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private static func name(of path: String) -> Substring {
        path.lastIndex(of: "/").map { path[path.index(after: $0)...] } ?? path[...]
    }
}
