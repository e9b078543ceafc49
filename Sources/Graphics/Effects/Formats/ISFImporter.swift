// SPDX-License-Identifier: Apache-2.0

/// Reads ISF files, version 2 and 1: a JSON header in a comment, then a GLSL fragment shader.
///
/// - Corresponds to: the Interactive Shader Format, https://github.com/mrRay/ISF_Spec.
public enum ISFImporter {
    /// Reads a file's text.
    ///
    /// - Parameters:
    ///   - path: what error reports call the file.
    ///   - vertexText: text of the file of the same name with `.vs`, if there is one.
    ///   - folder: where `#include` looks; nil where there is none to look in.
    /// - Throws: `EffectError.malformedHeader`, `.beyondLimit`, `.inaccessible`.
    public static func effect(
        text: String, path: String, vertexText: String? = nil, folder: EffectFolder? = nil
    ) throws(EffectError) -> Effect {
        let includes = IncludeExpander(folder: folder)
        let parts = try split(text, path: path)
        try Limits.check(parts.body, path: path, firstLine: parts.bodyLine)
        let vertexPath = path.hasSuffix(".fs") ? path.dropLast(3) + ".vs" : path
        if let vertexText { try Limits.check(vertexText, path: vertexPath, firstLine: 1) }
        guard parts.header.utf8.count <= Limits.source else {
            throw .beyondLimit(
                path: path, line: parts.headerLine,
                reason: "the header has more than \(Limits.source) bytes")
        }
        let header = try decode(parts.header, path: path, firstLine: parts.headerLine)
        let reader = Reader(
            header: header, path: path, text: parts.header, line: parts.headerLine)
        let body = Effect.Source(text: parts.body, path: path, firstLine: parts.bodyLine)
        let inputs = try reader.inputs()
        var effect = Effect(
            name: EffectLibrary.name(ofPath: path), path: path, format: .isf, inputs: inputs,
            shaders: [try includes.expand(body)])
        effect.summary = header["DESCRIPTION"]?.string ?? ""
        effect.credit = header["CREDIT"]?.string ?? ""
        effect.categories = (header["CATEGORIES"]?.array ?? []).compactMap(\.string)
        effect.passes = try reader.passes(inputs: inputs)
        effect.importedImages = try reader.importedImages()
        try reader.requireDistinct(inputs, effect.importedImages, effect.passes)
        effect.requirements = try reader.requirements()
        if let vertexText {
            effect.vertex = try includes.expand(
                Effect.Source(text: vertexText, path: vertexPath, firstLine: 1))
        }
        try Limits.check(effect)
        return effect
    }

    /// Whether a text begins with the header that makes it an ISF file, or is meant to.
    static func hasHeader(_ text: String) -> Bool {
        guard let open = ShaderText.firstRange(of: "/*", in: text) else { return false }
        let comment = ShaderText.trimmed(text[open.upperBound...].prefix(64))
        if comment.hasPrefix("{") || comment.hasPrefix("[") { return true }
        guard let parts = try? split(text, path: "") else { return false }
        return ["ISFVSN", "INPUTS", "PASSES", "CATEGORIES"].contains {
            ShaderText.firstRange(of: "\"\($0)\"", in: parts.header) != nil
        }
    }

    private struct Parts {
        let header: String
        let headerLine: Int
        let body: String
        let bodyLine: Int
    }

    private static func split(_ text: String, path: String) throws(EffectError) -> Parts {
        func missing(_ reason: String) -> EffectError {
            .malformedHeader(path: path, line: 1, column: nil, reason: reason)
        }
        let utf8 = text.utf8
        // Comments may come before: the header is the first that holds an object.
        var place = utf8.startIndex
        var found: (brace: String.Index, end: Range<String.Index>)?
        while found == nil, let start = range(of: "/*", in: utf8, from: place),
            let end = range(of: "*/", in: utf8, from: start.upperBound)
        {
            let comment = utf8[start.upperBound..<end.lowerBound]
            found = comment.firstIndex(of: UInt8(ascii: "{")).map { ($0, end) }
            place = end.upperBound
        }
        guard let (brace, end) = found else {
            throw missing(
                place == utf8.startIndex
                    ? "an ISF file begins with a comment that holds a JSON object"
                    : "the comment at its head holds no JSON object")
        }
        let header = text[brace..<end.lowerBound]
        func line(at index: String.Index) -> Int {
            1 + utf8[..<index].reduce(0) { $0 + ($1 == UInt8(ascii: "\n") ? 1 : 0) }
        }
        // What follows the comment in its last line stays in its column.
        let lineStart = utf8[..<end.upperBound].lastIndex(of: UInt8(ascii: "\n"))
        let column = utf8[(lineStart ?? utf8.startIndex)..<end.upperBound].count
        return Parts(
            header: String(header), headerLine: line(at: brace),
            body: String(repeating: " ", count: lineStart == nil ? column : column - 1)
                + String(text[end.upperBound...]), bodyLine: line(at: end.upperBound))
    }

    private static func range(
        of token: String, in utf8: String.UTF8View, from start: String.Index
    ) -> Range<String.Index>? {
        let token = Array(token.utf8)
        var index = start
        while index < utf8.endIndex {
            let next = utf8.index(after: index)
            if utf8[index] == token[0], next < utf8.endIndex, utf8[next] == token[1] {
                return index..<utf8.index(after: next)
            }
            index = next
        }
        return nil
    }

    private static func decode(
        _ text: String, path: String, firstLine: Int
    ) throws(EffectError) -> JSONValue {
        do throws(JSONParser.Failure) {
            return try JSONParser.parse(text)
        } catch {
            throw .malformedHeader(
                path: path, line: firstLine + error.line - 1, column: error.column,
                reason: "the header is not JSON: " + error.reason)
        }
    }
}
