// SPDX-License-Identifier: Apache-2.0

package import PlayheadBuffers

/// The map from a place in the frame to the texture coordinate of a subsampled chroma plane.
///
/// In units of luma samples, chroma sample i of a row is at 2i if it is sited left, and between 2i
/// and 2i + 1 if it is sited in the centre: a difference of half a luma sample, which shows as
/// coloured fringes if it is ignored.
package struct ChromaSiting: Sendable, Hashable {
    /// The factor: chroma's texture coordinate = luma's * `scale` + `offset`.
    package let scale: SIMD2<Double>
    /// The offset, in fractions of the frame.
    package let offset: SIMD2<Double>

    /// The siting of chroma of the size of luma, a sample for each of luma's.
    package static let cosited = ChromaSiting(scale: SIMD2(1, 1), offset: SIMD2(0, 0))

    init(scale: SIMD2<Double>, offset: SIMD2<Double>) {
        self.scale = scale
        self.offset = offset
    }

    /// Creates the siting of a format's chroma.
    ///
    /// - Parameter location: the chroma location; `unspecified` counts as left.
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
        // Pixel centres lie at halves. Sited first: chroma texel centre k + 0.5 is at luma position
        // factor * k + 0.5; sited in the middle, both grids share their edge.
        let shift: Double =
            switch place {
            case .first: 0.5 - 0.5 / factor
            case .middle: 0
            case .last: 0.5 / factor - 0.5
            }
        // An odd size leaves part of the last chroma sample beyond the frame.
        return (Double(size) / (factor * chromaSize), shift / chromaSize)
    }
}
