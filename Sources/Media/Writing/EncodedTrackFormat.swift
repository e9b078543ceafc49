// SPDX-License-Identifier: Apache-2.0

package import PlayheadAssets
package import PlayheadBuffers
package import PlayheadTime

/// The format of a track of compressed samples, with everything that a muxer needs to know.
///
/// - Corresponds to: `CMFormatDescription` with the properties of an `AVAssetWriterInput`;
///   `AVCodecParameters`.
package struct EncodedTrackFormat: Sendable {
    /// The type of the samples.
    package var mediaType: MediaType
    /// The codec's parameters, in the form that the engine of encoders and muxers uses; nil for
    /// subtitles, which are text.
    package var parameters: (any AnyObject & Sendable)?
    /// The number of time units per second.
    package var timescale: Int32
    /// The usual duration of a sample; `invalid` if unknown.
    package var frameDuration = MediaTime.invalid
    /// The language, as an ISO 639 or BCP 47 tag; nil if unknown.
    package var languageTag: String?
    /// The title of the track; nil if it has no title.
    package var title: String?
    /// A Boolean value that indicates whether the track plays unless another track is selected.
    package var isEnabled = true
    /// The orientation and the pixel aspect ratio, and for high dynamic range the display on which
    /// the video was graded.
    package var attachments = PixelBufferAttachments()
    /// The timecode of the first frame, such as `01:00:00:00`; nil for no timecode. A `;` before
    /// the frames means drop-frame.
    package var timecode: String?

    package init(
        mediaType: MediaType, parameters: (any AnyObject & Sendable)?, timescale: Int32
    ) {
        self.mediaType = mediaType
        self.parameters = parameters
        self.timescale = timescale
    }
}
