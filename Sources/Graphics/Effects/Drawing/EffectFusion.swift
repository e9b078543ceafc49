// SPDX-License-Identifier: Apache-2.0

/// Several per-pixel effects, combined into one effect so that the whole chain is drawn in one
/// pass.
///
/// The result is the same as that of separate passes with 16-bit images between them: nothing is
/// rounded to 8 bits. Before each effect, colours are clamped to 0 to 1, unless the effect declares
/// `"RANGE": "any"`. Such an effect reads the unclamped output of the previous effect, so one
/// effect can darken and the next brighten without loss.
struct EffectFusion {
    /// The fused effect. Its inputs are `inputImage`, followed by the inputs of all effects in
    /// order.
    let effect: Effect

    /// Creates the fused effect.
    ///
    /// - Precondition: There are at least two effects, and all of them are per pixel.
    init(_ effects: [Effect]) {
        precondition(effects.count > 1, "fusing takes more than one effect")
        var inputs = [EffectInput(name: "inputImage", kind: .image)]
        var text = "vec4 playheadSource;\n"
        var main = "void main() {\n    playheadSource = IMG_THIS_PIXEL(inputImage);\n"
        for (index, effect) in effects.enumerated() {
            let prefix = "e\(index)_"
            for input in effect.inputs where !input.isSampler {
                inputs.append(input.renamed(prefix + input.name))
            }
            text += "vec4 \(prefix)playheadColor;\n" + Self.renamed(effect, prefix: prefix) + "\n"
            // The limit on the iterations of loops applies to each effect separately.
            main += "    \(LoopGuard.restart)\(prefix)main();\n"
            if index == effects.count - 1 {
                main += "    gl_FragColor = \(prefix)playheadColor;\n}\n"
            } else if effects[index + 1].requirements.anyRange {
                main += "    playheadSource = \(prefix)playheadColor;\n"
            } else {
                main += "    playheadSource = clamp(\(prefix)playheadColor, 0.0, 1.0);\n"
            }
        }
        var effect = Effect(
            name: effects.map(\.name).joined(separator: "+"), path: effects[0].path, format: .isf,
            inputs: inputs, shaders: [[.generated(text + main)]])
        effect.isBuiltIn = effects.allSatisfy(\.isBuiltIn)
        self.effect = effect
    }

    /// Returns an effect's text with a prefix added to every global name.
    private static func renamed(_ effect: Effect, prefix: String) -> String {
        let bytes = effect.code
        var names = declaredNames(bytes)
        names.formUnion(effect.inputs.lazy.filter { !$0.isSampler }.map(\.name))
        names.insert("main")
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            guard ShaderText.isWord(bytes[index]), !ShaderText.isDigit(bytes[index]) else {
                // Copies a number with its suffix or exponent, such as `1e5` or `0xFF`.
                let start = index
                repeat {
                    index += 1
                } while index < bytes.count
                    && ShaderText.isDigit(bytes[start]) && ShaderText.isWord(bytes[index])
                result += bytes[start..<index]
                continue
            }
            let end = bytes[index...].firstIndex { !ShaderText.isWord($0) } ?? bytes.count
            let word = String(decoding: bytes[index..<end], as: UTF8.self)
            // After a dot, a word is a component.
            let isComponent = result.last == UInt8(ascii: ".")
            switch word {
            case "gl_FragColor": result += Array((prefix + "playheadColor").utf8)
            case _ where names.contains(word) && !isComponent:
                result += Array((prefix + word).utf8)
            default: result += bytes[index..<end]
            }
            index = end
        }
        var text = String(decoding: result, as: UTF8.self)
        for function in ["IMG_THIS_PIXEL", "IMG_THIS_NORM_PIXEL"] {
            text = ShaderText.replacing(
                "\(function)(inputImage)", by: "playheadSource", in: text)
        }
        return text
    }

    /// Returns the names that are declared outside of all braces and parentheses, and the names of
    /// macros.
    private static func declaredNames(_ bytes: [UInt8]) -> Set<String> {
        var names: Set<String> = []
        var bytes = bytes
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            let text = String(decoding: line, as: UTF8.self)
            guard let directive = ShaderText.directive(text[...]) else { continue }
            if directive.name == "define" {
                let name = directive.rest.utf8.prefix(while: ShaderText.isWord)
                names.insert(String(Substring(name)))
            }
            // Directives other than macro definitions declare nothing: `#ifdef PLAYHEAD` tests a
            // name of the host.
            for index in line.indices { bytes[index] = UInt8(ascii: " ") }
        }
        var depth = 0
        var last = ""
        var index = 0
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "{"), UInt8(ascii: "("): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: ")"): depth -= 1
            case UInt8(ascii: ","), UInt8(ascii: " "), 9, 10, 13: break
            case let byte where ShaderText.isWord(byte):
                let end = bytes[index...].firstIndex { !ShaderText.isWord($0) } ?? bytes.count
                let word = String(decoding: bytes[index..<end], as: UTF8.self)
                if depth == 0, !last.isEmpty { names.insert(word) }
                last = depth == 0 ? word : ""
                index = end
                continue
            default: last = ""
            }
            if bytes[index] != UInt8(ascii: " "), !(9...13).contains(bytes[index]),
                bytes[index] != UInt8(ascii: ",")
            {
                last = ""
            }
            index += 1
        }
        return names.subtracting(Self.types)
    }

    /// The qualifiers and types that precede a declared name and are not names themselves. For
    /// example, only `x` is declared by `const float x`.
    private static let types: Set<String> = [
        "const", "uniform", "highp", "mediump", "lowp", "precision", "void", "bool", "int", "uint",
        "float", "vec2", "vec3", "vec4", "ivec2", "ivec3", "ivec4", "uvec2", "uvec3", "uvec4",
        "bvec2", "bvec3", "bvec4", "mat2", "mat3", "mat4",
    ]
}

extension EffectInput {
    /// Returns the input with another name.
    func renamed(_ name: String) -> EffectInput {
        var input =
            kind == .event
            ? EffectInput(name: name, kind: .event)
            : EffectInput(name: name, uniformType: uniformType, defaultValue: defaultValue)
        input.label = label
        return input
    }
}
