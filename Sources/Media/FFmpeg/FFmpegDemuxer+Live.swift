// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import PlayheadAssets
import PlayheadBuffers
import PlayheadTime

/// Live streams, and recordings of several parts.
extension FFmpegDemuxer {
    /// The maximum number of segments that are opened for a seek. Two suffice unless the durations
    /// in the playlist are far from exact.
    private static let maximumSegments = 8
    /// The distance after the target of a seek at which a keyframe counts as being at the target,
    /// because the times of segments are rounded.
    private static let rounding = VideoFrame.timeTolerance

    /// A Boolean value that indicates whether the source is, or was at first, a live stream.
    var isLive: Bool { live.timeline != nil }

    /// Completes the description after the source was opened: a live stream has no duration until
    /// it ends, and a playlist may state where playback begins.
    func beginLive() {
        let start = context.reading.start
        guard let (sequence, time) = context.reading.beginning, let timeline = live.timeline else {
            description.preferredStartTime = start.map { description.startTime + $0 }
            return
        }
        live.use(.zero, in: sequence)
        description.duration = timeline.hasEnded ? timeline.range.duration : .indefinite
        // Audio in a segment may begin a little earlier than the segment.
        description.startTime = timeline.hasEnded ? timeline.range.start : time
        description.providesPreciseDurationAndTiming = false
        description.preferredStartTime = start
    }

    /// Places the timeline of a source that is not a live stream, and adds its dates to the
    /// description.
    func beginRecording() {
        guard !isLive else { return }
        // Audio may begin a little earlier than the first segment.
        let video = description.preferredTrack(of: .video)?.timeRange.start ?? .invalid
        live.beginRecording(at: video.isNumeric ? video : description.startTime)
        description.dates = live.recording?.dates ?? presentationDates
        guard context.reading.nextPart != nil, let end = live.recording?.range.end else { return }
        description.duration = end - description.startTime
        for index in description.tracks.indices {
            let start = description.tracks[index].timeRange.start
            guard start.isNumeric, end > start else { continue }
            description.tracks[index].timeRange = MediaTimeRange(start: start, end: end)
        }
    }

    /// Opens the next part of a recording, whose segments are keyframes alone, or need another
    /// header, which FFmpeg does not read in the middle. Returns false if no part follows.
    func entersNextPart() throws(MediaError) -> Bool {
        guard let sequence = context.reading.nextPart, let segment = live.recording?[sequence]
        else { return false }
        let next = try open(choice.current, at: .segment(sequence))
        try requireTracks(in: next, at: segment.start)
        take(next)
        applySelection()
        // Keyframes alone end long before the next part begins.
        if context.reading.isOfKeyframes { align(sequence) }
        return true
    }

    private var presentationDates: TimelineDates {
        var dates = TimelineDates()
        guard let presentation = context.presentation?.presentation,
            presentation.availabilityStart > 0, description.duration.isNumeric
        else { return dates }
        let zero = Double(presentation.availabilityStart) / 1e6 + presentationStart.seconds
        dates.append(
            TimelineDates.Span(
                range: MediaTimeRange(start: .zero, duration: description.duration), date: zero))
        return dates
    }

    /// Moves to the last keyframe at or before a time, or to the first keyframe of the oldest
    /// segment, and returns the time of the keyframe.
    ///
    /// FFmpeg does not seek in live streams, and it seeks by the timestamps of the file, which
    /// change at discontinuities. So the stream is opened again at the segment. The timeline
    /// continues: the times of the segment's packets are those that the stream had when it was
    /// first read.
    func landAtSegment(of time: MediaTime) throws(MediaError) -> MediaTime? {
        guard let timeline = live.segments else { return nil }
        if let beginning = beginning(servingSeekTo: time) { return beginning }
        let target = time.isNumeric ? time : timeline.range.start
        var wanted = timeline.sequence(at: target + Self.rounding)
        var isCorrected = false
        for _ in 0..<Self.maximumSegments {
            clearPending()
            try reopen(at: .segment(wanted))
            guard let (first, _) = context.reading.beginning else { break }
            align(first)
            guard case .keyframe(let landed) = try readAheadToKeyframe(),
                let timeline = live.segments
            else { break }
            let limit = target + Self.rounding
            let nearest = timeline.sequence(at: limit)
            if nearest > first, landed <= limit, !isCorrected {
                // The timestamps have corrected the times in the playlist.
                isCorrected = true
                wanted = nearest
                continue
            }
            if landed <= limit, let entry = try entryTime(notAfter: limit) {
                markEntry()
                queueAttachedPictures()
                return entry
            }
            if first <= timeline.firstSequence {
                queueAttachedPictures()
                return landed
            }
            wanted = first - 1
        }
        queueAttachedPictures()
        return nil
    }

