// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// A demuxer of a rendition of subtitles in HLS: WebVTT files or fragments of MP4, which it loads
/// one after the other. Each packet has the cues of a segment.
///
/// The times of cues refer to the timestamps of the stream. The demuxer of the stream, which this
/// one retains, relates these to the timeline and loads the files.
///
/// - Concurrency: one thread at a time, as `Demuxer` requires.
final class TextRenditionDemuxer: SubtitleDemuxer, @unchecked Sendable {
    // Unchecked: only one thread at a time, as the protocol requires, accesses mutable state.

    let description: AssetDescription
    var limits: MediaLimits { main.limits }
    var script: SubtitleScript { lines.script }
    private let main: FFmpegDemuxer
    private let rendition: TextRendition
    private let track: AssetTrack
    private var lines = WebVTTLines()
    private var list: TextPlaylist?
    /// The times of the segments. Its zero is the beginning of the first segment that was listed.
    private var timeline: LiveTimeline?
    /// The item time at the zero of `timeline`.
    private var origin = MediaTime.zero
    /// The number of discontinuities before the segment at which the stream was opened.
    private var firstDiscontinuity: Int64 = 0
    /// The number that is added to numbers of discontinuities to get those of the stream.
    private var discontinuityShift: Int64 = 0
    /// For each number of discontinuities, the difference between the times of the timeline and the
    /// timestamps of the stream; nil if it cannot be found.
    private var offsets: [Int64: MediaTime?] = [:]
    /// The sequence number of the segment that is read next; nil before anything was read.
    private var next: Int64?
    /// The time from which subtitles are read, before the playlist has been loaded.
    private var target = MediaTime.zero
    /// A Boolean value that indicates whether the playlist has no segments and will have none.
    private var isEmpty = false
    /// The host time at which the playlist was loaded, in nanoseconds.
    private var loadTime: Int64 = 0
    /// The number of times in a row that a live playlist could not be loaded.
    private var failureCount = 0
    /// The cues that were read last, which the next segments may repeat.
    private var recent: [SubtitleCue] = []
    /// The error of a sample in the segment that was read last, and the range of the segment. The
    /// next packet reports it.
    private var failure: (error: MediaError, range: MediaTimeRange)?
    /// The last header of segments that was loaded.
    private var header: (place: TextPlaylist.Place, bytes: [UInt8])?

    /// The number of times in a row that the playlist of a live stream may fail to load.
    private static let maximumFailures = 3
    /// The longest step of a wait, in nanoseconds. Each step has its own timeout.
    private static let step: Int64 = 1_000_000_000
    /// The number of segments whose dates are compared with those of the stream.
    private static let maximumDated = 64
    /// The number of cues that are compared with those of the next segment.
    private static let maximumRecent = 256
    /// The maximum difference between the times of a cue in two segments, which writers round.
    private static let rounding = MediaTime(value: 1, timescale: 10)
    /// The maximum distance of a fragment from its segment if the timestamps may have changed, and
    /// if their difference is not known.
    private static let tolerance = MediaTime(value: 10, timescale: 1)
    private static let unknownTolerance = MediaTime(value: 1, timescale: 1)

    init(_ rendition: TextRendition, _ track: AssetTrack, of main: FFmpegDemuxer) {
        (self.rendition, self.track, self.main) = (rendition, track, main)
        description = AssetDescription(
            container: "hls", duration: main.description.duration,
            providesPreciseDurationAndTiming: false, tracks: [track])
    }

    func makeSubtitleDecoder(for track: AssetTrack) throws(MediaError) -> any SubtitleDecoder {
        CueDecoder(script)
    }

    func seek(to time: MediaTime) throws(MediaError) {
        target = time
        recent = []
        failure = nil
        next = nil
        // A part that could not be opened is tried again.
        offsets = offsets.filter { $0.value != nil }
    }

    // MARK: - Reading

