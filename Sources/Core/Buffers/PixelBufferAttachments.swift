// SPDX-License-Identifier: Apache-2.0

/// What travels with a picture besides its samples: how to read its colours and how to hold it.
///
/// - Corresponds to: the attachments of a `CVPixelBuffer`, and an asset track's
///   `preferredTransform`, which here every picture carries itself, since it can change within a
///   stream.
public struct PixelBufferAttachments: Sendable, Hashable {
    /// What its numbers mean.
    public var color: ColorAttachments
    /// How wide a pixel is for its height.
    public var pixelAspectRatio: PixelAspectRatio
    /// How it is turned and mirrored to be upright.
    public var orientation: PictureOrientation
    /// Whether the picture consists of two fields taken at different times.
    public var fieldOrder: FieldOrder
    /// The display on which the film was graded; nil where the stream does not say.
    public var masteringDisplayColorVolume: MasteringDisplayColorVolume?
    /// How bright the film gets; nil where the stream does not say.
    public var contentLightLevel: ContentLightLevel?

    /// Width to height of one pixel, such as 64:45 for widescreen PAL.
    public struct PixelAspectRatio: Sendable, Hashable {
        /// Its width, in parts that count for both.
        public var horizontal: Int
        /// Its height.
        public var vertical: Int

        /// As wide as high.
        public static let square = PixelAspectRatio(horizontal: 1, vertical: 1)

        /// A ratio with a part that is not positive says nothing, and counts as square.
        public init(horizontal: Int, vertical: Int) {
            let isKnown = horizontal > 0 && vertical > 0
            self.horizontal = isKnown ? horizontal : 1
            self.vertical = isKnown ? vertical : 1
        }
    }

    /// Whether a picture is one, or two fields of alternate rows, and which of them was taken first.
    public enum FieldOrder: UInt8, Sendable, Hashable {
        case progressive, topFieldFirst, bottomFieldFirst
    }

    /// The brightest that the film gets, in candela per square metre, as far as its stream tells:
    /// what it was measured to, else what its makers' display could show. Nil for unknown.
    package var peakLuminance: Double? {
        if let level = contentLightLevel?.maximumContentLightLevel, level > 0 {
            return Double(level)
        }
        if let volume = masteringDisplayColorVolume, volume.maximumLuminance > 0 {
            return volume.maximumLuminance
        }
        return nil
    }

    public init(
        color: ColorAttachments = ColorAttachments(), pixelAspectRatio: PixelAspectRatio = .square,
        orientation: PictureOrientation = .up, fieldOrder: FieldOrder = .progressive,
        masteringDisplayColorVolume: MasteringDisplayColorVolume? = nil,
        contentLightLevel: ContentLightLevel? = nil
    ) {
        self.color = color
        self.pixelAspectRatio = pixelAspectRatio
        self.orientation = orientation
        self.fieldOrder = fieldOrder
        self.masteringDisplayColorVolume = masteringDisplayColorVolume
        self.contentLightLevel = contentLightLevel
    }
}
