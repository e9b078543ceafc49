// SPDX-License-Identifier: Apache-2.0

extension ISFImporter {
    /// What is refused before a driver sees it: some compile such things for minutes, or take the
    /// process down. The largest of 321 published ISF files has 11 passes and some 40 KB.
    enum Limits {
        static let passes = 64
        /// OpenGL 3.3 promises room for 1024 uniform components in a fragment shader (table 6.51).
        static let inputs = 256
        /// Bytes of shader text.
        static let source = 512 << 10
        /// Elements of an array: OpenGL 3.3 promises room for 1024 uniform components (table 6.51).
        static let array = 16_384

        /// - Throws: `EffectError.beyondLimit`.
        static func check(
            _ text: String, path: String, firstLine: Int, source: Int = source
        ) throws(EffectError) {
            let size = text.utf8.count
            guard size <= source else {
                throw .beyondLimit(
                    path: path, line: nil,
                    reason: "the shader has \(size) bytes; \(source) are possible")
            }
            let loops = LoopGuard([text])
            if let place = loops.unreadable {
                throw .beyondLimit(
                    path: path,
                    line: firstLine + ShaderText.line(at: place, in: Array(text.utf8)) - 1,
                    reason: "a loop cannot be read: its condition has to follow its keyword")
            }
            if let excess = loops.excess {
                throw .beyondLimit(
                    path: path,
                    line: firstLine + ShaderText.line(at: excess.offset, in: Array(text.utf8)) - 1,
                    reason:
                        "a loop turns \(Int(min(excess.turns, 1e18))) times for each pixel, with those in it; "
                        + "\(Int(LoopGuard.maximumTurns)) are possible")
            }
        }

        /// Refuses arrays that are too large, however their sizes are written.
        ///
        /// - Throws: `EffectError.beyondLimit`.
        static func checkArrays(of effect: Effect) throws(EffectError) {
            for pieces in effect.shaders { try checkArrays(pieces) }
            try checkArrays(effect.vertex)
        }

        private static func checkArrays(_ pieces: [Effect.Source]) throws(EffectError) {
            let text = pieces.map { $0.text.hasSuffix("\n") ? $0.text : $0.text + "\n" }
            guard let excess = ArraySizes(text.joined(), most: array).excess else { return }
            var offset = excess.offset
            for (piece, text) in zip(pieces, text) {
                guard offset >= text.utf8.count else {
                    throw .beyondLimit(
                        path: piece.path,
                        line: piece.firstLine
                            + ShaderText.line(at: offset, in: Array(text.utf8)) - 1,
                        reason: excess.count.map {
                            "an array has \(Int(min($0, 1e18))) elements; \(array) are possible"
                        } ?? "the size of an array cannot be read: it has to be a number")
                }
                offset -= text.utf8.count
            }
        }
    }
}
