// SPDX-License-Identifier: Apache-2.0

extension EffectSource {
    /// Returns the author's `#extension` directives, which must precede all declarations. They are
    /// returned with the conditions around them, and with the macros that these conditions may
    /// test.
    static func extensions(_ pieces: [ShaderSource], _ paths: [String]) -> String {
        guard pieces.contains(where: { ShaderText.mentions("extension", in: $0.text) }) else {
            return ""
        }
        var text = ""
        // The macros that were defined since the last `#extension`. They are needed if another
        // `#extension` follows.
        var macros = ""
        var names: Set<String> = []
        // The text of the outermost `#if` that is still open.
        var group = ""
        var depth = 0
        var (hasExtension, hasMacro) = (false, false)
        for piece in pieces {
            let file = paths.firstIndex(of: piece.path) ?? 0
            for (line, directive) in directives(piece.text) {
                switch directive.name {
                case "if", "ifdef", "ifndef": depth += 1
                case "endif": depth -= 1
                case "extension": hasExtension = true
                case "define", "undef":
                    hasMacro = true
                    names.insert(
                        String(Substring(directive.rest.utf8.prefix(while: ShaderText.isWord))))
                case "else", "elif": break
                default: continue
                }
                group += lineDirective(piece.firstLine + line, file)
                group += "#\(directive.name) \(directive.rest)\n"
                guard depth <= 0 else { continue }
                if hasExtension {
                    text += macros + group
                    macros = ""
                } else if hasMacro {
                    macros += group
                }
                (group, depth, hasExtension, hasMacro) = ("", 0, false, false)
            }
        }
        guard !text.isEmpty else { return "" }
        // The author's text defines these macros again at their original position, so they are
        // undefined until then.
        let defined = names.filter { !isPredefined($0) }.sorted()
        return "#define PLAYHEAD 1\n" + text + defined.map { "#undef \($0)\n" }.joined()
    }

    /// Returns the preprocessor directives, each with the number of its line from 0.
    private static func directives(
        _ text: String
    ) -> [(line: Int, directive: (name: Substring, rest: Substring))] {
        let bytes = Array(text.utf8)
        let joined = JoinedText(bytes)
        var found: [(line: Int, directive: (name: Substring, rest: Substring))] = []
        var (line, counted) = (0, 0)
        for part in joined.bytes.split(separator: UInt8(ascii: "\n")) {
            let content = String(decoding: part, as: UTF8.self)
            guard let directive = ShaderText.directive(content[...]) else { continue }
            let place = joined.place(of: part.startIndex)
            line += bytes[counted..<place].count { $0 == UInt8(ascii: "\n") }
            counted = place
            found.append((line, directive))
        }
        return found
    }

    /// Returns whether a macro is predefined. A shader must not undefine such a macro.
    private static func isPredefined(_ name: String) -> Bool {
        name.hasPrefix("GL_") || ["__LINE__", "__FILE__", "__VERSION__"].contains(name)
    }

    /// Returns a text without the directives that `extensions` has returned.
    static func withoutExtensions(_ text: String) -> String {
        guard ShaderText.mentions("extension", in: text) else { return text }
        let lines = ShaderText.lines(text)
        return zip(lines, ShaderText.lines(ShaderText.withoutComments(text))).map { line, code in
            guard ShaderText.directive(code)?.name == "extension" else { return String(line) }
            // A comment that begins in this line may continue in the next.
            let rest = zip(line.utf8, code.utf8).map { $0 == $1 ? UInt8(ascii: " ") : $0 }
            return String(decoding: rest, as: UTF8.self)
        }.joined(separator: "\n")
    }
}
