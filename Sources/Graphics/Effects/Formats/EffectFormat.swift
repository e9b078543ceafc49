// SPDX-License-Identifier: Apache-2.0

/// A way of writing effects in files.
public enum EffectFormat: String, Sendable, Hashable, CaseIterable {
    /// Interactive Shader Format, versions 2 and 1: a JSON header, then GLSL.
    case isf
    /// gl-transitions: a function `transition` between two pictures.
    case transition = "gl-transition"
    /// Shadertoy: a function `mainImage`; a folder of tabs for several passes.
    case shadertoy
    /// User shaders of mpv and libplacebo: blocks of `//!` lines, functions `hook`.
    case hook = "mpv"
    /// GLSL with a `main` of its own, told what glslViewer tells: `u_time`, `u_resolution`, …
    case glsl
    /// A table of colours: Adobe's `.cube`.
    case cube

    /// What a text is written in, by what stands in it; nil where it is none of these.
    ///
    /// Names of files say little: `.glsl` is used for three of them.
    package static func detect(_ text: String) -> EffectFormat? {
        let text = ShaderText.withLineFeeds(text)
        if ShaderText.hasLine(startingWith: "//!HOOK", in: text)
            || ShaderText.hasLine(startingWith: "//!TEXTURE", in: text)
            || ShaderText.hasLine(startingWith: "//!BUFFER", in: text)
        {
            return .hook
        }
        if CubeTable.isOne(text) { return .cube }
        let code = ShaderText.withoutComments(text)
        let isISF = ISFImporter.hasHeader(text)
        if !isISF, ShaderText.calls("transition", in: code), !ShaderText.calls("main", in: code) {
            return .transition
        }
        if !isISF, ShaderText.calls("mainImage", in: code), !ShaderText.calls("main", in: code) {
            return .shadertoy
        }
        if isISF { return .isf }
        return ShaderText.calls("main", in: code) ? .glsl : nil
    }
}
