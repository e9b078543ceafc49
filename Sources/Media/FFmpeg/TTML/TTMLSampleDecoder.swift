// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import PlayheadAssets
import PlayheadTime

/// A decoder of the samples of TTML tracks in MP4, each of which is a document.
///
/// - Concurrency: one thread at a time, as `SubtitleDecoder` requires.
/// - Corresponds to: ISO/IEC 14496-30, 5.
final class TTMLSampleDecoder: SubtitleDecoder, @unchecked Sendable {
    // Unchecked: only one thread at a time, as the protocol requires, accesses mutable state.

    let script = SubtitleScript(header: StyledText.header)
    private let limits: SubtitleLimits
    private let subject: String
    private var held = HeldSample<TTMLDocument>()
    /// The fragments of the track; nil if it has none.
    private var fragments: TextFragments?

    /// Creates a decoder.
    ///
    /// - Parameters:
    ///   - fragments: The fragments of the track; nil if it has none.
    ///   - subject: The name of the file for errors.
    init(fragments: TextFragments?, limits: SubtitleLimits, subject: String) {
        (self.fragments, self.limits, self.subject) = (fragments, limits, subject)
    }

    var pendingStart: MediaTime? { held.start }

    func flush() { held = HeldSample() }

    func finish() -> [SubtitleCue] {
        held.end(at: nil, cues(for:in:))
        return held.take()
    }

    func decode(_ packet: MediaPacket) throws(MediaError) -> [SubtitleCue] {
        guard let box = packet.payload as? PacketBox else {
            preconditionFailure("a packet of another demuxer was sent to an FFmpeg decoder")
        }
        guard packet.presentationTime.isNumeric else { return [] }
        held.end(at: packet.presentationTime, cues(for:in:))
        if let document = try document(in: box) {
            let end = fragments?.end(of: packet, in: box)
            held.add(TextSample(packet, document, end: end), cues(for:in:))
        }
        return held.take()
    }

    /// Returns the document in a packet; nil if it is empty.
    private func document(in box: PacketBox) throws(MediaError) -> TTMLDocument? {
        let size = Int(max(box.pointer.pointee.size, 0))
        guard let data = box.pointer.pointee.data, size > 0 else { return nil }
        guard size <= limits.fileBytes else {
            throw MediaError(
                .limitExceeded, subject: subject,
                cause: "a sample of its subtitles has \(size) bytes, but \(limits.fileBytes) are "
                    + "allowed", remedy: "raise the limit if you trust the file")
        }
        let bytes = try TextEncoding.utf8(
            Array(UnsafeBufferPointer(start: data, count: size)), encoding: nil, subject: subject)
        do throws(MediaError) {
            return try TTMLDocument(bytes, subject: subject)
        } catch {
            throw MediaError(
                error.code == .damaged ? .decodingFailed : error.code, subject: subject,
                cause: "a sample of its subtitles: \(error.cause)", remedy: error.remedy)
        }
    }

    private func cues(
        for sample: TextSample<TTMLDocument>, in range: MediaTimeRange?
    ) -> [SubtitleCue] {
        let shown = TTMLParagraph.Interval(
            start: sample.start.seconds, end: range?.end.seconds ?? .infinity)
        guard let interval = sample.contents.interval, abs(shown.start) <= TTMLTiming.longest
        else { return [] }
        // Times are those of the track. Some writers count from the beginning of the sample.
        let isRelative =
            interval.clipped(to: shown).isEmpty && interval.end <= shown.end - shown.start
        return sample.contents.cues(
            in: shown, shiftedBy: isRelative ? shown.start : 0, limits: limits
        ).map { cue in
            var cue = cue
            // A paragraph that lasts longer than a sample is in the next sample too.
            cue.isContinuation = true
            return cue
        }
    }
}