    func readPacket() throws(MediaError) -> MediaPacket? {
        if let failure {
            self.failure = nil
            return packet(CuePayload([], error: failure.error), failure.range)
        }
        while true {
            main.interrupt.begin()
            guard let (list, timeline) = try loaded() else {
                if isEmpty { return nil }
                // A live stream may have just begun.
                try wait(until: loadTime + Self.step)
                continue
            }
            let wanted = next ?? timeline.sequence(at: target - origin)
            let sequence = max(wanted, timeline.firstSequence)
            if sequence < timeline.endSequence, let segment = timeline[sequence] {
                next = sequence + 1
                let place = list.segments[Int(sequence - timeline.firstSequence)]
                return try packet(of: segment, at: place)
            }
            next = sequence
            if timeline.hasEnded { return nil }
            try waitForReload(timeline)
            guard let known = self.timeline, sequence >= known.endSequence, !known.hasEnded else {
                continue
            }
            // The caller may want other subtitles now.
            return packet(CuePayload([]), MediaTimeRange(start: known.range.end, duration: .zero))
        }
    }

    /// Returns a packet.
    ///
    /// - Parameter range: The time range of its segment on the timeline of the subtitles.
    private func packet(
        _ payload: CuePayload, _ range: MediaTimeRange, byteCount: Int = 0
    ) -> MediaPacket {
        // The subtitles up to the end of the segment are known.
        MediaPacket(
            trackID: track.id, presentationTime: range.end + origin,
            decodeTime: range.start + origin, duration: .zero, isKeyframe: true,
            byteCount: byteCount, payload: payload)
    }

    /// Returns the playlist and the times of its segments; nil while there are no segments. The
    /// playlist is loaded the first time.
    private func loaded() throws(MediaError) -> (TextPlaylist, LiveTimeline)? {
        if let list, let timeline { return (list, timeline) }
        let list = try main.context.textPlaylist(rendition.address)
        loadTime = HostClock.nanoseconds
        guard !list.segments.isEmpty else {
            isEmpty = list.media.hasEnded
            return nil
        }
        let timeline = LiveTimeline(list.media)
        (self.list, self.timeline) = (list, timeline)
        origin = Self.origin(of: timeline, on: main)
        placeParts(of: timeline)
        return (list, timeline)
    }

    /// Relates the parts between discontinuities to those of the stream. The playlists of a live
    /// stream count them alike (RFC 8216, 6.2.1), but may begin with different ones.
    private func placeParts(of timeline: LiveTimeline) {
        let start = main.description.startTime
        let known = main.live.segments.flatMap { segments in
            let first = main.context.reading.beginning?.sequence ?? segments.sequence(at: start)
            return segments[first]?.discontinuity
        }
        let first =
            main.isLive ? timeline.sequence(at: start - origin) : timeline.firstSequence
        let own = timeline[first]?.discontinuity ?? 0
        firstDiscontinuity = main.isLive ? known ?? own : own
        discontinuityShift = (known ?? firstDiscontinuity) - firstDiscontinuity
    }

    /// Returns the item time at the zero of the timeline of subtitles: by the dates of segments, by
    /// their numbers, or by the distance from the live edge.
    private static func origin(of text: LiveTimeline, on main: FFmpegDemuxer) -> MediaTime {
        guard let live = main.live.newestTimeline else { return main.description.startTime }
        for segment in text.segments.suffix(maximumDated) {
            guard let date = segment.date,
                let other = live.segments.last(where: { $0.date.map { $0 <= date } ?? false }),
                let distance = other.date.flatMap({ MediaPlaylist.time(date - $0) })
            else { continue }
            return other.start + distance - segment.start
        }
        for sequence in text.firstSequence..<text.endSequence {
            if let other = live[sequence], let own = text[sequence] {
                return other.start - own.start
            }
        }
        return live.range.end - text.range.end
    }

