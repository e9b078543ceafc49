// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers

/// How far into a tile a layer has to begin so that linear filters read nothing beyond its edges.
///
/// A filter between two samples reads no other: so everything between the centres of the first and
/// of the last sample is safe. For luma these are half a pixel in. Chroma that is subsampled has
/// its samples further apart, and where they stand is a matter of siting (ITU-T H.273, figure 1):
/// with 4:2:0 sited at the left, the first is half a pixel in, the last a pixel and a half.
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
        let center: Double =
            switch place {
            case .first: 0.5
            case .middle: Double(factor) / 2
            case .last: Double(factor) - 0.5
            }
        // Only samples whose pixels are all the tile's own.
        let first = (start + factor - 1) / factor * factor
        let last = (start + length) / factor * factor - factor
        return (
            max(0.5, Double(first - start) + center),
            max(0.5, Double(start + length - last) - center)
        )
    }
}
