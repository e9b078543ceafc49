// SPDX-License-Identifier: Apache-2.0

package import PlayheadBuffers

/// The map from a position in the frame to the texture coordinate of a subsampled chroma plane.
///
/// For example, with chroma halved along a row, chroma sample i is at luma sample 2i if chroma is
/// sited left, and midway between luma samples 2i and 2i + 1 if chroma is sited in the centre. If
/// this difference of half a luma sample were ignored, edges would have coloured fringes.
package struct ChromaSiting: Sendable, Hashable {
    /// The factor. The texture coordinate of chroma is the texture coordinate of luma times
    /// `scale`, plus `offset`.
    package let scale: SIMD2<Double>
    /// The offset, in fractions of the frame.
    package let offset: SIMD2<Double>

    /// The siting of chroma that is not subsampled: one sample for each luma sample.
    package static let cosited = ChromaSiting(scale: SIMD2(1, 1), offset: SIMD2(0, 0))

    init(scale: SIMD2<Double>, offset: SIMD2<Double>) {
        self.scale = scale
        self.offset = offset
    }

    /// Creates the siting of a format's chroma.
    ///
    /// - Parameter location: the chroma location; `unspecified` is treated as left.
    package init(
        format: PixelFormat, width: Int, height: Int, location: ColorAttachments.ChromaLocation
    ) {
        guard format.model == .yCbCr else {
            self = .cosited
            return
        }
        let horizontal: Place =
            switch location {
            case .unspecified, .left, .topLeft, .bottomLeft: .first
            case .center, .top, .bottom: .middle
            }
        let vertical: Place =
            switch location {
            case .unspecified, .left, .center: .middle
            case .topLeft, .top: .first
            case .bottomLeft, .bottom: .last
            }
        let x = Self.axis(size: width, log2: format.log2ChromaWidth, place: horizontal)
        let y = Self.axis(size: height, log2: format.log2ChromaHeight, place: vertical)
        scale = SIMD2(x.scale, y.scale)
        offset = SIMD2(x.offset, y.offset)
    }

    /// The map as a shader's `vec4`: scale, then offset.
    package var transform: SIMD4<Float> {
        SIMD4(Float(scale.x), Float(scale.y), Float(offset.x), Float(offset.y))
    }

    /// The position of a chroma sample among the luma samples that share it.
    private enum Place { case first, middle, last }

    private static func axis(
        size: Int, log2: Int, place: Place
    ) -> (scale: Double, offset: Double) {
        let factor = Double(1 << log2)
        let chromaSize = Double((size + (1 << log2) - 1) >> log2)
        // Pixel centres lie at halves. If chroma is sited at the first luma sample, the centre of
        // chroma texel k, k + 0.5, is at luma position factor * k + 0.5. If it is sited in the
        // middle, both grids have the same edge.
        let shift: Double =
            switch place {
            case .first: 0.5 - 0.5 / factor
            case .middle: 0
            case .last: 0.5 / factor - 0.5
            }
        // If the size is odd, a part of the last chroma sample lies beyond the frame.
        return (Double(size) / (factor * chromaSize), shift / chromaSize)
    }
}
