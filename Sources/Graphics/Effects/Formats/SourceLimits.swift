// SPDX-License-Identifier: Apache-2.0

/// Limits that are checked before a driver compiles a shader. If a shader exceeds them, some
/// drivers compile for minutes or crash the process. The largest of 321 published ISF files has 11
/// passes and about 40 KB.
enum SourceLimits {
    static let passes = 64
    /// The maximum number of inputs. OpenGL 3.3 guarantees 1024 uniform components in a fragment
    /// shader (table 6.51).
    static let inputs = 256
    /// The maximum size of the shader text, in bytes.
    static let source = 512 << 10
    /// The maximum number of elements of an array. Drivers may support fewer: OpenGL 3.3 guarantees
    /// 1024 uniform components (table 6.51).
    static let array = 16_384

    /// Checks the limits of one file.
    ///
    /// - Throws: `EffectError.beyondLimit`.
    static func check(
        _ text: String, path: String, firstLine: Int, source: Int = source
    ) throws(EffectError) {
        let size = text.utf8.count
        guard size <= source else {
            throw .beyondLimit(
                path: path, line: nil,
                reason: "the shader has \(size) bytes; the maximum is \(source)")
        }
        if let refusal = LoopGuard([text]).refusal {
            throw .beyondLimit(
                path: path,
                line: firstLine + ShaderText.line(at: refusal.offset, in: Array(text.utf8)) - 1,
                reason: refusal.reason)
        }
    }

    /// Checks the limits that depend on the complete shader with its macros expanded: size, depth,
    /// and loops that cannot be analysed.
    ///
    /// - Throws: `EffectError.beyondLimit`.
    static func check(
        _ shaders: [[ShaderSource]], vertex: [ShaderSource]
    ) throws(EffectError) {
        for pieces in shaders { try check(pieces) }
        try check(vertex)
    }

    private static func check(_ pieces: [ShaderSource]) throws(EffectError) {
        let texts = pieces.map { $0.text.hasSuffix("\n") ? $0.text : $0.text + "\n" }
        func error(at offset: Int, _ reason: String) -> EffectError {
            var offset = offset
            for (piece, text) in zip(pieces, texts) {
                guard offset >= text.utf8.count else {
                    let line = ShaderText.line(at: offset, in: Array(text.utf8))
                    return .beyondLimit(
                        path: piece.path, line: piece.firstLine + line - 1, reason: reason)
                }
                offset -= text.utf8.count
            }
            return .beyondLimit(path: pieces.last?.path ?? "", line: nil, reason: reason)
        }
        // Single files have been checked before.
        if pieces.count > 1, let refusal = LoopGuard(texts).unreadable {
            throw error(at: refusal.offset, refusal.reason)
        }
        for text in JoinedText.readings(of: Array(texts.joined().utf8)) {
            let tokens = ShaderTokens(text)
            if let excess = ShaderExtent(tokens).excess {
                throw error(at: excess.offset, excess.reason)
            }
            if let excess = ArraySizes(tokens, most: array).excess {
                throw error(
                    at: excess.offset,
                    excess.count.map {
                        "an array has \(Int(min($0, 1e18))) elements; the maximum is \(array)"
                    } ?? "the size of an array cannot be evaluated; use a number")
            }
        }
    }
}
