// SPDX-License-Identifier: Apache-2.0

package import PlayheadAssets
package import PlayheadBuffers
package import PlayheadTime

/// A track of compressed samples, as a muxer needs to know it.
///
/// - Corresponds to: `CMFormatDescription` with the properties of an `AVAssetWriterInput`;
///   `AVCodecParameters`.
package struct EncodedTrackFormat: Sendable {
    /// The type of the samples.
    package var mediaType: MediaType
    /// The codec's parameters, in the form of the engine that makes encoders and muxers; nil for
    /// subtitles, which are text.
    package var parameters: (any AnyObject & Sendable)?
    /// The number of time units in a second.
    package var timescale: Int32
    /// The usual duration of a sample; `invalid` if it is unknown.
    package var frameDuration = MediaTime.invalid
    /// The language as a tag of ISO 639 or BCP 47, or nil.
    package var languageTag: String?
    /// The title of the track, or nil.
    package var title: String?
    /// A Boolean value that indicates whether the track plays unless another is selected.
    package var isEnabled = true
    /// The orientation and the pixel aspect ratio, and for high dynamic range the display on which
    /// the video was graded.
    package var attachments = PixelBufferAttachments()
    /// The timecode of the first frame, such as `01:00:00:00`, with `;` before the frames for drop
    /// frames; nil for none.
    package var timecode: String?

    package init(
        mediaType: MediaType, parameters: (any AnyObject & Sendable)?, timescale: Int32
    ) {
        self.mediaType = mediaType
        self.parameters = parameters
        self.timescale = timescale
    }
}
