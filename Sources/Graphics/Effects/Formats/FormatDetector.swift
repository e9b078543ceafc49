// SPDX-License-Identifier: Apache-2.0

/// Detects the format of an effect from its text.
///
/// File names are not enough: three formats use the extension `.glsl`.
package enum FormatDetector {
    /// Returns the format of a text, or nil if the format is not supported.
    package static func format(of text: String) -> EffectFormat? {
        let text = ShaderText.withLineFeeds(text)
        let directives = ["//!HOOK", "//!TEXTURE", "//!BUFFER", "//!PARAM"]
        if directives.contains(where: { ShaderText.hasLine(startingWith: $0, in: text) }) {
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
        guard ShaderText.calls("main", in: code) else { return nil }
        return readsShadertoyNames(code) ? .shadertoy : .glsl
    }

    /// Returns whether a text with a `main` uses Shadertoy's names without declaring them, or has
    /// the channel directives of Visual Studio Code's Shader Toy extension.
    private static func readsShadertoyNames(_ code: String) -> Bool {
        let tokens = ShaderTokens(JoinedText(Array(code.utf8)))
        let isChannel = { (name: String) in name.hasPrefix("iChannel") || name == "iUniform" }
        if ShaderText.lines(code).contains(where: {
            ShaderText.directive($0).map { isChannel(String($0.name)) } ?? false
        }) {
            return true
        }
        var used: Set<String> = []
        var declared: Set<String> = []
        for index in tokens.code.indices
        where HostUniforms.shadertoy.contains(tokens.code[index].text) {
            let name = tokens.code[index].text
            // A name that follows a type is being declared.
            let isDeclared =
                tokens.code.isName(index - 1) && tokens.code.text(index - 1) != "return"
            if isDeclared { declared.insert(name) } else { used.insert(name) }
        }
        for directive in tokens.directives {
            if let macro = ShaderMacro(directive) { declared.insert(macro.name) }
        }
        return !used.subtracting(declared).isEmpty
    }
}
