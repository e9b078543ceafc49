// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Another program's chroma key, after its published description: alpha, and colour multiplied by
/// it.
protocol KeyerRival {
    var name: String { get }
    /// Keys an image of R'G'B' values from 0 to 1.
    func key(_ shot: [SIMD3<Double>], width: Int, height: Int) -> [(
        alpha: Double, color: SIMD3<Double>
    )]
}

/// The inputs of both keys: Cb and Cr of BT.709, and luma.
struct KeyerChroma {
    var luma: Double
    var chroma: SIMD2<Double>

    init(_ color: SIMD3<Double>) {
        luma = 0.2126 * color.x + 0.7152 * color.y + 0.0722 * color.z
        chroma = SIMD2((color.z - luma) / 1.8556, (color.x - luma) / 1.5748)
    }
}

/// The chroma key of OBS Studio, version 2, as the documentation of the filter describes it. Pixels
/// whose distance from the key colour in the plane of Cb and Cr, averaged over nine pixels, is
/// below `similarity` are transparent; pixels beyond that by `smoothness` are opaque; in between,
/// alpha follows a power of 1.5. Colours within `spill` are desaturated.
struct DistanceRival: KeyerRival {
    var key: SIMD3<Double>
    var similarity: Double
    var smoothness: Double
    var spill: Double

    var name: String { "similarity \(similarity), smoothness \(smoothness), spill \(spill)" }

    /// The default settings.
    static let standard = DistanceRival(
        key: SIMD3(0, 1, 0), similarity: 0.4, smoothness: 0.08, spill: 0.1)

    static let grid: [DistanceRival] = [SIMD3(0, 1, 0), KeyerScene.key].flatMap { key in
        [0.05, 0.1, 0.15, 0.2, 0.3, 0.36, 0.4, 0.45].flatMap { similarity in
            [0.08, 0.16, 0.3].map {
                DistanceRival(key: key, similarity: similarity, smoothness: $0, spill: 0.1)
            }
        }
    }

    func key(
        _ shot: [SIMD3<Double>], width: Int, height: Int
    ) -> [(alpha: Double, color: SIMD3<Double>)] {
        let target = KeyerChroma(key).chroma
        let own = shot.map { color -> Double in
            let way = KeyerChroma(color).chroma - target
            return (way * way).sum().squareRoot()
        }
        return shot.indices.map { index in
            let (x, y) = (index % width, index / width)
            var sum = 0.0
            for row in y - 1...y + 1 {
                for column in x - 1...x + 1 {
                    sum +=
                        own[
                            min(max(row, 0), height - 1) * width + min(max(column, 0), width - 1)]
                }
            }
            let beyond = sum / 9 - similarity
            let alpha = pow(min(max(beyond / smoothness, 0), 1), 1.5)
            let saturation = pow(min(max(beyond / spill, 0), 1), 1.5)
            let grey = SIMD3(repeating: KeyerChroma(shot[index]).luma)
            return (alpha, (grey + (shot[index] - grey) * saturation) * alpha)
        }
    }
}

/// The chroma key of GStreamer's `alpha` and `glalpha`, which follows Keith Jack ("Video
/// Demystified", chapter on keying). Chroma is rotated so that the key lies on an axis. Pixels
/// within an angle about the axis are background, in proportion to their distance from the angle's
/// sides, and that share of the key's chroma and luma is subtracted. Pixels within `noise` of the
/// key are transparent.
struct AngleRival: KeyerRival {
    var key: SIMD3<Double>
    /// The angle about the axis of the key, in degrees.
    var angle: Double
    /// The distance from the key within which pixels are transparent, in code values.
    var noise: Double
    /// A Boolean value that indicates whether its colour is treated as premultiplied.
    var isPremultiplied: Bool

    var name: String { "angle \(angle), noise \(noise)\(isPremultiplied ? ", premultiplied" : "")" }

    static let standard = AngleRival(
        key: KeyerScene.key, angle: 20, noise: 2, isPremultiplied: false)

    static let grid: [AngleRival] = [10.0, 20, 30, 45, 60, 70, 80].flatMap { angle in
        [2.0, 10, 20].flatMap { noise in
            [false, true].map {
                AngleRival(key: KeyerScene.key, angle: angle, noise: noise, isPremultiplied: $0)
            }
        }
    }

    func key(
        _ shot: [SIMD3<Double>], width: Int, height: Int
    ) -> [(alpha: Double, color: SIMD3<Double>)] {
        let target = KeyerChroma(key)
        let length = (target.chroma * target.chroma).sum().squareRoot()
        let axis = target.chroma / length
        let slope = tan(angle * .pi / 180)
        return shot.map { color in
            let own = KeyerChroma(color)
            var x = (own.chroma * axis).sum()
            let z = own.chroma.y * axis.x - own.chroma.x * axis.y
            guard abs(z) <= x * slope else { return (1, color) }
            let background = x - abs(z) / slope
            var alpha = min(max(1 - background / length, 0), 1)
            let away = (x - length) * (x - length) + z * z
            if away < noise * noise / (255 * 255) { alpha = 0 }
            x = abs(z) / slope
            let luma = own.luma - min(max(background / length, 0), 1) * target.luma
            let (cb, cr) = (x * axis.x - z * axis.y, x * axis.y + z * axis.x)
            let (red, blue) = (luma + 1.5748 * cr, luma + 1.8556 * cb)
            let left = SIMD3(red, (luma - 0.2126 * red - 0.0722 * blue) / 0.7152, blue)
                .clamped(lowerBound: SIMD3(), upperBound: SIMD3(1, 1, 1))
            if alpha == 0 { return (0, SIMD3()) }
            return (alpha, isPremultiplied ? left : left * alpha)
        }
    }
}
