// SPDX-License-Identifier: Apache-2.0

/// A table of colours from a `.cube` file: curves, a cube, or curves and behind them a cube.
///
/// - Corresponds to: Adobe's "Cube LUT Specification", version 1.0, which has one of both a file,
///   and the format of the same name that DaVinci Resolve documents, with ranges of its own and
///   curves in front.
struct CubeTable {
    enum Shape: Hashable {
        /// A curve for each channel.
        case curves
        /// A cube; red changes fastest.
        case cube
    }

    /// Curves, or a cube.
    struct Stage {
        let shape: Shape
        /// Along an axis.
        let size: Int
        var domain: (minimum: SIMD3<Float>, maximum: SIMD3<Float>)
        var colors: [SIMD3<Float>] = []

        /// Entries in all.
        var count: Int { shape == .cube ? size * size * size : size }
    }

    let title: String
    /// What colours go through, first to last: curves come before a cube.
    let stages: [Stage]
    /// Whether colours that it takes, or gives, are of video's range: black at 64 and white at 940
    /// of 1023.
    let takesVideoRange: Bool
    let givesVideoRange: Bool

    /// Whether it is of a domain from 0 to 1 in full range, and in one stage.
    var isPlain: Bool {
        stages.count == 1 && !takesVideoRange && !givesVideoRange
            && stages[0].domain == (SIMD3(repeating: 0), SIMD3(repeating: 1))
    }

    /// Whether a text is meant to be such a file.
    static func isOne(_ text: String) -> Bool {
        ["LUT_3D_SIZE", "LUT_1D_SIZE"].contains {
            ShaderText.hasLine(startingWith: $0, in: text, ignoresCase: true)
        }
    }

    /// - Throws: `EffectError.malformedHeader`, `.beyondLimit`, with the line.
    init(_ text: String, path: String) throws(EffectError) {
        var reader = Reader(path: path)
        try reader.read(text)
        stages = try reader.finish()
        title = reader.title
        (takesVideoRange, givesVideoRange) = (reader.takesVideoRange, reader.givesVideoRange)
    }
}
