// SPDX-License-Identifier: Apache-2.0

import Glibc
package import PlayheadBuffers
import PlayheadShaders

/// The source of effects: built-in effects by name, and files in all formats by path.
///
/// - Concurrency: any thread; reads files, so not the render thread.
public enum EffectLibrary {
    /// The names of the built-in effects, in alphabetical order.
    public static let builtInNames: [String] =
        ShaderLibrary.effects.map { String($0.name.dropLast(3)) }.sorted()

    /// Reads an image that comes with an effect. This module cannot decode image files itself.
    ///
    /// - Parameter path: A path inside the effect's folder.
    /// - Throws: An error whose description is the reason, in one line.
    package typealias PictureReader = (_ path: String) throws -> PixelBuffer

    /// Returns a built-in effect by its name, or the effect at the path of a file or of a folder
    /// with Shadertoy's tabs.
    ///
    /// A name that contains a slash or a dot is treated as a path. Any other name is first looked
    /// up among the built-in effects.
    ///
    /// - Parameters:
    ///   - format: The format, or nil to detect it from the file's contents.
    ///   - readPicture: Reads images that come with effects; if nil, they are transparent.
    /// - Throws: `EffectError.notFound`, `.unreadable`, `.malformedHeader`, `.beyondLimit`,
    ///   `.unsupported`, `.inaccessible`.
    package static func effect(
        named name: String, format: EffectFormat? = nil, readPicture: PictureReader? = nil
    ) throws(EffectError) -> Effect {
        let isPath = name.contains("/") || name.contains(".")
        if !isPath, let file = ShaderLibrary.effects.first(where: { $0.name == name + ".fs" }) {
            var effect = try ISFImporter.effect(text: file.text, path: file.name)
            effect.isBuiltIn = true
            return effect
        }
        guard isPath || access(name, R_OK) == 0 else {
            throw .notFound(name: name, builtIn: builtInNames)
        }
        return try effect(path: name, format: format, readPicture: readPicture)
    }

    /// Reads an effect from a file in any format or from a folder with Shadertoy's tabs. For ISF, a
    /// vertex shader of the same name with the extension `.vs` or `.vert` is read too.
    ///
    /// Files that the effect includes and imports must be in the effect's folder or a subfolder.
    ///
    /// - Throws: `EffectError.unreadable`, `.malformedHeader`, `.beyondLimit`, `.unsupported`,
    ///   `.inaccessible`.
    package static func effect(
        path: String, format: EffectFormat? = nil, readPicture: PictureReader? = nil
    ) throws(EffectError) -> Effect {
        if let folder = EffectFolder(path: path) {
            let tabs = try tabs(of: folder, path: path)
            if !tabs.isEmpty {
                var effect = try ShadertoyImporter.effect(tabs: tabs, path: path, folder: folder)
                try read(&effect, folder, tabs[0].path, readPicture)
                return effect
            }
        }
        let text = try EffectFolder.text(of: path)
        let folder = EffectFolder(ofFile: path)
        // A file with the extension of a LUT is always read as a LUT, so that errors refer to that
        // format.
        let named: EffectFormat? = path.lowercased().hasSuffix(".cube") ? .cube : nil
        guard let format = format ?? FormatDetector.format(of: text) ?? named else {
            let openComment = ShaderText.lineOfOpenComment(in: text)
            throw .malformedHeader(
                path: path, line: openComment ?? 1, column: nil,
                reason: openComment == nil
                    ? "not an effect: it has neither a JSON header nor a function main, "
                        + "mainImage, transition or hook; if it is one, specify its format"
                    : "unterminated comment: '*/' is missing")
        }
        var effect: Effect
        switch format {
        case .isf:
            let vertexPath = EffectName.vertexPaths(besides: path).first { access($0, R_OK) == 0 }
            var vertexText: String?
            if let vertexPath { vertexText = try EffectFolder.text(of: vertexPath) }
            effect = try ISFImporter.effect(
                text: text, path: path, vertexText: vertexText, vertexPath: vertexPath,
                folder: folder)
        case .transition:
            effect = try TransitionImporter.effect(text: text, path: path, folder: folder)
        case .shadertoy:
            effect = try ShadertoyImporter.effect(text: text, path: path, folder: folder)
        case .hook: effect = try HookImporter.effect(text: text, path: path)
        case .cube: effect = try CubeImporter.effect(text: text, path: path)
        case .glsl: effect = try GLSLImporter.effect(text: text, path: path, folder: folder)
        }
        if let folder { try read(&effect, folder, path, readPicture) }
        return effect
    }

    /// Returns the files of a folder with Shadertoy's tabs; empty if the path is not a folder.
    private static func tabs(
        of folder: EffectFolder, path: String
    ) throws(EffectError) -> [(name: String, text: String, path: String)] {
        guard let listing = opendir(folder.path) else { return [] }
        defer { closedir(listing) }
        var names: [String] = []
        while let entry = readdir(listing) {
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                })
        }
        let base = path.hasSuffix("/") ? path : path + "/"
        var tabs: [(name: String, text: String, path: String)] = []
        for name in names.sorted() {
            guard let tab = ShadertoyImporter.tab(ofFileName: name),
                !tabs.contains(where: { $0.name == tab })
            else { continue }
            tabs.append((tab, try EffectFolder.text(of: base + name), base + name))
        }
        guard !tabs.isEmpty else {
            throw .unreadable(
                path: path,
                reason: "it is a folder without Shadertoy's Image.glsl")
        }
        return tabs
    }

    /// Reads the images that come with an effect.
    private static func read(
        _ effect: inout Effect, _ folder: EffectFolder, _ file: String, _ reader: PictureReader?
    ) throws(EffectError) {
        for (index, image) in effect.importedImages.enumerated() where image.picture == nil {
            let file = image.file ?? file
            let path = try folder.locate(image.path, from: file, line: image.line)
            guard let reader else { continue }
            do {
                effect.importedImages[index].picture = try reader(path)
            } catch {
                throw .inaccessible(
                    path: file, line: image.line,
                    reason: "'\(image.path)' cannot be read: \(error)")
            }
        }
    }

    /// Returns the LUT of a `.cube` file as an image, for inputs that take LUTs in this form.
    ///
    /// - Throws: `EffectError.unreadable`, `.malformedHeader`, `.beyondLimit`, `.unsupported`.
    package static func picture(ofCube path: String) throws(EffectError) -> PixelBuffer {
        try CubeImporter.squares(text: try EffectFolder.text(of: path), path: path)
    }

    /// Reads an image for an effect: a `.cube` file as a LUT, any other file with `readPicture`.
    ///
    /// - Throws: An error whose description is the reason, in one line.
    package static func picture(path: String, readPicture: PictureReader) throws -> PixelBuffer {
        try path.lowercased().hasSuffix(".cube") ? picture(ofCube: path) : readPicture(path)
    }
}
