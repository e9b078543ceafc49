// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A filter for drawing frames and images at another size.
///
/// The first two read one or four samples for a pixel: they cost nothing extra, are sharp or soft
/// when an image is enlarged, and skip samples when it shrinks to less than half. The others weigh
/// all samples around a pixel, in two passes, over an area that grows as the image shrinks, so that
/// detail too fine for the new size becomes grey instead of a moiré pattern.
///
/// - Corresponds to: `CALayerContentsFilter`, mpv's `--scale` and `--dscale`.
public enum ScalingFilter: String, Sendable, Hashable, CaseIterable {
    /// The nearest sample. `kCAFilterNearest`.
    case nearest
    /// Four samples, weighed by distance. `kCAFilterLinear`.
    case linear
    /// Catmull and Rom's cubic: sharp, little ringing.
    case bicubic
    /// Mitchell and Netravali's cubic, B = C = 1/3: softer, hardly any ringing; good for large
    /// reductions.
    case mitchell
    /// A sinc windowed by a sinc, three lobes: the sharpest, with some ringing.
    case lanczos

    /// A Boolean value that indicates whether the filter is one of the GPU's own sampling filters.
    package var isPlain: Bool { self == .nearest || self == .linear }

    /// The number of samples that it reaches to either side at the image's own size.
    var support: Double { self == .lanczos ? 3 : 2 }

    /// Returns its weight at a distance, in samples.
    func weight(_ distance: Double) -> Double {
        let x = abs(distance)
        return switch self {
        case .nearest: x <= 0.5 ? 1 : 0
        case .linear: max(0, 1 - x)
        case .bicubic: Self.cubic(x, b: 0, c: 0.5)
        case .mitchell: Self.cubic(x, b: 1.0 / 3, c: 1.0 / 3)
        case .lanczos: x < 3 ? Self.sinc(x) * Self.sinc(x / 3) : 0
        }
    }

    /// Returns the weights at evenly spaced distances from 0 to the edge.
    func kernel(count: Int) -> [Float] {
        (0..<count).map { Float(weight(Double($0) / Double(count - 1) * support)) }
    }

    /// D. Mitchell and A. Netravali, Reconstruction Filters in Computer Graphics, 1988, equation 8.
    private static func cubic(_ x: Double, b: Double, c: Double) -> Double {
        if x < 1 {
            return
                ((12 - 9 * b - 6 * c) * x * x * x + (-18 + 12 * b + 6 * c) * x * x
                + (6 - 2 * b)) / 6
        }
        guard x < 2 else { return 0 }
        return
            ((-b - 6 * c) * x * x * x + (6 * b + 30 * c) * x * x + (-12 * b - 48 * c) * x
            + (8 * b + 24 * c)) / 6
    }

    private static func sinc(_ x: Double) -> Double {
        x < 1e-9 ? 1 : sin(.pi * x) / (.pi * x)
    }
}
