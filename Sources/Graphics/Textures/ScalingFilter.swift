// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A filter for drawing frames and images at a different size.
///
/// The first two filters read one or four samples for a pixel. They cost nothing extra, and are
/// sharp (`nearest`) or soft (`linear`) when an image is enlarged, but they skip samples when it
/// shrinks to less than half. The other filters weight all samples around a pixel, in two passes.
/// As the image shrinks, the area that they cover grows, so that detail too fine for the new size
/// becomes grey instead of a moiré pattern.
///
/// - Corresponds to: `CALayerContentsFilter`, mpv's `--scale` and `--dscale`.
public enum ScalingFilter: String, Sendable, Hashable, CaseIterable {
    /// The nearest sample. Corresponds to `kCAFilterNearest`.
    case nearest
    /// Four samples, weighted by distance. Corresponds to `kCAFilterLinear`.
    case linear
    /// The cubic filter of Catmull and Rom: sharp, with little ringing.
    case bicubic
    /// The cubic filter of Mitchell and Netravali, B = C = 1/3: softer, with hardly any ringing. It
    /// is good for large reductions.
    case mitchell
    /// A sinc windowed by a sinc, with three lobes: the sharpest filter, with some ringing.
    case lanczos

    /// A Boolean value that indicates whether the filter is one of the GPU's own sampling filters.
    package var isPlain: Bool { self == .nearest || self == .linear }

    /// The number of samples that the filter reads to either side at the image's own size.
    var support: Double { self == .lanczos ? 3 : 2 }

    /// Returns the weight of a sample at a distance, in samples.
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

    /// Returns the weight of a cubic filter: D. Mitchell and A. Netravali, Reconstruction Filters
    /// in Computer Graphics, 1988, equation 8.
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
