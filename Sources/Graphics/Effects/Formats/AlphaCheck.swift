// SPDX-License-Identifier: Apache-2.0

/// Detects shaders that write colour but never alpha, which leaves alpha undefined in OpenGL.
///
/// The check reads only the text. If a function or a macro may write the output, alpha is treated
/// as written.
enum AlphaCheck {
    /// Returns a warning about the first place that writes the output; nil if alpha is written or
    /// nothing is written.
    ///
    /// - Parameters:
    ///   - pieces: The pieces of a fragment shader.
    ///   - output: The name of the output variable.
    static func warning(_ pieces: [ShaderSource], output: String) -> ShaderDiagnostic? {
        var first: (piece: ShaderSource, offset: Int)?
        for piece in pieces {
            let tokens = ShaderTokens(JoinedText(Array(piece.text.utf8)))
            for directive in tokens.directives
            where directive.contains(where: { $0.text == output }) {
                return nil
            }
            for index in tokens.code.indices where tokens.code[index].text == output {
                // The declaration of the output: `out vec4 name;`.
                if tokens.code.isName(index - 1), tokens.code.text(index + 1) == ";" { continue }
                let swizzle = tokens.code.text(index + 2)
                guard tokens.code.text(index + 1) == ".",
                    !swizzle.contains(where: { "awq".contains($0) })
                else { return nil }
                let isWrite = tokens.code.text(index + 3).hasSuffix("=")
                if isWrite, first == nil { first = (piece, tokens.code[index].offset) }
            }
        }
        guard let (piece, offset) = first else { return nil }
        let line = ShaderText.line(at: offset, in: Array(piece.text.utf8))
        return ShaderDiagnostic(
            path: piece.path, line: piece.firstLine + line - 1, column: nil, isWarning: true,
            message: "no alpha is written, so it is undefined; write four components, such as "
                + "vec4(color, 1.0)")
    }
}