    /// Waits until a host time, in nanoseconds.
    private func wait(until due: Int64) throws(MediaError) {
        while true {
            guard !main.interrupt.isCancelled else {
                throw MediaError(
                    .cancelled, subject: main.source.description, cause: "reading was cancelled")
            }
            let rest = due - HostClock.nanoseconds
            guard rest > 0 else { return }
            main.interrupt.begin()
            main.interrupt.wait(nanoseconds: min(rest, Self.step))
        }
    }

    private func waitForReload(_ timeline: LiveTimeline) throws(MediaError) {
        try wait(until: loadTime + timeline.reloadInterval)
        loadTime = HostClock.nanoseconds
        main.interrupt.begin()
        do throws(MediaError) {
            let list = try main.context.textPlaylist(rendition.address)
            failureCount = 0
            guard !list.segments.isEmpty else { return }
            self.timeline?.update(list.media)
            self.list = list
            let listed = Set(list.media.segments.map(\.discontinuity))
            offsets = offsets.filter { listed.contains($0.key) }
            // A server that has begun to count again has no segment with the next number.
            if let next, next > list.media.endSequence { self.next = list.media.firstSequence }
        } catch {
            failureCount += 1
            if error.code == .cancelled || failureCount >= Self.maximumFailures { throw error }
        }
    }

    // MARK: - Segments

    private func packet(
        of segment: LiveTimeline.Segment, at place: TextPlaylist.Segment
    ) throws(MediaError) -> MediaPacket {
        let range = MediaTimeRange(start: segment.start, duration: segment.duration)
        do throws(MediaError) {
            let limit = limits.subtitles.fileBytes
            let bytes = try main.context.loadText(place.place, limit: limit)
            let cues =
                try WebVTTFile.isWebVTT(bytes)
                ? cues(ofText: bytes, in: segment) : cues(ofMovie: bytes, place.header, in: segment)
            return packet(
                CuePayload(withoutRepetitions(cues)), range, byteCount: bytes.count)
        } catch {
            if main.interrupt.isCancelled { throw error }
            return packet(CuePayload([], error: error), range)
        }
    }

    /// Returns the difference between the times of the timeline and the timestamps of a segment;
    /// nil if it cannot be found. The stream is opened at each part between discontinuities once.
    private func offset(of segment: LiveTimeline.Segment) throws(MediaError) -> MediaTime? {
        let number = segment.discontinuity
        if number == firstDiscontinuity { return .zero }
        if let known = offsets[number] { return known }
        var found: MediaTime?
        do throws(MediaError) {
            found = try main.offset(
                ofPart: number + discontinuityShift,
                near: segment.start + segment.duration * 0.5 + origin)
        } catch {
            if main.interrupt.isCancelled { throw error }
        }
        // A live stream may list the part later.
        if found != nil || !main.isLive { offsets[number] = .some(found) }
        return found
    }

    private func cues(
        ofText bytes: [UInt8], in segment: LiveTimeline.Segment
    ) throws(MediaError) -> [SubtitleCue] {
        let file = WebVTTFile(bytes, limit: limits.subtitles.lineCount)
        let starts = file.cues.map(\.start)
        guard let first = starts.min(), let last = starts.max() else { return [] }
        // Without a map, times have no relation to the timestamps.
        let offset = try file.timestampMap == nil ? nil : offset(of: segment)
        let clock = TextClock(
            file.timestampMap, cues: first...last,
            in: MediaTimeRange(start: segment.start + origin, duration: segment.duration),
            offset: main.description.timestampOffset - (offset ?? .zero),
            isContinuous: segment.discontinuity == firstDiscontinuity)
        lines.take(file)
        return file.cues.compactMap { cue in
            guard cue.end > cue.start,
                let line = lines.line(of: cue.cue, limit: limits.subtitles.lineBytes)
            else { return nil }
            var shown = SubtitleCue(
                timeRange: clock.range(start: cue.start, end: cue.end), content: .line(line))
            // Some writers cut cues at the ends of segments.
            shown.isContinuation = true
            return shown
        }
    }

