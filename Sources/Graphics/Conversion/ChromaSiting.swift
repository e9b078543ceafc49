// SPDX-License-Identifier: Apache-2.0

package import PlayheadBuffers

/// Where to read a subsampled chroma texture for a place in the picture.
///
/// Chroma sample i of a row stands, in units of luma samples, at 2i when it is sited left, and
/// between 2i and 2i + 1 when it is sited in the centre: half a luma sample that shows as coloured
/// fringes when it is ignored.
package struct ChromaSiting: Sendable, Hashable {
    /// Chroma's texture coordinate = luma's * `scale` + `offset`.
    package let scale: SIMD2<Double>
    /// What is added then, in fractions of the picture.
    package let offset: SIMD2<Double>

    /// Chroma of the size of luma, each sample with its own.
    package static let cosited = ChromaSiting(scale: SIMD2(1, 1), offset: SIMD2(0, 0))

    init(scale: SIMD2<Double>, offset: SIMD2<Double>) {
        self.scale = scale
        self.offset = offset
    }

    /// - Parameter location: with `unspecified` counting as left.
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

    /// For a shader's `vec4`: scale, then offset.
    package var transform: SIMD4<Float> {
        SIMD4(Float(scale.x), Float(scale.y), Float(offset.x), Float(offset.y))
    }

    /// Which of the luma samples that share a chroma sample it stands at.
    private enum Place { case first, middle, last }

    private static func axis(
        size: Int, log2: Int, place: Place
    ) -> (scale: Double, offset: Double) {
        let factor = Double(1 << log2)
        let chromaSize = Double((size + (1 << log2) - 1) >> log2)
        // Pixel centres lie at halves. Sited first: chroma texel centre k + 0.5 is at luma
        // position factor * k + 0.5; sited in the middle, both grids share their edge.
        let shift: Double =
            switch place {
            case .first: 0.5 - 0.5 / factor
            case .middle: 0
            case .last: 0.5 / factor - 0.5
            }
        // An odd size leaves part of the last chroma sample beyond the picture.
        return (Double(size) / (factor * chromaSize), shift / chromaSize)
    }
}
