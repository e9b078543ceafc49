// SPDX-License-Identifier: Apache-2.0

/// Puts the files that a shader includes in the place of its `#include` lines, and takes away the
/// directives that would make line numbers false.
///
/// The result is in pieces, each with its file and first line, so that whatever a driver says of it
/// can be said of the author's files.
struct IncludeExpander {
    /// Files that include files that include files: deeper is a circle, or no shader.
    private static let maximumDepth = 16
    /// Files in all, and bytes of them.
    private static let maximumCount = 256
    private static let maximumSize = 2 << 20

    /// Nil where nothing may be included: built-in effects, and texts without a file.
    let folder: EffectFolder?

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
            // Directives in comments are none.
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
                // The line itself is an empty one from here on.
                case "line", "version":
                    text += ShaderText.disabled(line) + "\n"
                case "else", "elif", "endif":
                    text += line + "\n"
                    // What was left out may have had other line numbers.
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
                    reason: "'\(name)' cannot be read: the effect has no folder of its own")
            }
            count += 1
            guard depth < IncludeExpander.maximumDepth, count <= IncludeExpander.maximumCount else {
                throw .beyondLimit(
                    path: file, line: number,
                    reason: "'\(name)' is included too deeply, or by itself")
            }
            let path = try folder.locate(String(name), from: file, line: number)
            // Reports name it as its author would.
            let shown = (file.lastIndex(of: "/").map { file[...$0] } ?? "") + name
            let text = try EffectFolder.text(of: path)
            size += text.utf8.count
            guard size <= IncludeExpander.maximumSize else {
                throw .beyondLimit(
                    path: file, line: number,
                    reason: "files of more than \(IncludeExpander.maximumSize) bytes are included")
            }
            try SourceLimits.check(text, path: String(shown), firstLine: 1)
            try expand(
                ShaderSource(text: text, path: String(shown), firstLine: 1), depth: depth + 1)
        }
    }
}