    /// Returns the cues of a fragment of MP4, whose times are timestamps of the stream.
    private func cues(
        ofMovie bytes: [UInt8], _ place: TextPlaylist.Place?, in segment: LiveTimeline.Segment
    ) throws(MediaError) -> [SubtitleCue] {
        var bytes = bytes
        if let place { bytes = try headerBytes(place) + bytes }
        var options = main.options
        options.allowsSubtitlesOnly = true
        options.accessObserver = nil
        // A playlist in the place of a segment is refused.
        options.rules.demuxers.formIntersection(["mov", "mp4"])
        let movie = try FFmpegDemuxer(
            .data(MemoryDataSource(bytes), name: "subtitles.mp4"), options: options,
            interrupt: main.interrupt)
        guard let track = movie.description.tracks.first(where: { $0.mediaType == .subtitle })
        else {
            throw MediaError(
                .damaged, subject: main.source.description,
                cause: "a segment of its subtitles has no text")
        }
        movie.selectTracks([track.id])
        let decoder = try movie.makeSubtitleDecoder(for: track)
        // Samples may share their bytes, so that cues are larger than the segment.
        var cues: [SubtitleCue] = []
        var byteCount = 0
        var start: MediaTime?
        while byteCount < limits.subtitles.keptBytes, cues.count < limits.subtitles.lineCount,
            let packet = try movie.readPacket()
        {
            start = start ?? packet.presentationTime
            do throws(MediaError) {
                let decoded = try decoder.decode(packet)
                byteCount += decoded.reduce(0) { $0 + $1.byteCount }
                cues += decoded
            } catch {
                let range = MediaTimeRange(start: segment.start, duration: segment.duration)
                failure = failure ?? (error, range)
            }
        }
        cues += decoder.finish()
        let offset = movie.description.timestampOffset - main.description.timestampOffset
        let shift = try shift(ofMovieFrom: start ?? .invalid, in: segment, offset: offset)
        for index in cues.indices {
            cues[index].timeRange.start = cues[index].timeRange.start + shift
            cues[index].isContinuation = true
        }
        return cues
    }

    /// Returns the time that is added to the times of a fragment of MP4.
    ///
    /// - Parameters:
    ///   - start: The time of the first sample.
    ///   - offset: The time that is added if the timestamps have been continuous.
    private func shift(
        ofMovieFrom start: MediaTime, in segment: LiveTimeline.Segment, offset: MediaTime
    ) throws(MediaError) -> MediaTime {
        guard segment.discontinuity != firstDiscontinuity, start.isNumeric else { return offset }
        let known = try self.offset(of: segment)
        let shift = offset + (known ?? .zero)
        // Samples cover a segment from its beginning, also where nothing is shown (ISO/IEC
        // 14496-30, 7.2).
        let distance = segment.start + origin - (start + shift)
        let limit = known == nil ? Self.unknownTolerance : Self.tolerance
        return distance.magnitude <= limit ? shift : shift + distance
    }

    private func headerBytes(_ place: TextPlaylist.Place) throws(MediaError) -> [UInt8] {
        if let header, header.place == place { return header.bytes }
        let bytes = try main.context.loadText(place, limit: limits.subtitles.headerBytes)
        header = (place, bytes)
        return bytes
    }

    /// Returns the cues that earlier segments have not had.
    private func withoutRepetitions(_ cues: [SubtitleCue]) -> [SubtitleCue] {
        let new = cues.filter { cue in
            !recent.contains { known in
                known.content == cue.content
                    && (known.timeRange.start - cue.timeRange.start).magnitude <= Self.rounding
                    && (known.timeRange.end - cue.timeRange.end).magnitude <= Self.rounding
            }
        }
        recent = Array((recent + new).suffix(Self.maximumRecent))
        return new
    }
}
