// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import PlayheadAssets
import PlayheadTime

/// A decoder of the packets of WebVTT tracks.
///
/// - Concurrency: one thread at a time, as `SubtitleDecoder` requires.
final class WebVTTSampleDecoder: SubtitleDecoder, @unchecked Sendable {
    // Unchecked: only one thread at a time, as the protocol requires, accesses mutable state.

    /// The form of packets.
    enum Form {
        /// Boxes, as in MP4, which FFmpeg does not decode.
        case boxes
        /// The text of a cue, as in Matroska, with its settings as side data.
        case text
    }

    let script: SubtitleScript
    private var lines: WebVTTLines
    private let form: Form
    private let limits: SubtitleLimits
    private let subject: String
    private var held = HeldSample<[String]>()
    /// The fragments of the track; nil if it has none.
    private var fragments: TextFragments?

    /// Creates a decoder.
    ///
    /// - Parameters:
    ///   - header: The header of the WebVTT file, which the container stores.
    ///   - fragments: The fragments of the track; nil if it has none.
    ///   - subject: The name of the file for errors.
    init(
        _ form: Form, header: [UInt8], fragments: TextFragments?, limits: SubtitleLimits,
        subject: String
    ) {
        lines = WebVTTLines(header: header)
        script = lines.script
        (self.form, self.fragments, self.limits, self.subject) = (form, fragments, limits, subject)
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
        let data = box.pointer.pointee.data
        let bytes = UnsafeRawBufferPointer(
            start: data, count: data == nil ? 0 : Int(max(box.pointer.pointee.size, 0)))
        let texts = try lines.lines(of: cues(in: bytes, of: box), limit: limits.lineBytes)
        let sample = TextSample(packet, texts, end: fragments?.end(of: packet, in: box))
        switch form {
        case .boxes: held.add(sample, cues(for:in:))
        case .text: held.append(cues(for: sample, in: sample.range))
        }
        return held.take()
    }

    private func cues(
        for sample: TextSample<[String]>, in range: MediaTimeRange?
    ) -> [SubtitleCue] {
        let shown =
            range ?? MediaTimeRange(start: sample.start, duration: WebVTTLines.usualDuration)
        return sample.contents.map { line in
            var cue = SubtitleCue(timeRange: shown, content: .line(line))
            cue.isOpenEnded = range == nil
            // A cue that lasts longer than a sample of MP4 is in the next sample too.
            cue.isContinuation = form == .boxes && range != nil
            return cue
        }
    }

    private func cues(
        in bytes: UnsafeRawBufferPointer, of box: PacketBox
    ) throws(MediaError) -> [WebVTTCue] {
        guard form == .boxes else {
            guard bytes.count <= limits.lineBytes else { return [] }
            func text(_ type: AVPacketSideDataType) -> String {
                var size = 0
                guard let data = av_packet_get_side_data(box.pointer, type, &size) else {
                    return ""
                }
                return String(
                    decoding: UnsafeBufferPointer(start: data, count: size), as: UTF8.self)
            }
            return [
                WebVTTCue(
                    identifier: text(AV_PKT_DATA_WEBVTT_IDENTIFIER),
                    settings: text(AV_PKT_DATA_WEBVTT_SETTINGS),
                    text: String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self))
            ]
        }
        do {
            return try WebVTTCueBoxes.cues(in: bytes, limit: limits.lineBytes)
        } catch {
            throw MediaError(
                .decodingFailed, subject: subject,
                cause: "a sample of its WebVTT subtitles is damaged: \(error.cause)")
        }
    }
}
