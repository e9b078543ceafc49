// SPDX-License-Identifier: Apache-2.0

import PlayheadEditing

/// The format of rendered frames and audio. A sink receives the format before any of them.
struct RenderFormat {
    /// The size of the frames, in pixels as they are stored.
    var width: Int
    var height: Int
    /// The usual duration of a frame.
    var frameDuration: MediaTime
    /// The number of time units per second.
    var timescale: Int32
    /// The format of the audio; nil if there is no audio.
    var sound: AudioFormat?
    /// The properties of frames that are stored as they were decoded; nil for frames that are drawn
    /// in BT.709 R'G'B'.
    var plain: PlainFormat?
    /// The metadata and the chapters.
    var metadata: [MetadataItem] = []
    var chapters: [Chapter] = []
    /// The text subtitles that are stored as text; nil if there are none.
    var subtitles: ExportSubtitles?
    /// The timecode of the first frame; nil for none.
    var timecode: String?

    /// The properties of frames that are stored as they were decoded.
    struct PlainFormat {
        var sampleFormat: VideoSampleFormat
        var attachments: PixelBufferAttachments
        /// The colours, without unspecified values.
        var color: ColorAttachments
    }
}
