// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers

/// The insets that keep linear filters from reading beyond the edges of a tile.
///
/// A filter between two samples reads no other sample, so the area between the centres of the first
/// and of the last sample is safe. The centres of luma samples are half a pixel inside the edges.
/// Subsampled chroma has samples further apart, and their position depends on siting (ITU-T H.273,
/// figure 1).
///
/// The samples themselves must also be free of the colour of neighbouring tiles. If chroma is
/// halved and a sample is sited at a pixel, an encoder averages at least this pixel and its two
/// neighbours, with the weights 1, 2 and 1. The first sample of a tile therefore contains the
/// colour of the neighbouring tile. With 4:2:0 sited at the left, the first sample without that
/// colour is two and a half pixels inside, and the last one is one and a half pixels inside.
struct TileInsets: Hashable {
    /// The inset from the left edge, in pixels.
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

    /// The position of a chroma sample among the luma samples that share it.
    private enum Place { case first, middle, last }

    private static func insets(
        start: Int, length: Int, log2: Int, _ place: Place
    ) -> (leading: Double, trailing: Double) {
        let factor = 1 << log2
        // The position of the sample among the pixels that share it, in pixels from the centre of
        // the first one, and the reach of its filter to either side, in pixels.
        let (offset, reach): (Double, Double) =
            switch place {
            case .first: (0, Double(factor - 1))
            case .middle: (Double(factor - 1) / 2, Double(factor - 1) / 2)
            case .last: (Double(factor - 1), Double(factor - 1))
            }
        // Only samples whose pixels all belong to the tile are used.
        let step = Double(factor)
        let (low, high) = (Double(start) + reach, Double(start + length - 1) - reach)
        let first = ((low - offset) / step).rounded(.up) * step + offset + 0.5
        let last = ((high - offset) / step).rounded(.down) * step + offset + 0.5
        return (max(0.5, first - Double(start)), max(0.5, Double(start + length) - last))
    }
}
