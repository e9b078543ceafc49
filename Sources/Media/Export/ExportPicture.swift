// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
package import PlayheadBuffers
package import PlayheadWriting

/// The properties of a source's frames that an export depends on, as the track declares them or as
/// the first frame has them.
package struct ExportPicture: Equatable {
    package var width: Int
    package var height: Int
    /// The colours, without unspecified values.
    package var color: ColorAttachments
    package var attachments: PixelBufferAttachments
    package var model: PixelFormat.Model
    /// The format that is nearest to that of the frames and that encoders accept.
    package var sampleFormat: VideoSampleFormat

    package init(_ buffer: PixelBuffer) {
        width = buffer.width
        height = buffer.height
        color = buffer.color
        attachments = buffer.attachments
        model = buffer.format.model
        sampleFormat = VideoSampleFormat(of: buffer.format)
    }

    /// Creates the properties that a track declares; nil if the track does not declare a size.
    init?(_ track: AssetTrack) {
        guard let video = track.formatDescription.video, video.width > 0, video.height > 0 else {
            return nil
        }
        (width, height) = video.frameSize
        color = video.shownColor
        attachments = video.attachments
        model = video.colorModel
        sampleFormat = VideoSampleFormat(video.colorModel == .rgb ? .rgb : .yuv420)
    }

    /// A Boolean value that indicates whether the frames have a high dynamic range.
    var isHDR: Bool { color.transfer == .pq || color.transfer == .hlg }

    /// The size of the upright frames, in square pixels.
    var shownSize: (width: Double, height: Double) {
        let ratio = attachments.pixelAspectRatio
        let wide = Double(width) * Double(ratio.horizontal) / Double(ratio.vertical)
        return attachments.orientation.swapsAxes
            ? (Double(height), wide) : (wide, Double(height))
    }
}
