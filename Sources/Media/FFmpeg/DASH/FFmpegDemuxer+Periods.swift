// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import PlayheadAssets
import PlayheadBuffers
import PlayheadTime

/// The periods of a presentation, of which one is open at a time.
///
/// The timeline of the asset begins with the first packet of the first period. A later period has
/// timestamps of its own, which the offset of `continuity` places on that timeline.
extension FFmpegDemuxer {
    /// Completes the description after the source was opened.
    func beginPresentation() {
        guard let presentation = context.presentation else { return }
        description.container = "dash"
        presentationStart = description.timestampOffset + presentation.timestampZero
        alignPeriod()
        guard !isLive else { return }
        // What precedes the presentation is left out: the priming of audio, and the part of a
        // segment in which the first period begins.
        description.startTime = max(description.startTime, .zero)
        if let duration = presentation.duration {
            let end = duration - presentationShift(of: presentation)
            description.duration = max(end - description.startTime, .zero)
        }
        for index in description.tracks.indices {
            let range = description.tracks[index].timeRange
            guard range.start.isNumeric else { continue }
            let start = max(range.start, .zero)
            let whole = description.startTime + description.duration
            let end = presentation.hasPeriods ? whole : range.end
            guard end.isNumeric, end > start else { continue }
            description.tracks[index].timeRange = MediaTimeRange(start: start, end: end)
        }
    }

    /// The difference between the beginning of the presentation and the zero of the timeline.
    private func presentationShift(of presentation: PresentationReading) -> MediaTime {
        presentationStart - presentation.periodStart
    }

    /// Aligns the timestamps of the open period with the timeline.
    func alignPeriod() {
        guard let presentation = context.presentation, !isLive else { return }
        let start = presentation.periodStart - presentationStart
        // Without a stated beginning, the first packet is the beginning.
        periodStart = presentation.period == 0 && start != .zero ? nil : start
        periodEnd = presentation.periodEnd.map { $0 - presentationStart }
        let zero = presentationStart - description.timestampOffset
        continuity = TimestampContinuity(offset: presentation.timestampZero - zero)
    }

    /// Opens the period after the one that has been read. Returns false if it was the last one.
    func entersNextPeriod() throws(MediaError) -> Bool {
        guard let start = context.presentation?.periodEnd, let end = periodEnd else { return false }
        let leading = leadingStream.map { Int($0.pointee.index) } ?? 0
        let next = try open(choice.current, from: start)
        guard hasSameTracks(as: next) else {
            throw MediaError(
                .damaged, subject: source.description,
                cause: "its tracks or their codecs change at " + end.clockDescription,
                remedy: "play the periods of the MPD separately")
        }
        context = next
        // The identifiers of messages are those of a period.
        metadata.forgetMessages()
        applySelection()
        alignPeriod()
        changed = selection
        // Segments may begin before the period does.
        junction = VariantJunction(
            starts: Dictionary(uniqueKeysWithValues: selection.map { ($0, end) }), leading: leading)
        return true
    }

    /// Returns whether a packet is part of the period.
    ///
    /// Video before the beginning and behind the end is decoded, because other frames may depend on
    /// it, and not shown. Audio is cut to the sample.
    func isInPeriod(_ packet: MediaPacket, in box: PacketBox) -> Bool {
        guard packet.presentationTime.isNumeric, packet.trackID < description.tracks.count else {
            return true
        }
        let tolerance = VideoFrame.timeTolerance
        let (time, end) = (packet.presentationTime, packet.end)
        let early = periodStart.map { $0 - time } ?? .zero
        let late = periodEnd.map { end - $0 } ?? .zero
        switch description.tracks[packet.trackID].mediaType {
        case .video:
            if early > tolerance || periodEnd.map({ time + tolerance >= $0 }) ?? false {
                box.pointer.pointee.flags |= AV_PKT_FLAG_DISCARD
            }
            return true
        case .audio:
            if let limit = periodEnd, time + tolerance >= limit { return false }
            if early > tolerance || late > tolerance { skip(early, late, of: packet, in: box) }
            return true
        default: return true
        }
    }

    /// Makes the decoder of an audio packet leave out its beginning and its end.
    private func skip(
        _ early: MediaTime, _ late: MediaTime, of packet: MediaPacket, in box: PacketBox
    ) {
        guard let rate = context.streams[packet.trackID]?.pointee.codecpar.pointee.sample_rate,
            rate > 0,
            let data = av_packet_new_side_data(box.pointer, AV_PKT_DATA_SKIP_SAMPLES, 10)
        else { return }
        // The numbers of samples at the beginning and at the end, as u32le, and their reasons.
        let counts = [early, late].map {
            UInt32(clamping: Int64((max($0, .zero).seconds * Double(rate)).rounded()))
        }
        for (index, count) in counts.enumerated() {
            for byte in 0..<4 {
                data[index * 4 + byte] = UInt8(truncatingIfNeeded: count >> (8 * UInt32(byte)))
            }
        }
        (data[8], data[9]) = (0, 0)
    }
}
