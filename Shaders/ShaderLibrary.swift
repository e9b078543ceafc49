// SPDX-License-Identifier: Apache-2.0

/// The shader files of this folder, embedded in the program.
///
/// - Concurrency: any thread.
public enum ShaderLibrary {
    /// A shader file.
    public struct File: Sendable, Hashable {
        /// Such as `picture.glsl`; unlike any other file's, whatever its folder.
        public let name: String
        public let text: String
    }

    /// Every file, effects included.
    public static let all: [File] = [
        file("picture.glsl", PackageResources.picture_glsl),
        file("colorimetry.glsl", PackageResources.colorimetry_glsl),
        file("scaling.glsl", PackageResources.scaling_glsl),
        file("deinterlace.frag", PackageResources.deinterlace_frag),
        file("chroma.glsl", PackageResources.chroma_glsl),
        file("quad.vert", PackageResources.quad_vert),
        file("layer.frag", PackageResources.layer_frag),
        file("instance.vert", PackageResources.instance_vert),
        file("instance.frag", PackageResources.instance_frag),
        file("blend.glsl", PackageResources.blend_glsl),
        file("checkerboard.fs", PackageResources.checkerboard_fs),
        file("chroma_key.fs", PackageResources.chroma_key_fs),
    ]

    /// The built-in effects: ISF files.
    public static var effects: [File] { all.filter { $0.name.hasSuffix(".fs") } }

    /// The text of a file.
    ///
    /// - Precondition: there is such a file: names are written in source, not read from anywhere.
    public static func text(_ name: String) -> String {
        guard let file = all.first(where: { $0.name == name }) else {
            preconditionFailure("there is no shader file '\(name)'")
        }
        return file.text
    }

    /// A whole shader for OpenGL 3.3: version, defines, then files one after the other, each with
    /// its own line numbers.
    ///
    /// - Parameter defines: name and value, in the order wanted.
    public static func source(
        _ files: [String], defines: [(name: String, value: String)] = []
    ) -> String {
        var source = "#version 330 core\n"
        for define in defines { source += "#define \(define.name) \(define.value)\n" }
        for (index, name) in files.enumerated() {
            source += "#line 1 \(index)\n" + text(name) + "\n"
        }
        return source
    }

    private static func file(_ name: String, _ bytes: [UInt8]) -> File {
        File(name: name, text: String(decoding: bytes, as: UTF8.self))
    }
}
