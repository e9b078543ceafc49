// SPDX-License-Identifier: Apache-2.0

/// The properties of a frame other than its samples, such as its colours and its orientation.
///
/// - Corresponds to: the attachments of a `CVPixelBuffer`, and the `preferredTransform` of an asset
///   track. The orientation belongs to each frame here, because it can change within a stream.
public struct PixelBufferAttachments: Sendable, Hashable {
    /// The colour properties of the samples.
    public var color: ColorAttachments
    /// The ratio of a pixel's width to its height.
    public var pixelAspectRatio: PixelAspectRatio
    /// The rotation and mirroring for upright display.
    public var orientation: PictureOrientation
    /// The order of the frame's fields, if the frame is interlaced.
    public var fieldOrder: FieldOrder
    /// The display on which the video was graded; nil if the stream does not state the display.
    public var masteringDisplayColorVolume: MasteringDisplayColorVolume?
    /// The brightness of the video; nil if the stream does not state the brightness.
    public var contentLightLevel: ContentLightLevel?

    /// The ratio of width to height of a pixel, such as 64:45 for widescreen PAL.
    public struct PixelAspectRatio: Sendable, Hashable {
        /// The width, in the same unit as the height.
        public var horizontal: Int
        /// The height.
        public var vertical: Int

        /// The ratio 1:1.
        public static let square = PixelAspectRatio(horizontal: 1, vertical: 1)

        /// Creates a ratio. If a part is not positive, the ratio is square.
        public init(horizontal: Int, vertical: Int) {
            let isKnown = horizontal > 0 && vertical > 0
            self.horizontal = isKnown ? horizontal : 1
            self.vertical = isKnown ? vertical : 1
        }
    }

    /// The structure of a frame: progressive, or two fields of alternate rows, in the order of
    /// their capture.
    public enum FieldOrder: UInt8, Sendable, Hashable {
        /// A progressive frame. All of its rows were captured at the same moment.
        case progressive
        /// Two fields. The field with the upper rows was captured first.
        case topFieldFirst
        /// Two fields. The field with the lower rows was captured first.
        case bottomFieldFirst
    }

    /// The highest luminance of the video, in candela per square metre. This is the measured
    /// luminance or, if it is unknown, the luminance of the display on which the video was graded.
    /// Nil if both are unknown.
    package var peakLuminance: Double? {
        if let level = contentLightLevel?.maximumContentLightLevel, level > 0 {
            return Double(level)
        }
        if let volume = masteringDisplayColorVolume, volume.maximumLuminance > 0 {
            return volume.maximumLuminance
        }
        return nil
    }

    /// Creates attachments. By default, colour is unspecified, pixels are square and the frame is
    /// upright.
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
