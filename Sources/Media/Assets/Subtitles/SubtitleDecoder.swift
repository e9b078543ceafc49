// SPDX-License-Identifier: Apache-2.0

/// A decoder that turns packets into subtitles.
///
/// - Concurrency: one thread at a time.
/// - Corresponds to: `avcodec_decode_subtitle2`.
package protocol SubtitleDecoder: AnyObject, Sendable {
    /// The styles and fonts that the track's lines share.
    var script: SubtitleScript { get }

    /// Returns the subtitles of a packet. An empty subtitle ends the bitmaps before it at its time.
    ///
    /// - Throws: `decodingFailed` for a packet that cannot be decoded. Later packets may be
    ///   decodable.
    func decode(_ packet: MediaPacket) throws(MediaError) -> [SubtitleCue]

    /// Discards everything that the decoder holds, for a seek.
    func flush()
}
