// SPDX-License-Identifier: Apache-2.0

/// The variables of a fragment shader that a vertex shader has to write: GLSL's `varying`, and `in`
/// outside of functions.
///
/// Compilers accept variables that no vertex shader writes, but the values of such variables are
/// undefined. Therefore they are detected here.
struct ShaderVaryings {
    /// A declaration of one or more variables.
    private struct Declaration {
        let type: String
        /// The indices of the name tokens.
        let names: [Int]
        /// The tokens from the first qualifier to the semicolon.
        let tokens: ClosedRange<Int>
    }

    private let text: String
    private let code: [ShaderToken]
    private var declarations: [Declaration] = []
    /// The names and offsets of interface blocks.
    private(set) var blocks: [(name: String, offset: Int)] = []

    private static let precisions: Set<String> = ["lowp", "mediump", "highp"]
    private static let qualifiers: Set<String> = [
        "in", "varying", "lowp", "mediump", "highp", "smooth", "flat", "noperspective", "centroid",
    ]

    init(_ text: String) {
        self.text = text
        guard ShaderText.mentions("varying", in: text) || ShaderText.mentions("in", in: text) else {
            code = []
            return
        }
        code = ShaderTokens(JoinedText(Array(text.utf8))).code
        for index in code.indices
        where ["in", "varying"].contains(code[index].text) && code[index].enclosing == nil {
            read(at: index)
        }
    }

    private mutating func read(at keyword: Int) {
        var index = keyword + 1
        while Self.qualifiers.contains(code.text(index)) { index += 1 }
        guard code.isName(index) else { return }
        if code.text(index + 1) == "{" {
            blocks.append((code[index].text, code[index].offset))
            return
        }
        let type = code[index].text
        var names: [Int] = []
        repeat {
            index += 1
            guard code.isName(index) else { return }
            names.append(index)
            index += 1
            if code.text(index) == "[" { index = (code[index].partner ?? index) + 1 }
        } while code.text(index) == ","
        guard code.text(index) == ";" else { return }
        declarations.append(
            Declaration(type: type, names: names, tokens: start(of: keyword)...index))
    }

    /// Returns the index of the first qualifier of a declaration.
    private func start(of keyword: Int) -> Int {
        var start = keyword
        while let before = qualifier(before: start) { start = before }
        return start
    }

    private func qualifier(before index: Int) -> Int? {
        guard code.indices.contains(index - 1), code[index - 1].branch == code[index].branch else {
            return nil
        }
        if code[index - 1].text == ")", let open = code[index - 1].partner {
            return code.text(open - 1) == "layout" ? open - 1 : nil
        }
        return Self.qualifiers.contains(code[index - 1].text) ? index - 1 : nil
    }

    /// Returns all names that are declared with a type.
    func names(ofType type: String) -> [String] {
        declarations.lazy.filter { $0.type == type }.flatMap { $0.names.map { code[$0].text } }
    }

    /// All declared names, each with its offset.
    private var names: [(name: String, offset: Int)] {
        declarations.lazy.flatMap(\.names).map { (code[$0].text, code[$0].offset) }
    }

    /// The declared names that the text reads. Code that depends on preprocessor conditions is not
    /// included; the compiler checks it.
    private var reads: Set<String> {
        let places = Set(declarations.flatMap(\.names))
        return Set(
            code.indices.lazy.filter { code[$0].branch == 0 && !places.contains($0) }
                .map { code[$0].text })
    }

    /// Returns the text with spaces in place of the declarations of some names, which are declared
    /// elsewhere.
    func text(without names: Set<String>) -> String {
        guard !names.isEmpty else { return text }
        var bytes = Array(text.utf8)
        func clear(_ offsets: ClosedRange<Int>) {
            for place in offsets where !ShaderText.isSpace(bytes[place]) {
                bytes[place] = UInt8(ascii: " ")
            }
        }
        for declaration in declarations {
            let known = declaration.names.filter { names.contains(code[$0].text) }
            let (first, last) = (declaration.tokens.lowerBound, declaration.tokens.upperBound)
            if known.count == declaration.names.count {
                clear(code[first].offset...code[last].offset)
                continue
            }
            for name in known {
                // The range includes the following comma or, for the last name, the preceding one.
                let isLast = name == declaration.names.last
                let range = isLast ? name - 1...name : name...name + 1
                clear(
                    code[range.lowerBound].offset...code[range.upperBound].offset
                        + code[range.upperBound].text.utf8.count - 1)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension ShaderVaryings {
    /// Throws an error if a shader reads a variable that no vertex shader writes.
    ///
    /// - Parameters:
    ///   - pieces: The pieces of the fragment shader.
    ///   - vertex: The pieces of the vertex shader, if there is one.
    ///   - written: The names of variables that are written elsewhere.
    /// - Throws: `EffectError.unsupported`, with the line.
    static func check(
        _ pieces: [ShaderSource], vertex: [ShaderSource] = [], written: Set<String> = []
    ) throws(EffectError) {
        let scanned = pieces.map { ShaderVaryings($0.text) }
        guard scanned.contains(where: { !$0.declarations.isEmpty || !$0.blocks.isEmpty }) else {
            return
        }
        // A vertex shader is assumed to write every variable that it mentions.
        let words = vertex.flatMap {
            ShaderTokens(JoinedText(Array($0.text.utf8))).code.map(\.text)
        }
        let known = written.union(words)
        let reads = scanned.reduce(into: Set<String>()) { $0.formUnion($1.reads) }
        for (piece, varyings) in zip(pieces, scanned) {
            func error(at offset: Int, _ reason: String) -> EffectError {
                let line = ShaderText.line(at: offset, in: Array(piece.text.utf8))
                return .unsupported(
                    path: piece.path, line: piece.firstLine + line - 1, reason: reason)
            }
            let name = varyings.names.first { !known.contains($0.name) && reads.contains($0.name) }
            if let (name, offset) = name {
                throw error(
                    at: offset,
                    vertex.isEmpty
                        ? "no vertex shader writes '\(name)'; for the position of a pixel, use "
                            + "\(placeName(written))"
                        : "the vertex shader does not write '\(name)'")
            }
            if let block = varyings.blocks.first(where: { !known.contains($0.name) }) {
                throw error(
                    at: block.offset, "no vertex shader writes the block '\(block.name)'")
            }
        }
    }

    private static func placeName(_ written: Set<String>) -> String {
        written.contains("v_texcoord") ? "v_texcoord" : "isf_FragNormCoord"
    }
}
