// SPDX-License-Identifier: Apache-2.0

/// The chroma key of streaming programs, after its published description. Colours within
/// `similarity` of the key colour in the plane of Cb and Cr are transparent, those beyond that by
/// `smoothness` are opaque, and in between alpha follows a power of 1.5. Colours within `spill` are
/// desaturated. Distances are averaged with those of the neighbours.
struct DistanceKey {
    var similarity: Double
    var smoothness: Double
    var spill: Double

    /// The default settings, and others around them.
    static let defaults = DistanceKey(similarity: 0.4, smoothness: 0.08, spill: 0.1)
    static let grid = [0.3, 0.36, 0.4, 0.45, 0.5].flatMap { similarity in
        [0.08, 0.16, 0.3].map {
            DistanceKey(similarity: similarity, smoothness: $0, spill: 0.1)
        }
    }

    /// Returns the distance of a pixel from pure green, the default key.
    static func distances(
        _ shot: [SIMD3<Double>], width: Int, height: Int
    ) -> [Double] {
        func chroma(_ color: SIMD3<Double>) -> SIMD2<Double> {
            let luma = luma(color)
            return [(color.z - luma) / 1.8556, (color.x - luma) / 1.5748]
        }
        let key = chroma([0, 1, 0])
        let own = shot.map {
            let difference = chroma($0) - key
            return (difference * difference).sum().squareRoot()
        }
        var result = own
        for y in 1..<height - 1 {
            for x in 1..<width - 1 {
                var sum = 0.0
                for row in y - 1...y + 1 {
                    for column in x - 1...x + 1 { sum += own[row * width + column] }
                }
                result[y * width + x] = sum / 9
            }
        }
        return result
    }

    static func luma(_ color: SIMD3<Double>) -> Double {
        0.2126 * color.x + 0.7152 * color.y + 0.0722 * color.z
    }

    /// Returns alpha, and colour multiplied by it.
    func key(_ color: SIMD3<Double>, distance: Double) -> (Double, SIMD3<Double>) {
        let beyond = distance - similarity
        let alpha = min(max(beyond / smoothness, 0), 1).power(1.5)
        let saturation = min(max(beyond / spill, 0), 1).power(1.5)
        let grey = SIMD3(repeating: Self.luma(color))
        return (alpha, (grey + (color - grey) * saturation) * alpha)
    }
}
