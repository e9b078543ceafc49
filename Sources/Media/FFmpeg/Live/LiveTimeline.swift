// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// The timeline of a live stream, or of a playlist with discontinuities: the times of the segments
/// that the playlist lists.
///
/// The oldest segment of the first playlist begins at zero. From then on, segments are identified
/// by their media sequence numbers, so that times stay the same while segments leave the playlist
/// and others join it, and when the stream is opened again at another segment.
///
/// The durations in a playlist may be rounded. Keyframes that are read correct the times: `note`
/// moves the beginning of a segment to the keyframe at which it begins.
///
/// - Concurrency: a value.
struct LiveTimeline: Sendable, Hashable {
    /// A listed segment.
    struct Segment: Sendable, Hashable {
        var start: MediaTime
        var duration: MediaTime
        var discontinuity: Int64
        var date: Double?

        var end: MediaTime { start + duration }
    }

    /// The media sequence number of the oldest segment.
    private(set) var firstSequence: Int64
    private(set) var segments: [Segment]
    private var segmentDates: SegmentDates
    private(set) var targetDuration: MediaTime
    private(set) var recommendedOffset: MediaTime
    /// The maximum duration of a part; nil if the stream is not read in parts.
    private(set) var partTarget: MediaTime?
    private(set) var hasEnded: Bool
    /// The difference between the times of this timeline and the timestamps of the stream, for each
    /// discontinuity number whose segments have been read.
    private var offsets: [Int64: MediaTime] = [:]

    /// The maximum distance of a keyframe from the expected beginning of its segment.
    private static let keyframeLimit = MediaTime(value: 1, timescale: 4)
    /// The maximum distance of the timestamps' jump from the beginning of the segment at which a
    /// discontinuity is stated.
    private static let jointLimit = MediaTime(value: 1, timescale: 1)

    /// Creates the timeline from the first playlist, which must have segments.
    init(_ playlist: MediaPlaylist) {
        precondition(!playlist.segments.isEmpty, "a timeline needs a segment")
        firstSequence = playlist.firstSequence
        targetDuration = playlist.targetDuration
        recommendedOffset = playlist.recommendedOffset
        partTarget = playlist.partTarget
        hasEnded = playlist.hasEnded
        segments = Self.segments(of: playlist, from: .zero)
        segmentDates = SegmentDates(segments)
    }

    // MARK: - Segments

    /// The sequence number after that of the newest segment.
    var endSequence: Int64 { firstSequence + Int64(segments.count) }
    var lastSequence: Int64 { endSequence - 1 }

    /// The range from the beginning of the oldest segment to the end of the newest one.
    var range: MediaTimeRange {
        MediaTimeRange(start: segments[0].start, end: segments[segments.count - 1].end)
    }

    var window: LiveWindow {
        LiveWindow(
            range: range, recommendedOffset: min(recommendedOffset, range.duration),
            partTarget: partTarget, hasEnded: hasEnded)
    }

    /// The dates of the timeline; empty if the stream states none.
    var dates: TimelineDates { segmentDates.dates }

    /// Returns a listed segment.
    subscript(sequence: Int64) -> Segment? {
        guard sequence >= firstSequence, sequence < endSequence else { return nil }
        return segments[Int(sequence - firstSequence)]
    }

    /// Returns the sequence number of the segment at a time; of the oldest or the newest segment if
    /// no segment covers the time.
    func sequence(at time: MediaTime) -> Int64 {
        var (low, high) = (0, segments.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if segments[middle].start <= time { low = middle } else { high = middle }
        }
        return firstSequence + Int64(low)
    }

    /// A Boolean value that indicates whether timestamps may change between two segments.
    var hasDiscontinuities: Bool {
        segments[0].discontinuity != segments[segments.count - 1].discontinuity
    }

    /// Returns the time of a discontinuity near a time; nil if none is stated there.
    func discontinuity(near time: MediaTime) -> MediaTime? {
        let earliest = time - Self.jointLimit
        var index = Int(sequence(at: time + Self.jointLimit) - firstSequence)
        while index > 0, segments[index].start >= earliest {
            if segments[index].discontinuity != segments[index - 1].discontinuity {
                return segments[index].start
            }
            index -= 1
        }
        return nil
    }

    // MARK: - Playlists

