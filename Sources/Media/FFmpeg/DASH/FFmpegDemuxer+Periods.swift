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
    /// The maximum distance of the media of a live stream from its place on the MPD's timeline. If
    /// it is longer, the MPD does not state where its media begins.
    private static let longestDeviation = MediaTime(value: 1, timescale: 1)

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
        guard let presentation = context.presentation else { return }
        let start = presentation.periodStart - presentationStart
        guard !isLive else {
            let sequence = context.reading.beginning?.sequence ?? 0
            let isExact = alignLivePeriod(sequence) && statesPlaces
            periodStart = isExact ? start : nil
            return
        }
        // Without a stated beginning, the first packet is the beginning.
        periodStart = presentation.period == 0 && start != .zero ? nil : start
        periodEnd = presentation.periodEnd.map { $0 - presentationStart }
        continuity = TimestampContinuity(offset: periodOffset(of: presentation))
    }

    /// Returns the difference between the timeline and the timestamps of the period, as the MPD
    /// states it.
    private func periodOffset(of presentation: PresentationReading) -> MediaTime {
        presentation.timestampZero - (presentationStart - description.timestampOffset)
    }

    /// Aligns the timestamps of a live period that was just opened at a segment.
    ///
    /// - Returns: A Boolean value that indicates whether the media is where the MPD states it.
    @discardableResult
    func alignLivePeriod(_ sequence: Int64) -> Bool {
        guard let presentation = context.presentation, let timeline = live.timeline,
            let timestamp = context.firstTimestamp, let segment = timeline[sequence]
        else { return false }
        let time = timestamp - description.timestampOffset
        var offset = periodOffset(of: presentation)
        let isExact = (time + offset - segment.start).magnitude <= Self.longestDeviation
        if !isExact { offset = timeline.offset(ofFrameAt: time, in: sequence) }
        live.use(offset, in: sequence)
        continuity = TimestampContinuity(offset: offset)
        return isExact
    }

    /// A Boolean value that indicates whether the timeline of a live presentation agrees with the
    /// times in its MPD, so that the places of its periods are known.
    private var statesPlaces: Bool {
        guard let presentation = context.presentation, let timeline = live.timeline,
            let date = timeline.segments.first?.date, let start = timeline.segments.first?.start
        else { return false }
        let zero = Int64((date * 1e6).rounded()) - presentation.presentation.availabilityStart
        let stated = PresentationReading.time(zero) - start
        return (stated - presentationStart).magnitude <= Self.longestDeviation
    }

    /// Opens the period after the one that has been read. Returns false if it was the last one, and
    /// if the next one of a live presentation is not available.
    func entersNextPeriod() throws(MediaError) -> Bool {
        guard let presentation = context.presentation else { return false }
        let leading = leadingStream.map { Int($0.pointee.index) } ?? 0
        let next: FormatContext
        if isLive {
            guard let sequence = nextPeriodSequence else { return false }
            next = try open(choice.current, at: .segment(sequence))
        } else {
            guard let start = presentation.periodEnd, periodEnd != nil else { return false }
            next = try open(choice.current, from: start)
        }
        try requireTracks(
            in: next, at: next.presentation.map { $0.periodStart - presentationStart } ?? .zero)
        take(next)
        // The identifiers of messages are those of a period.
        metadata.forgetMessages()
        applySelection()
        alignPeriod()
        lastKeyframe = nil
        // Segments may begin before the period does. Audio is cut to the sample.
        let isVideo = description.tracks[leading].mediaType == .video
        junction = periodStart.flatMap {
            isVideo ? VariantJunction(starts: [leading: $0], leading: leading) : nil
        }
        return true
    }

    /// Returns the parameters with which a packet of another period or part is decoded; nil if the
    /// asset has only one.
    func periodParameters(ofTrack track: Int) -> StreamParameters? {
        guard hasSeveralPeriods, track < streamCount, let stream = context.stream(track) else {
            return nil
        }
        var described = description.tracks[track]
        described.formatDescription = FormatDescription(stream, of: context)
        return try? StreamParameters(
            described, of: context, description, source.description, timeBase: timeBases[track])
    }

    /// The first segment of the next live period; nil if it is not available yet, or if there is
    /// none.
    private var nextPeriodSequence: Int64? {
        guard let period = context.reading.period, period.isOver, let timeline = live.timeline,
            let index = timeline.segments.firstIndex(where: { $0.discontinuity > period.number })
        else { return nil }
        return timeline.firstSequence + Int64(index)
    }

    /// Replaces the container with one that may have another period or part open.
    func take(_ next: FormatContext) {
        let start = context.presentation?.openPeriod.start
        context = next
        if let presentation = next.presentation {
            hasSeveralPeriods =
                hasSeveralPeriods || presentation.presentation.periods.count > 1
                || presentation.openPeriod.start != start
        } else if !isLive, live.segments != nil, next.isMovedByOpening {
            hasSeveralPeriods = true
        }
        guard hasSeveralPeriods else { return }
        // Decoders may have the headers, or be for the codecs, of another period.
        changed = selection
        let variants = next.variants
        guard variants.current != choice.current else { return }
        choice.replace(variants.all, current: variants.current)
        noteVariant(isFirst: false)
    }

    /// Checks that the tracks that play continue in another period or part. It may lack the last
    /// ones.
    ///
    /// - Parameter time: The time at which it begins.
    func requireTracks(in other: FormatContext, at time: MediaTime) throws(MediaError) {
        let continues = zip(context.streams.prefix(streamCount), other.streams).allSatisfy {
            $0?.pointee.codecpar.pointee.codec_type == $1?.pointee.codecpar.pointee.codec_type
        }
        guard !continues || other.streams.isEmpty else { return }
        throw MediaError(
            .damaged, subject: source.description,
            cause: "its video or its audio ends at " + max(time, .zero).clockDescription
                + ", where its next period or part begins", remedy: "play these separately")
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
        // The next period of a live presentation becomes known while this one is read.
        if isLive, periodStart != nil {
            periodEnd = context.periodEnd.map { $0 - presentationStart }
        }
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
        guard let rate = context.stream(packet.trackID)?.pointee.codecpar.pointee.sample_rate,
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
