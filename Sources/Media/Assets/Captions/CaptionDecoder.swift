// SPDX-License-Identifier: Apache-2.0

package import PlayheadTime

/// A decoder of closed captions: CEA-608 and CEA-708.
///
/// - Concurrency: one thread at a time, as `SubtitleDecoder` requires.
package final class CaptionDecoder: SubtitleDecoder, @unchecked Sendable {
    // Unchecked: mutable state is only accessed by the one thread that the protocol allows at a
    // time.

    package let script: SubtitleScript
    private let lines: CaptionScript
    private let service: CaptionService
    private let end: MediaTime
    private var line21: CEA608Decoder?
    private var digital: CEA708Decoder?
    private var packets = CEA708Packets()
    private var timeline = CaptionTimeline()
    private var count = 0
    private var last = MediaTime.invalid

    /// The time between two pairs of a field: one NTSC frame.
    private static let frame = MediaTime(value: 1001, timescale: 30000)

    /// Creates a decoder.
    ///
    /// - Parameter end: The end of the track, which ends captions that are never erased; not
    ///   numeric if unknown.
    package init(_ service: CaptionService, end: MediaTime, isWide: Bool = true) {
        self.service = service
        self.end = end
        switch service {
        case .line21: lines = CaptionScript(isWide: false)
        case .digital: lines = CaptionScript(isWide: isWide)
        }
        script = SubtitleScript(
            header: lines.header,
            grid: .init(aspectRatio: lines.aspectRatio, columnWidth: CaptionScript.cellWidth))
        flush()
    }

    package func flush() {
        timeline = CaptionTimeline()
        last = .invalid
        packets.flush()
        switch service {
        case .line21(let channel): line21 = CEA608Decoder(channel: channel)
        case .digital: digital = CEA708Decoder()
        }
    }

    package var pendingStart: MediaTime? { timeline.pending }

    package func decode(_ packet: MediaPacket) throws(MediaError) -> [SubtitleCue] {
        guard let payload = packet.payload as? CaptionPayload else {
            preconditionFailure("a packet of another demuxer was sent to a caption decoder")
        }
        guard packet.presentationTime.isNumeric else { return [] }
        var cues: [SubtitleCue] = []
        let step = payload.isSequence ? step(of: payload, packet) : .zero
        var time = packet.presentationTime
        for pair in payload.pairs {
            cues += read(pair, at: time)
            time = time + step
        }
        if let changes = digital?.resume(at: packet.presentationTime) { cues += handle(changes) }
        last = packet.end
        cues += timeline.advance(to: packet.presentationTime) { shown }
        return numbered(cues)
    }

    /// Returns the time between the pairs of a packet: one frame, or less if the packet lasts less
    /// than one frame per pair.
    private func step(of payload: CaptionPayload, _ packet: MediaPacket) -> MediaTime {
        let count = Int64(payload.pairs.count)
        guard packet.duration.isNumeric, packet.duration > .zero, count > 0,
            packet.duration < Self.frame * Double(count)
        else { return Self.frame }
        return packet.duration * (1 / Double(count))
    }

    private func read(_ pair: CaptionPair, at time: MediaTime) -> [SubtitleCue] {
        switch service {
        case .line21:
            // A copy is made only before pairs that can change something.
            guard !pair.isPadding, let before = line21, let effect = line21?.read(pair),
                effect != .none
            else { return [] }
            let isEmpty = line21?.displayed.isEmpty ?? true
            return timeline.change(effect, at: time, isEmpty: isEmpty) {
                lines.lines(of: before.displayed)
            }
        case .digital(let number):
            return packets.read(pair).filter { $0.service == number }.flatMap { block in
                handle(digital?.read(block.bytes, at: time) ?? [])
            }
        }
    }

    private func handle(_ changes: [CEA708Decoder.Change]) -> [SubtitleCue] {
        var cues: [SubtitleCue] = []
        for (index, change) in changes.enumerated() {
            let next =
                index + 1 < changes.count ? changes[index + 1].before : digital?.displayed ?? []
            cues += timeline.change(change.effect, at: change.time, isEmpty: next.isEmpty) {
                lines.lines(of: change.before)
            }
        }
        return cues
    }

    private var shown: [String] {
        line21.map { lines.lines(of: $0.displayed) } ?? digital.map {
            lines.lines(of: $0.displayed)
        }
            ?? []
    }

    package func finish() -> [SubtitleCue] {
        guard let pending = timeline.pending else { return [] }
        // If the end of the track is unknown, a caption ends when a receiver would erase it.
        var end = last.isNumeric ? max(last, pending + CaptionTimeline.longest) : pending
        if self.end.isNumeric { end = max(self.end, pending) }
        return numbered(timeline.finish(at: end) { shown })
    }

    /// Returns cues numbered in the order in which they were decoded.
    private func numbered(_ cues: [SubtitleCue]) -> [SubtitleCue] {
        cues.map { cue in
            guard case .line(let line) = cue.content else { return cue }
            var cue = cue
            cue.content = .line("\(count)" + line.dropFirst())
            count += 1
            return cue
        }
    }
}
