// SPDX-License-Identifier: Apache-2.0

extension Effect {
    /// A Boolean value that indicates whether a pixel of the output depends only on the same pixel
    /// of the input. Consecutive effects for which this is true are drawn in one pass.
    ///
    /// The value is derived from the text of the shader: the effect must have one pass, and must
    /// read `inputImage` only with ISF's functions for the current pixel. If the text is
    /// inconclusive, the value is false.
    package var isPerPixel: Bool {
        guard format == .isf, kind == .filter, passes.count == 1,
            passes[0].target == nil, vertex.isEmpty, shaders.count == 1,
            importedImages.isEmpty, inputs.filter(\.isSampler).count == 1,
            !requirements.sourceSize,
            requirements.alpha != .premultiplied
        else { return false }
        let bytes = code
        // Names of frame counters, and names of functions that read other pixels.
        for word in [
            "FRAMEINDEX", "TIMEDELTA", "PASSINDEX", "discard", "texture", "texture2D",
            "textureSize",
            "texelFetch", "IMG_SIZE", "IMG_PIXEL", "IMG_NORM_PIXEL", "dFdx", "dFdy", "fwidth",
            "struct", "extension", "varying", "out",
        ] where !ShaderText.ranges(of: word, in: bytes).isEmpty {
            return false
        }
        // Only `gl_FragColor` reaches the next effect, so a shader that writes to another output is
        // not fused.
        guard !ShaderText.ranges(of: "gl_FragColor", in: bytes).isEmpty, Self.hasPlainGlobals(bytes)
        else { return false }
        return ShaderText.ranges(of: "inputImage", in: bytes).allSatisfy { range in
            ["IMG_THIS_PIXEL(", "IMG_THIS_NORM_PIXEL("].contains {
                bytes[..<range.lowerBound].suffix($0.utf8.count).elementsEqual($0.utf8)
            }
        }
    }

    /// A Boolean value that indicates whether a pixel of the output depends only on the same pixel
    /// of the input and on the values of the inputs, and neither on time nor on position.
    package var isPointwise: Bool {
        guard isPerPixel, !inputs.contains(where: { $0.kind == .event }) else { return false }
        let bytes = code
        return [
            "TIME", "DATE", "RENDERSIZE", "gl_FragCoord", "isf_FragNormCoord", "vv_FragNormCoord",
            "gl_TexCoord",
        ].allSatisfy { ShaderText.ranges(of: $0, in: bytes).isEmpty }
    }

    /// Returns false if the shader assigns a value to a variable outside of functions, directly or
    /// in a macro. Such an initializer would run before the input is available. Constants cannot
    /// depend on the input, so they are allowed.
    private static func hasPlainGlobals(_ bytes: [UInt8]) -> Bool {
        let tokens = ShaderTokens(JoinedText(bytes))
        let macros = tokens.directives.compactMap { ShaderMacro($0) }
        // With unbalanced brackets, the code outside of functions cannot be found.
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
