// SPDX-License-Identifier: Apache-2.0

/// A LUT from a `.cube` file: curves, a cube, or curves followed by a cube.
///
/// - Corresponds to: Adobe's "Cube LUT Specification", version 1.0, in which a file has either
///   curves or a cube; and the format of the same name in DaVinci Resolve, which adds input ranges
///   and curves before the cube.
struct CubeTable {
    enum Shape: Hashable {
        /// A curve for each channel.
        case curves
        /// A cube; red changes fastest.
        case cube
    }

    /// A stage: curves or a cube.
    struct Stage {
        let shape: Shape
        /// The number of entries along an axis.
        let size: Int
        var domain: (minimum: SIMD3<Float>, maximum: SIMD3<Float>)
        var colors: [SIMD3<Float>] = []

        /// The total number of entries.
        var count: Int { shape == .cube ? size * size * size : size }
    }

    let title: String
    /// The stages in the order in which they are applied: curves precede a cube.
    let stages: [Stage]
    /// A Boolean value that indicates whether the input is in limited range: black at 64 and white
    /// at 940 of 1023.
    let takesVideoRange: Bool
    let givesVideoRange: Bool

    /// A Boolean value that indicates whether the LUT has one stage, the domain 0 to 1 and full
    /// range.
    var isPlain: Bool {
        stages.count == 1 && !takesVideoRange && !givesVideoRange
            && stages[0].domain == (SIMD3(repeating: 0), SIMD3(repeating: 1))
    }

    /// Returns whether a text appears to be the text of a `.cube` file.
    static func isOne(_ text: String) -> Bool {
        ["LUT_3D_SIZE", "LUT_1D_SIZE"].contains {
            ShaderText.hasLine(startingWith: $0, in: text, ignoresCase: true)
        }
    }

    /// Parses a file.
    ///
    /// - Throws: `EffectError.malformedHeader`, `.beyondLimit`, with the line.
    init(_ text: String, path: String) throws(EffectError) {
        var reader = Reader(path: path)
        try reader.read(text)
        stages = try reader.finish()
        title = reader.title
        (takesVideoRange, givesVideoRange) = (reader.takesVideoRange, reader.givesVideoRange)
    }
}
