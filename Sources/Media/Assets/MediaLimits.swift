// SPDX-License-Identifier: Apache-2.0

/// The limits on the resources that a file may use. If a value in a file determines the size of an
/// allocation and exceeds these limits, the file is refused.
package struct MediaLimits: Sendable, Hashable {
    /// The maximum width and height of a frame, in pixels. OpenGL 4 requires a
    /// `GL_MAX_TEXTURE_SIZE` of at least 16384.
    package var pictureSide: Int
    /// The maximum number of pixels in a frame: 8192 x 8192 by default.
    package var picturePixels: Int
    /// The maximum number of channels of an audio track.
    package var audioChannels: Int
    /// The maximum sample rate of an audio track, in hertz.
    package var audioSampleRate: Int
    /// The maximum number of tracks in a file.
    package var tracks: Int
    /// The maximum size of a packet, in bytes. It is the size of the largest uncompressed frame
    /// within the limits, with four components of eight bits.
    package var packetBytes: Int
    /// The maximum total size of the frames that a decoder processes at the same time, one in each
    /// thread, in bytes. Decoders of very large frames use fewer threads.
    package var decodingBytes: Int
    /// The maximum number of bytes of packets that are read ahead to verify the position after a
    /// seek. It is more than a group of pictures contains in any broadcast.
    package var readAheadBytes: Int
    /// The maximum number of bytes of packets that wait for decoding during playback. If the
    /// file stores audio far from the corresponding video, the maximum is four times as large.
    package var queuedBytes: Int
    /// The maximum number of bytes of decoded frames that an item holds during playback. A quarter
    /// is for frames to be shown, a sixteenth for past frames, three sixteenths for decoders that
    /// wait where earlier seeks stopped, and half for scrubbing and reverse playback. At least four
    /// frames are held, even if they are larger.
    package var pictureBytes: Int
    /// The limits on subtitles.
    package var subtitles: SubtitleLimits

    package init(
        pictureSide: Int = 16384, picturePixels: Int = 1 << 26, audioChannels: Int = 64,
        audioSampleRate: Int = 768_000, tracks: Int = 256,
        packetBytes: Int = 1 << 28, decodingBytes: Int = 256 << 20,
        readAheadBytes: Int = 64 << 20, queuedBytes: Int = 64 << 20,
        pictureBytes: Int = 1 << 30, subtitles: SubtitleLimits = SubtitleLimits()
    ) {
        self.pictureSide = pictureSide
        self.picturePixels = picturePixels
        self.audioChannels = audioChannels
        self.audioSampleRate = audioSampleRate
        self.tracks = tracks
        self.packetBytes = packetBytes
        self.decodingBytes = decodingBytes
        self.readAheadBytes = readAheadBytes
        self.queuedBytes = queuedBytes
        self.pictureBytes = pictureBytes
        self.subtitles = subtitles
    }

    /// Returns the reason why a frame of this size is refused; nil if it is accepted.
    package func refusal(ofPictureWidth width: Int, height: Int) -> String? {
        if width > pictureSide || height > pictureSide {
            return
                "its pictures of \(width) x \(height) pixels "
                + "pass the limit of \(pictureSide) a side"
        }
        if width > 0, height > picturePixels / width {
            return "its pictures of \(width) x \(height) pixels pass the limit of "
                + "\(picturePixels) pixels"
        }
        return nil
    }
}
