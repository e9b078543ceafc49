// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// A decoder of the samples of caption tracks.
///
/// - Concurrency: one thread at a time, as `SubtitleDecoder` requires.
final class FFmpegCaptionDecoder: SubtitleDecoder {
    private let decoder: CaptionDecoder
    private let form: CaptionHost.Form
    /// A Boolean value that indicates whether times are computed by FFmpeg from timecodes.
    private let hasTimecodes: Bool

    init(_ decoder: CaptionDecoder, form: CaptionHost.Form, hasTimecodes: Bool) {
        (self.decoder, self.form, self.hasTimecodes) = (decoder, form, hasTimecodes)
    }

    var script: SubtitleScript { decoder.script }
    var pendingStart: MediaTime? { decoder.pendingStart }
    func flush() { decoder.flush() }
    func finish() -> [SubtitleCue] { decoder.finish() }

    func decode(_ packet: MediaPacket) throws(MediaError) -> [SubtitleCue] {
        guard let box = packet.payload as? PacketBox else { return try decoder.decode(packet) }
        var packet = packet
        if hasTimecodes { packet.presentationTime = SCC.time(packet.presentationTime) }
        let pairs = CaptionUserData.pairs(of: box, form)
        let isSequence = if case .triples = form { true } else { false }
        packet.payload = CaptionPayload(pairs, isSequence: isSequence)
        return try decoder.decode(packet)
    }
}
