// SPDX-License-Identifier: Apache-2.0

/// The limits on the resources that a file may ask for before it is refused: no value that a file
/// states is used as the size of an allocation before it has passed these limits.
package struct MediaLimits: Sendable, Hashable {
    /// Pixels along a side of a picture. OpenGL 4's smallest `GL_MAX_TEXTURE_SIZE` is 16384.
    package var pictureSide: Int
    /// Pixels of a picture: 8192 x 8192 by default.
    package var picturePixels: Int
    /// Channels of a sound track.
    package var audioChannels: Int
    /// Samples a second of a sound track.
    package var audioSampleRate: Int
    /// Tracks of a file.
    package var tracks: Int
    /// Bytes of one packet, the compressed data of a picture or a block of sound: the largest
    /// uncompressed picture that passes, in eight bits of four components.
    package var packetBytes: Int
    /// Bytes of pictures that a decoder may have under way at once, one for each of its threads:
    /// there are fewer threads for huge pictures.
    package var decodingBytes: Int
    /// Bytes of packets that are read ahead to see where a seek has landed: more than a group of
    /// pictures of any broadcast.
    package var readAheadBytes: Int
    /// Bytes of packets that wait to be decoded while an item plays. Up to four times as many are
    /// held where a file has the sound far from the pictures that belong to it.
    package var queuedBytes: Int
    /// Bytes of decoded pictures that an item holds while it plays, at least four pictures: a
    /// quarter for those that wait to be shown, an eighth for those that it has passed, half for a
    /// hand that scrubs and for playing backwards.
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

    /// Why a picture of this size is refused; nil when it is not.
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
