// SPDX-License-Identifier: Apache-2.0

/// Finds shaders that write colour and never alpha, which OpenGL then leaves undefined.
///
/// Reads the text alone: an output that a function or a macro may write counts as written.
enum AlphaCheck {
    /// Returns a warning at the first write, or nil if alpha is written or nothing is.
    ///
    /// - Parameters:
    ///   - pieces: the pieces of a fragment shader.
    ///   - output: the name of the variable that it writes to.
    static func warning(_ pieces: [ShaderSource], output: String) -> ShaderDiagnostic? {
        var first: (piece: ShaderSource, offset: Int)?
        for piece in pieces {
            let tokens = ShaderTokens(JoinedText(Array(piece.text.utf8)))
            for directive in tokens.directives
            where directive.contains(where: { $0.text == output }) {
                return nil
            }
            for index in tokens.code.indices where tokens.code[index].text == output {
                // Its declaration: `out vec4 name;`.
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
