// SPDX-License-Identifier: Apache-2.0

/// Detects the format of an effect from its text.
///
/// File names say little: three formats use the extension `.glsl`.
package enum FormatDetector {
    /// Returns the format of a text, or nil if it is none of those supported.
    package static func format(of text: String) -> EffectFormat? {
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
