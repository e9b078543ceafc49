// SPDX-License-Identifier: Apache-2.0

/// Imports transitions of gl-transitions: a function `vec4 transition(vec2 uv)` that mixes the
/// results of `getFromColor` and `getToColor` while `progress` goes from 0 to 1.
///
/// - Corresponds to: https://github.com/gl-transitions/gl-transitions, specification 1.
package enum TransitionImporter {
    /// Creates an effect from the text of a file.
    ///
    /// - Throws: `EffectError.unsupported`, `.beyondLimit`, `.inaccessible`.
    package static func effect(
        text: String, path: String, folder: EffectFolder? = nil
    ) throws(EffectError) -> Effect {
        let text = ShaderText.withLineFeeds(text)
        try SourceLimits.check(text, path: path, firstLine: 1)
        let scanner = try UniformScanner(text, path: path, firstLine: 1)
        var inputs = [
            EffectInput(name: "startImage", kind: .image),
            EffectInput(name: "endImage", kind: .image),
        ]
        var progress = EffectInput(name: "progress", kind: .float)
        (progress.minimum, progress.maximum) = (.float(0), .float(1))
        (progress.label, progress.identity) = ("Progress", .float(0))
        inputs.append(progress)
        let given: Set = ["progress", "ratio", "from", "to"]
        for declaration in scanner.declarations where !given.contains(declaration.name) {
            guard var input = declaration.input,
                !inputs.contains(where: { $0.name == input.name })
            else { continue }
            input.deriveRange()
            inputs.append(input)
        }
        let body = try IncludeExpander(folder: folder).expand(
            ShaderSource(text: scanner.text, path: path, firstLine: 1))
        var effect = Effect(
            name: EffectName.name(ofPath: path), path: path, format: .transition,
            inputs: inputs,
            shaders: [
                [.generated(prologue)] + body
                    + [.generated(epilogue)]
            ])
        effect.credit = remark(["Author", "author"], in: text)
        effect.categories = ["Transition"]
        try SourceLimits.check(effect.shaders, vertex: effect.vertex)
        try ShaderVaryings.check(body)
        return effect
    }

    /// The declarations before the author's text. `ratio` is a variable instead of a macro, because
    /// authors have parameters of the same name. OpenGL ES permits only constants as initial values
    /// of global variables, and OpenGL evaluates the author's, which may contain `ratio`.
    private static let prologue = """
        #ifdef GL_ES
        float ratio;
        #else
        float ratio = playheadRENDERSIZE.x / playheadRENDERSIZE.y;
        #endif
        vec4 getFromColor(vec2 uv) { return texture(startImage, uv); }
        vec4 getToColor(vec2 uv) { return texture(endImage, uv); }

        """

    private static let epilogue = """
        void main() {
        #ifdef GL_ES
            ratio = playheadRENDERSIZE.x / playheadRENDERSIZE.y;
        #endif
            gl_FragColor = transition(isf_FragNormCoord);
        }

        """

    /// Returns the text after a key, as in `// Author: gre`.
    private static func remark(_ keys: [String], in text: String) -> String {
        for line in ShaderText.lines(text) where line.hasPrefix("//") {
            guard
                let range = keys.lazy.compactMap({ ShaderText.firstRange(of: "\($0):", in: line) })
                    .first
            else { continue }
            return String(ShaderText.trimmed(line[range.upperBound...]))
        }
        return ""
    }
}

extension EffectInput {
    /// Sets the range of the input's slider to 0 to twice the default, because the format does not
    /// define ranges.
    mutating func deriveRange() {
        guard minimum == nil, maximum == nil else { return }
        switch defaultValue {
        case .float(let number) where number != 0:
            (minimum, maximum) = (.float(min(0, 2 * number)), .float(max(0, 2 * number)))
        case .float:
            (minimum, maximum) = (.float(0), .float(1))
        case .long(let number) where abs(number) < 1 << 20:
            (minimum, maximum) = (.long(min(0, 2 * number)), .long(max(1, 2 * number)))
        default: break
        }
    }
}
