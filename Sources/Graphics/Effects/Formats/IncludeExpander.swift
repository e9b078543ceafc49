// SPDX-License-Identifier: Apache-2.0

/// Replaces the `#include` lines of a shader by the included files, and disables directives that
/// would make line numbers wrong.
///
/// The result consists of pieces, each with its file and first line, so that a driver's messages
/// can be converted to refer to the author's files.
struct IncludeExpander {
    /// The maximum depth of includes. A greater depth is most likely a cycle.
    private static let maximumDepth = 16
    /// The maximum number of included files, and their maximum size in bytes.
    private static let maximumCount = 256
    private static let maximumSize = 2 << 20

    /// The folder of files that can be included; nil for built-in effects and texts without a file.
    let folder: EffectFolder?

    /// Expands a shader.
    ///
    /// - Throws: `EffectError.inaccessible`, `.unreadable`, `.beyondLimit`.
    func expand(_ source: ShaderSource) throws(EffectError) -> [ShaderSource] {
        var expansion = Expansion(folder: folder)
        try expansion.expand(source, depth: 0)
        return expansion.pieces
    }

    private struct Expansion {
        let folder: EffectFolder?
        var pieces: [ShaderSource] = []
        var count = 0
        var size = 0

        mutating func expand(_ source: ShaderSource, depth: Int) throws(EffectError) {
            let lines = ShaderText.lines(source.text)
            // Directives in comments are ignored.
            let code = ShaderText.lines(ShaderText.withoutComments(source.text))
            let includes = zip(code.indices, code).contains {
                ShaderText.directive($1)?.name == "include"
            }
            var text = ""
            var firstLine = source.firstLine
            func piece() -> ShaderSource {
                ShaderSource(text: text, path: source.path, firstLine: firstLine)
            }
            for (index, line) in lines.enumerated() {
                let number = source.firstLine + index
                switch ShaderText.directive(code[index])?.name {
                case "include":
                    pieces.append(piece())
                    try include(line, number, from: source.path, depth: depth)
                    (text, firstLine) = ("\n", number)
                // The directive is replaced by a comment, so that it has no effect.
                case "line", "version":
                    text += ShaderText.disabled(line) + "\n"
                case "else", "elif", "endif":
                    text += line + "\n"
                    // If the compiler skips a branch that includes a file, it also skips the lines
                    // that restore the line number. Therefore a new piece begins here.
                    if includes {
                        pieces.append(piece())
                        (text, firstLine) = ("", number + 1)
                    }
                default:
                    text += line + "\n"
                }
            }
            pieces.append(piece())
        }

        private mutating func include(
            _ line: Substring, _ number: Int, from file: String, depth: Int
        ) throws(EffectError) {
            let rest = ShaderText.directive(line)?.rest ?? ""
            let name = rest.dropFirst().prefix { $0 != "\"" && $0 != ">" }
            guard rest.hasPrefix("\"") || rest.hasPrefix("<"), !name.isEmpty else {
                throw .inaccessible(
                    path: file, line: number, reason: "#include takes a name in quotation marks")
            }
            guard let folder else {
                throw .inaccessible(
                    path: file, line: number,
                    reason: "'\(name)' cannot be read: the effect is not in a folder")
            }
            count += 1
            guard depth < IncludeExpander.maximumDepth, count <= IncludeExpander.maximumCount else {
                throw .beyondLimit(
                    path: file, line: number,
                    reason: "'\(name)' is nested too deeply, or includes itself")
            }
            let path = try folder.locate(String(name), from: file, line: number)
            // Error reports use the path as the author wrote it.
            let shown = (file.lastIndex(of: "/").map { file[...$0] } ?? "") + name
            let text = try EffectFolder.text(of: path)
            size += text.utf8.count
            guard size <= IncludeExpander.maximumSize else {
                throw .beyondLimit(
                    path: file, line: number,
                    reason: "included files exceed \(IncludeExpander.maximumSize) bytes")
            }
            try SourceLimits.check(text, path: String(shown), firstLine: 1)
            try expand(
                ShaderSource(text: text, path: String(shown), firstLine: 1), depth: depth + 1)
        }
    }
}