    /// Takes a playlist that was loaded later. A playlist without segments changes nothing.
    mutating func update(_ playlist: MediaPlaylist) {
        guard !playlist.segments.isEmpty else { return }
        targetDuration = playlist.targetDuration
        recommendedOffset = playlist.recommendedOffset
        partTarget = playlist.partTarget
        hasEnded = playlist.hasEnded
        let known = self
        segments = Self.segments(of: playlist, from: start(of: playlist), known: known)
        segmentDates = SegmentDates(segments)
        firstSequence = playlist.firstSequence
        let discontinuities = Set(segments.map(\.discontinuity))
        offsets = offsets.filter { discontinuities.contains($0.key) }
    }

    /// Returns the time at which the first segment of a playlist begins.
    private func start(of playlist: MediaPlaylist) -> MediaTime {
        if let known = self[playlist.firstSequence] { return known.start }
        if playlist.firstSequence < firstSequence, playlist.endSequence > firstSequence {
            let count = Int(firstSequence - playlist.firstSequence)
            return segments[0].start
                - playlist.segments.prefix(count).map(\.duration).reduce(.zero, +)
        }
        // A server that begins to count again continues at the live edge.
        guard playlist.firstSequence > endSequence else { return range.end }
        return range.end + missedDuration(before: playlist)
    }

    /// Returns the duration of the segments that were removed from the playlist before it was
    /// loaded: according to the dates or, without dates, according to the other segments.
    private func missedDuration(before playlist: MediaPlaylist) -> MediaTime {
        let last = segments[segments.count - 1]
        if let from = last.date, let to = playlist.segments[0].date, to - from < 86_400 {
            if let distance = MediaPlaylist.time(to - from) {
                return max(distance - last.duration, .zero)
            }
        }
        let count = Double(min(playlist.firstSequence - endSequence, 1 << 20))
        return (playlist.duration * (count / Double(playlist.segments.count)))
            .converted(toTimescale: MediaPlaylist.timescale)
    }

    /// Returns the segments of a playlist with their times. Segments that were listed before keep
    /// their times, which keyframes may have corrected.
    private static func segments(
        of playlist: MediaPlaylist, from start: MediaTime, known: LiveTimeline? = nil
    ) -> [Segment] {
        var next = start
        return playlist.segments.enumerated().map { index, segment in
            let begin = known?[playlist.firstSequence + Int64(index)]?.start ?? next
            next = begin + segment.duration
            return Segment(
                start: begin, duration: segment.duration, discontinuity: segment.discontinuity,
                date: segment.date)
        }
    }

    /// Moves a segment and those after it.
    private mutating func move(from index: Int, to start: MediaTime) {
        let step = start - segments[index].start
        guard step != .zero else { return }
        segmentDates.move(&segments, from: index, by: step)
    }

    // MARK: - What was read

    /// Records that a segment begins with a keyframe at a time. Later segments move by the same
    /// distance. So do earlier ones, which may have been listed with rounded durations.
    mutating func anchor(_ sequence: Int64, at time: MediaTime) {
        guard let segment = self[sequence], time.isNumeric else { return }
        let step =
            time.converted(toTimescale: MediaPlaylist.timescale) - segment.start
        guard step != .zero else { return }
        segmentDates.move(&segments, from: 0, by: step)
    }

    /// Records a keyframe that was read. If it is close to the expected beginning of a segment, and
    /// not as close to the keyframe before it, the segment begins there.
    ///
    /// - Parameters:
    ///   - previous: The time of the keyframe before it; nil if it is the first one.
    ///   - offset: The difference between the time and the keyframe's own timestamp.
    /// - Returns: A Boolean value that indicates whether the timeline has changed.
    @discardableResult
    mutating func note(
        keyframe time: MediaTime, previous: MediaTime?, offset: MediaTime
    ) -> Bool {
        guard time.isNumeric else { return false }
        var limit = Self.keyframeLimit
        if let previous, previous < time { limit = min(limit, (time - previous) * 0.5) }
        let near = sequence(at: time + limit)
        guard let segment = self[near], (segment.start - time).magnitude <= limit else {
            return false
        }
        let start = time.converted(toTimescale: MediaPlaylist.timescale)
        guard start != segment.start || offsets[segment.discontinuity] != offset else {
            return false
        }
        offsets[segment.discontinuity] = offset
        move(from: Int(near - firstSequence), to: start)
        return true
    }

