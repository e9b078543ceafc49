// SPDX-License-Identifier: Apache-2.0

package import PlayheadBuffers
package import PlayheadTime

/// The settings of a video file that `MovieWriter` writes.
package struct MovieSettings: Sendable {
    /// The video codec.
    package var codec: MovieCodec
    /// The width in pixels. Codecs with subsampled chroma require an even width and height.
    package var width: Int
    package var height: Int
    /// The number of time units per second. Presentation times are rounded to these units.
    package var timescale: Int32
    /// The usual duration of a frame, which encoders receive. It is also the duration of the last
    /// frame.
    package var frameDuration: MediaTime
    /// The format of the audio; nil for no audio.
    package var sound: AudioFormat?
    /// The encoder's constant rate factor, for H.264, HEVC and VP9. Lower values give better
    /// quality; 0 is lossless for H.264. Nil selects good quality.
    package var rateFactor: Int?
    /// A Boolean value that indicates whether parts of a frame are encoded independently of their
    /// surroundings, for videos in an atlas. H.264 and HEVC then use blocks of 16 x 16 pixels that
    /// are optimised separately, which takes about a seventh more bytes.
    package var codesPartsAlike: Bool

    package init(
        codec: MovieCodec, width: Int, height: Int, timescale: Int32,
        frameDuration: MediaTime, sound: AudioFormat? = nil, rateFactor: Int? = nil,
        codesPartsAlike: Bool = false
    ) {
        self.codec = codec
        self.width = width
        self.height = height
        self.timescale = timescale
        self.frameDuration = frameDuration
        self.sound = sound
        self.rateFactor = rateFactor
        self.codesPartsAlike = codesPartsAlike
    }
}
