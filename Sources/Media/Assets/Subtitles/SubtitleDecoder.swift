// SPDX-License-Identifier: Apache-2.0

package import PlayheadTime

/// A decoder that turns packets into subtitles.
///
/// - Concurrency: one thread at a time.
/// - Corresponds to: `avcodec_decode_subtitle2`.
package protocol SubtitleDecoder: AnyObject, Sendable {
    /// The styles and fonts that the track's lines share.
    var script: SubtitleScript { get }

    /// Returns the subtitles of a packet. An empty subtitle ends the preceding bitmaps at the time
    /// at which it starts.
    ///
    /// - Throws: `decodingFailed` for a packet that cannot be decoded. Later packets may be
    ///   decodable.
    func decode(_ packet: MediaPacket) throws(MediaError) -> [SubtitleCue]

    /// The beginning of the earliest subtitle whose end has not been decoded yet; nil if there is
    /// none.
    var pendingStart: MediaTime? { get }

    /// Returns the subtitles that are still displayed at the end of the track.
    func finish() -> [SubtitleCue]

    /// Discards everything that the decoder holds, for a seek.
    func flush()
}

extension SubtitleDecoder {
    /// Nil by default, for formats whose packets state when subtitles end.
    package var pendingStart: MediaTime? { nil }
    package func finish() -> [SubtitleCue] { [] }
}
