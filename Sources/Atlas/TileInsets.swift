// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers

/// How far into a tile a layer has to begin so that linear filters read nothing beyond its edges.
///
/// A filter between two samples reads no other: so everything between the centres of the first and
/// of the last sample is safe. For luma these are half a pixel in. Chroma that is subsampled has
/// its samples further apart, and where they stand is a matter of siting (ITU-T H.273, figure 1).
/// What is safe has to be so in the film already: who halves chroma for a sample that stands at a
/// pixel takes as much from the pixel before as from the one after, by 1, 2 and 1 at least, so the
/// first sample of a tile there holds its neighbour's colour. With 4:2:0 sited at the left, the first
/// that does not is two pixels and a half in, the last a pixel and a half.
struct TileInsets: Hashable {
    /// In pixels.
    var left: Double
    var right: Double
    var top: Double
    var bottom: Double

    static let none = TileInsets(left: 0, right: 0, top: 0, bottom: 0)

    init(left: Double, right: Double, top: Double, bottom: Double) {
        self.left = left
        self.right = right
        self.top = top
        self.bottom = bottom
    }

    init(
        of area: TextureAtlas.Area, format: PixelFormat, location: ColorAttachments.ChromaLocation
    ) {
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
        let isSubsampled = format.model == .yCbCr
        (left, right) = Self.insets(
            start: area.x, length: area.width, log2: isSubsampled ? format.log2ChromaWidth : 0,
            horizontal)
        (top, bottom) = Self.insets(
            start: area.y, length: area.height, log2: isSubsampled ? format.log2ChromaHeight : 0,
            vertical)
    }

    /// Which of the luma samples that share a chroma sample it stands at.
    private enum Place { case first, middle, last }

    private static func insets(
        start: Int, length: Int, log2: Int, _ place: Place
    ) -> (leading: Double, trailing: Double) {
        let factor = 1 << log2
        // Where the sample stands among the pixels that share it, and how far those reach to either
        // side of it that went into it: in pixels from the first one's centre.
        let (offset, reach): (Double, Double) =
            switch place {
            case .first: (0, Double(factor - 1))
            case .middle: (Double(factor - 1) / 2, Double(factor - 1) / 2)
            case .last: (Double(factor - 1), Double(factor - 1))
            }
        // Only samples whose pixels are all the tile's own.
        let step = Double(factor)
        let (low, high) = (Double(start) + reach, Double(start + length - 1) - reach)
        let first = ((low - offset) / step).rounded(.up) * step + offset + 0.5
        let last = ((high - offset) / step).rounded(.down) * step + offset + 0.5
        return (max(0.5, first - Double(start)), max(0.5, Double(start + length) - last))
    }
}
