// SPDX-License-Identifier: Apache-2.0

/// The name of the fixed-function pipeline that is supported in fragment shaders: `gl_TexCoord[0]`,
/// which is the position in the frame, from 0 to 1. Older shaders of ISF and of other hosts use it.
enum FixedFunctionNames {
    private static let texturePosition = "gl_TexCoord"

    /// The definition of the macro: the first element of an array, which can be indexed.
    static let declaration =
        "#define \(ReservedNames.texturePosition) vec4[1](vec4(isf_FragNormCoord, 0.0, 1.0))\n"

    /// Returns whether `gl_TexCoord` is the position in the frame: the shader is in a format with
    /// its own `main`, and no vertex shader writes another value.
    static func isPosition(
        in format: EffectFormat, _ pieces: [ShaderSource], vertex: [ShaderSource]
    ) -> Bool {
        [.isf, .glsl].contains(format) && mentions(pieces) && !mentions(vertex)
    }

    static func replaced(in text: String) -> String {
        ShaderText.replacing(texturePosition, by: ReservedNames.texturePosition, in: text)
    }

    private static func mentions(_ pieces: [ShaderSource]) -> Bool {
        pieces.contains { ShaderText.mentions(texturePosition, in: $0.text) }
    }

    /// Checks that a fragment shader reads no texture coordinates but the first.
    ///
    /// - Throws: `EffectError.unsupported`, with the line.
    static func check(_ pieces: [ShaderSource]) throws(EffectError) {
        for piece in pieces where ShaderText.mentions(texturePosition, in: piece.text) {
            let code = ShaderTokens(JoinedText(Array(piece.text.utf8))).code
            for index in code.indices where code[index].text == texturePosition {
                guard code.text(index + 1) == "[", code.text(index + 3) == "]",
                    let number = Int(code.text(index + 2)), number > 0
                else { continue }
                let line = ShaderText.line(
                    at: code[index].offset, in: Array(piece.text.utf8))
                throw .unsupported(
                    path: piece.path, line: piece.firstLine + line - 1,
                    reason: "no vertex shader writes gl_TexCoord[\(number)]; for the position of a "
                        + "pixel, use isf_FragNormCoord")
            }
        }
    }
}
