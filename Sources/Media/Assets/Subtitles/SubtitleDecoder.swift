// SPDX-License-Identifier: Apache-2.0

/// Turns packets into subtitles.
///
/// - Concurrency: one thread at a time.
/// - Corresponds to: `avcodec_decode_subtitle2`.
package protocol SubtitleDecoder: AnyObject, Sendable {
    /// The styles and fonts that the track's lines share.
    var script: SubtitleScript { get }

    /// The subtitles that a packet holds. Where there are none, an empty one at a time says that
    /// those of pictures before it end there.
    ///
    /// - Throws: `decodingFailed` for a packet that cannot be decoded; the next ones may be.
    func decode(_ packet: MediaPacket) throws(MediaError) -> [SubtitleCue]

    /// Forgets what it holds, for a seek.
    func flush()
}
