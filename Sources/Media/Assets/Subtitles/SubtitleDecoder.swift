// SPDX-License-Identifier: Apache-2.0

/// Decodes packets to subtitles.
///
/// - Concurrency: one thread at a time.
/// - Corresponds to: `avcodec_decode_subtitle2`.
package protocol SubtitleDecoder: AnyObject, Sendable {
    /// The styles and fonts that the track's lines share.
    var script: SubtitleScript { get }

    /// Returns the subtitles of a packet. An empty one at a time ends the bitmaps before it.
    ///
    /// - Throws: `decodingFailed` for a packet that cannot be decoded; later ones may be decodable.
    func decode(_ packet: MediaPacket) throws(MediaError) -> [SubtitleCue]

    /// Discards everything that it holds, for a seek.
    func flush()
}