    /// Returns the time at which reading begins if it serves a seek, so that the stream is not
    /// opened twice: playback of a low-latency stream begins at a time between two keyframes.
    private func beginning(servingSeekTo time: MediaTime) -> MediaTime? {
        guard !hasMoved, lastTaken == nil, openingError == nil, context.childFailure == nil,
            context.reading.partAnalysis != nil,
            let beginning = context.reading.beginning?.time, let timeline = live.timeline,
            time.isNumeric, beginning <= time + Self.rounding,
            time - beginning <= timeline.targetDuration + timeline.recommendedOffset
        else { return nil }
        return beginning
    }

    /// Aligns the timestamps of a container that was just opened with the timeline.
    func align(_ sequence: Int64) {
        guard let timestamp = context.firstTimestamp, let timeline = live.segments else { return }
        if context.presentation != nil {
            alignLivePeriod(sequence)
            let offset = continuity?.offset(ofTrack: 0) ?? .zero
            live.anchor(sequence, at: timestamp - description.timestampOffset + offset)
            return
        }
        let time = timestamp - description.timestampOffset
        let offset = timeline.offset(ofFrameAt: time, in: sequence)
        live.use(offset, in: sequence)
        live.anchor(sequence, at: time + offset)
        if continuity != nil { continuity = TimestampContinuity(offset: offset) }
    }

    /// Corrects the timeline by a keyframe that was read.
    func noteKeyframe(_ packet: MediaPacket) {
        guard live.segments != nil, packet.isKeyframe, packet.presentationTime.isNumeric,
            description.tracks[packet.trackID].mediaType == .video,
            leadingStream.map({ Int($0.pointee.index) }) == packet.trackID
        else { return }
        // The next keyframe of a segment may be anywhere, so the time of one does not help.
        guard lastKeyframe != nil || hasMoved || !context.reading.beginsInside else {
            lastKeyframe = packet.presentationTime
            return
        }
        live.note(
            keyframe: packet.presentationTime, previous: lastKeyframe,
            offset: continuity?.offset(ofTrack: packet.trackID) ?? .zero)
        lastKeyframe = packet.presentationTime
        if isLive { context.forgetChildFailure() }
    }

    /// The reason why a live stream cannot be read on, which FFmpeg reports as its end; nil if the
    /// stream has ended itself.
    var liveFailure: MediaError? {
        guard context.isRemote, let timeline = live.timeline, !timeline.hasEnded else { return nil }
        return context.childFailure
            ?? MediaError(
                .timedOut, subject: source.description,
                cause: "the live stream has no more segments",
                remedy: "check whether its server still runs")
    }

    func resume() throws(MediaError) {
        if context.arriving != nil {
            _ = try resumeArriving()
            return
        }
        guard let timeline = live.timeline,
            let leading = leadingStream.map({ Int($0.pointee.index) }),
            let place = ends[leading] ?? context.reading.beginning?.time, place.isNumeric
        else { return }
        interrupt.begin()
        try reopen(at: .segment(timeline.sequence(at: place)))
        guard let (first, _) = context.reading.beginning else { return }
        // The packets that were read already are left out, as at a change of the variant.
        junction = VariantJunction(starts: ends, leading: leading)
        lastKeyframe = nil
        align(first)
    }

    func reloadPlaylist() {
        guard isLive else { return measureGrowth() }
        interrupt.begin()
        // A playlist without segments, or of another kind, does not set the time of the next one.
        defer { live.putOffReload() }
        try? context.reloadPlaylist()
        noteDateRanges()
    }
}