    /// Returns the difference that is added to the timestamps of a segment, so that the timeline
    /// continues.
    ///
    /// - Parameters:
    ///   - time: The time of the segment's first frame without a difference.
    ///   - sequence: The sequence number of the segment.
    func offset(ofFrameAt time: MediaTime, in sequence: Int64) -> MediaTime {
        guard let segment = self[sequence], time.isNumeric else { return .zero }
        func distance(with offset: MediaTime) -> MediaTime {
            (time + offset - segment.start).magnitude
        }
        // Timestamps continue within a discontinuity number. The durations of many segments
        // together may be far from exact, but not as far as timestamps that have overflowed.
        if let known = offsets[segment.discontinuity], distance(with: known) < Self.driftLimit {
            return known
        }
        // Some streams state discontinuities at which the timestamps continue.
        let limit = min(max(targetDuration * 0.5, Self.keyframeLimit), Self.jointLimit)
        let known = [.zero] + offsets.values
        if let nearest = known.min(by: { distance(with: $0) < distance(with: $1) }),
            distance(with: nearest) <= limit
        {
            return nearest
        }
        return segment.start - time
    }

    /// The maximum difference between the sum of the durations and the timestamps.
    private static let driftLimit = MediaTime(value: 600, timescale: 1)

    /// Records the difference that `offset(ofFrameAt:in:)` returned.
    mutating func use(_ offset: MediaTime, in sequence: Int64) {
        guard let segment = self[sequence] else { return }
        offsets[segment.discontinuity] = offset
    }

    mutating func forgetOffsets() { offsets = [:] }

    // MARK: - Other playlists

    /// Returns the number that is added to the sequence numbers of another variant's playlist to
    /// get those of this timeline. Without dates, the numbers are assumed to agree.
    func shift(of playlist: MediaPlaylist) -> Int64 {
        // The last segment of a low-latency stream may not be complete, and the other playlist may
        // not list it yet.
        let oldest = max(partTarget == nil ? lastSequence : lastSequence - 1, firstSequence)
        for known in (oldest...lastSequence).reversed() {
            guard let segment = self[known], let date = segment.date,
                let index = playlist.segments.firstIndex(where: {
                    $0.date.map { abs($0 - date) < segment.duration.seconds / 2 } ?? false
                })
            else { continue }
            let shift = known - (playlist.firstSequence + Int64(index))
            // The server has not served as many segments. Sums of shifts would overflow at last.
            return shift.magnitude <= MediaPlaylist.largestSequence.magnitude ? shift : 0
        }
        return 0
    }

    /// Returns the sequence number in another playlist of the stream, such as that of another
    /// variant or of separate audio, of the segment that plays at the time of one of this
    /// timeline's segments. Sequence numbers of different playlists need not agree.
    func sequence(like sequence: Int64, in playlist: MediaPlaylist) -> Int64 {
        guard let segment = self[sequence] else { return sequence }
        if let date = segment.date, playlist.segments.contains(where: { $0.date != nil }) {
            // A tenth of a second allows for rounded dates.
            let index = playlist.segments.lastIndex { $0.date.map { $0 <= date + 0.1 } ?? false }
            return playlist.firstSequence + Int64(index ?? 0)
        }
        if sequence >= playlist.firstSequence, sequence < playlist.endSequence { return sequence }
        // Without any relation, the distance from the live edge is the best estimate.
        return playlist.endSequence - (endSequence - sequence)
    }

    /// Returns the index of the segment, in a playlist of a recording, that plays when one of this
    /// timeline's segments begins.
    ///
    /// - Parameter isSame: A Boolean value that indicates whether it is the playlist of a variant,
    ///   which has the same segments, and not that of a rendition.
    func index(of sequence: Int64, in playlist: MediaPlaylist, isSame: Bool) -> Int {
        guard let segment = self[sequence], !playlist.segments.isEmpty else { return 0 }
        if isSame { return Int(sequence - firstSequence) }
        let other = LiveTimeline(playlist)
        // Its durations may be rounded, but timestamps change at the same discontinuities.
        let number =
            segment.discontinuity - segments[0].discontinuity + other.segments[0].discontinuity
        let joint = other.segments.first { $0.discontinuity >= number }?.start ?? .zero
        let time = max(segment.start - segments[0].start, joint)
        return Int(other.sequence(at: time) - other.firstSequence)
    }
}
