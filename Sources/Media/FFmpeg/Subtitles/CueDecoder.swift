// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets

/// A decoder of subtitles that their demuxer has parsed.
///
/// - Concurrency: any thread; it has no state.
final class CueDecoder: SubtitleDecoder {
    let script: SubtitleScript

    init(_ script: SubtitleScript) { self.script = script }

    func flush() {}

    func decode(_ packet: MediaPacket) throws(MediaError) -> [SubtitleCue] {
        guard let payload = packet.payload as? CuePayload else {
            preconditionFailure("a packet of another demuxer was sent to a decoder of cues")
        }
        if let error = payload.error { throw error }
        return payload.cues
    }
}
