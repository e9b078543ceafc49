// SPDX-License-Identifier: Apache-2.0

import Foundation

/// An effect's file, or a Shadertoy folder.
struct ConformanceSubject {
    let path: String

    private static let endings: Set = ["fs", "glsl", "frag", "hook"]

    /// Returns all effects below a folder, sorted by name.
    static func all(below folder: String) -> [ConformanceSubject] {
        let manager = FileManager.default
        var isFolder: ObjCBool = false
        guard manager.fileExists(atPath: folder, isDirectory: &isFolder) else { return [] }
        guard isFolder.boolValue else { return [ConformanceSubject(path: folder)] }
        let names = ((try? manager.contentsOfDirectory(atPath: folder)) ?? []).sorted()
        let base = folder.hasSuffix("/") ? folder : folder + "/"
        if names.contains(where: { $0.lowercased().hasPrefix("image.") && isShader($0) }) {
            return [ConformanceSubject(path: folder)]
        }
        return names.filter { !$0.hasPrefix(".") }.flatMap { name -> [ConformanceSubject] in
            let path = base + name
            var isFolder: ObjCBool = false
            guard manager.fileExists(atPath: path, isDirectory: &isFolder) else { return [] }
            if isFolder.boolValue { return all(below: path) }
            return isShader(name) ? [ConformanceSubject(path: path)] : []
        }
    }

    private static func isShader(_ name: String) -> Bool {
        endings.contains(name.split(separator: ".").last?.lowercased() ?? "")
    }
}
