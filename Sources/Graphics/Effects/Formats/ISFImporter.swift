// SPDX-License-Identifier: Apache-2.0

import PlayheadJSON

/// Imports ISF files, versions 2 and 1: a JSON header in a comment, then a GLSL fragment shader.
///
/// - Corresponds to: the Interactive Shader Format, https://github.com/mrRay/ISF_Spec.
package enum ISFImporter {
    /// Creates an effect from the text of a file.
    ///
    /// - Parameters:
    ///   - path: The path of the file for error reports.
    ///   - vertexText: The text of the vertex shader, if there is one.
    ///   - vertexPath: The path of the vertex shader for error reports, or nil for the path of the
    ///     file with the extension `.vs`.
    ///   - folder: The folder in which `#include` looks up files, or nil to allow none.
    /// - Throws: `EffectError.malformedHeader`, `.beyondLimit`, `.inaccessible`.
    package static func effect(
        text: String, path: String, vertexText: String? = nil, vertexPath: String? = nil,
        folder: EffectFolder? = nil
    ) throws(EffectError) -> Effect {
        let (text, vertexText) = (
            ShaderText.withLineFeeds(text), vertexText.map(ShaderText.withLineFeeds)
        )
        let includes = IncludeExpander(folder: folder)
        let parts = try split(text, path: path)
        try SourceLimits.check(parts.body, path: path, firstLine: parts.bodyLine)
        let vertexPath =
            vertexPath ?? EffectName.vertexPaths(besides: path).first ?? path
        if let vertexText { try SourceLimits.check(vertexText, path: vertexPath, firstLine: 1) }
        guard parts.header.utf8.count <= SourceLimits.source else {
            throw .beyondLimit(
                path: path, line: parts.headerLine,
                reason: "the header has more than \(SourceLimits.source) bytes")
        }
        let (header, warnings) = try decode(parts, path: path)
        let reader = Reader(
            header: header, path: path, text: parts.header, line: parts.headerLine)
        let body = ShaderSource(text: parts.body, path: path, firstLine: parts.bodyLine)
        let inputs = try reader.inputs()
        var effect = Effect(
            name: EffectName.name(ofPath: path), path: path, format: .isf, inputs: inputs,
            shaders: [try includes.expand(body)])
        effect.summary = header["DESCRIPTION"]?.string ?? ""
        effect.credit = header["CREDIT"]?.string ?? ""
        effect.categories = (header["CATEGORIES"]?.array ?? []).compactMap(\.string)
        effect.passes = try reader.passes(inputs: inputs)
        (effect.importedImages, effect.cubeMaps) = try reader.importedImages()
        let images = effect.importedImages.map(\.name).filter { !effect.isFace($0) }
        try reader.requireDistinct(
            inputs, images + effect.cubeMaps.map(\.name), effect.passes)
        effect.requirements = try reader.requirements()
        if let vertexText {
            effect.vertex = try includes.expand(
                ShaderSource(text: vertexText, path: vertexPath, firstLine: 1))
        }
        try SourceLimits.check(effect.shaders, vertex: effect.vertex)
        try ShaderVaryings.check(
            effect.shaders[0], vertex: effect.vertex, written: ReservedNames.declared)
        if effect.vertex.isEmpty { try FixedFunctionNames.check(effect.shaders[0]) }
        effect.warnings = warnings
        if let warning = AlphaCheck.warning(effect.shaders[0], output: "gl_FragColor") {
            effect.warnings.append(warning)
        }
        return effect
    }

    /// Returns whether a text begins with an ISF header, which may be malformed.
    static func hasHeader(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard let first = ShaderText.blockComments(in: bytes).first else { return false }
        let start = bytes[first].first { !ShaderText.isSpace($0) }
        if start == UInt8(ascii: "{") || start == UInt8(ascii: "[") {
            return isHeader(String(decoding: bytes[first], as: UTF8.self), of: text)
        }
        guard let parts = try? split(text, path: "") else { return false }
        return namesKey(parts.header)
    }

    /// Returns whether the JSON at the start of a file is an ISF header. Other hosts store settings
    /// in the same place.
    private static func isHeader(_ json: String, of text: String) -> Bool {
        func names(_ keys: [String]) -> Bool {
            keys.contains { ShaderText.firstRange(of: "\"\($0)\"", in: json) != nil }
        }
        if names(["ISFVSN", "INPUTS"]) { return true }
        let code = ShaderText.withoutComments(text)
        // ISF declares uniforms itself and does not have the functions of other formats.
        if ShaderText.mentions("uniform", in: code) || ShaderText.calls("mainImage", in: code)
            || ShaderText.calls("transition", in: code) && !ShaderText.calls("main", in: code)
        {
            return false
        }
        let keys = [
            "PASSES", "CATEGORIES", "DESCRIPTION", "CREDIT", "IMPORTED", "PERSISTENT_BUFFERS",
            "PLAYHEAD", "VSN",
        ]
        let words = ["isf_FragNormCoord", "vv_FragNormCoord", "RENDERSIZE", "TIME", "inputImage"]
        return names(keys) || !json.utf8.contains(UInt8(ascii: "\""))
            || words.contains { ShaderText.mentions($0, in: code) }
            || ShaderText.firstRange(of: "IMG_", in: code) != nil
            || !["iResolution", "iTime", "iGlobalTime", "u_time", "u_resolution"].contains {
                ShaderText.mentions($0, in: code)
            }
    }

    private struct Parts {
        let header: String
        let headerLine: Int
        /// The column of the header's first character.
        let headerColumn: Int
        let body: String
        let bodyLine: Int
    }

    private static func split(_ text: String, path: String) throws(EffectError) -> Parts {
        func missing(_ reason: String) -> EffectError {
            .malformedHeader(path: path, line: 1, column: nil, reason: reason)
        }
        let bytes = Array(text.utf8)
        let comments = ShaderText.blockComments(in: bytes)
        guard let (header, comment) = header(comments, in: bytes) else {
            throw missing(
                comments.isEmpty
                    ? "an ISF file must begin with a comment that contains a JSON object"
                    : "the comment at the beginning contains no JSON object")
        }
        func column(at offset: Int) -> Int {
            offset - (bytes[..<offset].lastIndex(of: UInt8(ascii: "\n")) ?? -1)
        }
        // Text that follows the comment in the comment's last line keeps its column.
        let end = comment.upperBound + 2
        return Parts(
            header: String(decoding: bytes[header], as: UTF8.self),
            headerLine: ShaderText.line(at: header.lowerBound, in: bytes),
            headerColumn: column(at: header.lowerBound),
            body: String(repeating: " ", count: column(at: end) - 1)
                + String(decoding: bytes[end...], as: UTF8.self),
            bodyLine: ShaderText.line(at: end, in: bytes))
    }

    /// Returns the range of the header, starting with its brace, and the range of the comment
    /// around it. The header is in the first comment that contains an object. If the header is
    /// malformed, it is in the first comment that contains keys of a header. Earlier comments may
    /// contain braces too.
    private static func header(
        _ comments: [Range<Int>], in bytes: [UInt8]
    ) -> (header: Range<Int>, comment: Range<Int>)? {
        let candidates = comments.compactMap { comment in
            bytes[comment].firstIndex(of: UInt8(ascii: "{"))
                .map { (header: $0..<comment.upperBound, comment: comment) }
        }
        guard candidates.count > 1 else { return candidates.first }
        let meant = candidates.first { candidate in
            guard candidate.header.count <= SourceLimits.source else { return true }
            let text = String(decoding: bytes[candidate.header], as: UTF8.self)
            return namesKey(text) || (try? JSONParser.parse(text)) != nil
        }
        return meant ?? candidates.first
    }

    private static func namesKey(_ header: String) -> Bool {
        ["ISFVSN", "INPUTS", "PASSES", "CATEGORIES"].contains {
            ShaderText.firstRange(of: "\"\($0)\"", in: header) != nil
        }
    }

    private static func decode(
        _ parts: Parts, path: String
    ) throws(EffectError) -> (header: JSONValue, warnings: [ShaderDiagnostic]) {
        func place(_ failure: JSONParser.Failure) -> (line: Int, column: Int) {
            (
                parts.headerLine + failure.line - 1,
                failure.line == 1 ? parts.headerColumn + failure.column - 1 : failure.column
            )
        }
        do throws(JSONParser.Failure) {
            let (value, lastCommas) = try JSONParser.parseLeniently(parts.header)
            let warnings = lastCommas.map { comma in
                ShaderDiagnostic(
                    path: path, line: place(comma).line, column: place(comma).column,
                    isWarning: true, message: "the header is not JSON: " + comma.reason)
            }
            return (value, warnings)
        } catch {
            let place = place(error)
            throw .malformedHeader(
                path: path, line: place.line, column: place.column,
                reason: "the header is not JSON: " + error.reason)
        }
    }
}
