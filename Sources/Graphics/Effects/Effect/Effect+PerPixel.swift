// SPDX-License-Identifier: Apache-2.0

extension Effect {
    /// A Boolean value that indicates whether a pixel of the output depends on the same pixel of
    /// the input and on nothing else. Consecutive effects of this kind are drawn as one.
    ///
    /// The text decides: the effect has one pass, and reads `inputImage` only with ISF's functions
    /// for the current pixel. In doubt it is false.
    package var isPerPixel: Bool {
        guard format == .isf, kind == .filter, passes.count == 1,
            passes[0].target == nil, vertex.isEmpty, shaders.count == 1,
            importedImages.isEmpty, inputs.filter(\.isSampler).count == 1,
            !requirements.sourceSize,
            requirements.alpha != .premultiplied
        else { return false }
        let bytes = code
        // What counts frames, or asks for more than this pixel.
        for word in [
            "FRAMEINDEX", "TIMEDELTA", "PASSINDEX", "discard", "texture", "texture2D",
            "textureSize",
            "texelFetch", "IMG_SIZE", "IMG_PIXEL", "IMG_NORM_PIXEL", "dFdx", "dFdy", "fwidth",
            "struct", "extension", "varying", "out",
        ] where !ShaderText.ranges(of: word, in: bytes).isEmpty {
            return false
        }
        // What is written elsewhere than into `gl_FragColor` does not come through.
        guard !ShaderText.ranges(of: "gl_FragColor", in: bytes).isEmpty, Self.hasPlainGlobals(bytes)
        else { return false }
        return ShaderText.ranges(of: "inputImage", in: bytes).allSatisfy { range in
            ["IMG_THIS_PIXEL(", "IMG_THIS_NORM_PIXEL("].contains {
                bytes[..<range.lowerBound].suffix($0.utf8.count).elementsEqual($0.utf8)
            }
        }
    }

    /// Whether no variable outside of functions is given a value there, be it by a macro: that
    /// would be asked for before there is a picture. Constants cannot depend on one.
    private static func hasPlainGlobals(_ bytes: [UInt8]) -> Bool {
        let tokens = ShaderTokens(JoinedText(bytes))
        let macros = tokens.directives.compactMap { ShaderMacro($0) }
        // Where brackets have no partners, what is outside cannot be told.
        for texts in [tokens.code[...]] + macros.map({ $0.tokens[$0.body] })
        where texts.contains(where: { $0.isBracket && $0.partner == nil }) {
            return false
        }
        for macro in macros
        where macro.tokens[macro.body].contains(where: {
            ["=", ";"].contains($0.text) && $0.enclosing == nil
        }) {
            return false
        }
        var isConstant = false
        for token in tokens.code where token.enclosing == nil {
            switch token.text {
            case "const": isConstant = true
            case ";", "}": isConstant = false
            case "=" where !isConstant: return false
            default: break
            }
        }
        return true
    }

    /// The text of the first shader. Comments are replaced by spaces, also in preprocessor lines.
    var code: [UInt8] {
        let text = shaders[0].reduce(into: "") { $0 += $1.text }
        return ShaderText.withoutComments(Array(text.utf8), keepsLines: false)
    }
}
