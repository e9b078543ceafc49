// SPDX-License-Identifier: Apache-2.0

import PlayheadTime

/// The segments of a track. They are contiguous from 0 on; the last one is not empty, and no two
/// empty ones are adjacent.
///
/// All edits use one operation: `splice` replaces a range with a list of segments. It computes the
/// whole change before it is applied, so an edit that fails changes nothing, and edits of several
/// tracks are applied together or not at all.
struct SegmentList: Sendable {
    private(set) var segments: [CompositionTrackSegment] = []

    /// A replacement of segments that is ready to be applied.
    struct Splice {
        fileprivate var indices: Range<Int>
        fileprivate var segments: [CompositionTrackSegment]
    }

    /// The end of the last segment.
    var end: MediaTime { segments.last?.targetRange.end ?? .zero }

    // MARK: - Searching

    /// Returns the index of the first segment that ends after a time; `segments.count` if none
    /// does.
    func index(after time: MediaTime) -> Int {
        var (low, high) = (0, segments.count)
        // Most edits are at the end.
        if end <= time { return high }
        while low < high {
            let middle = (low + high) / 2
            if segments[middle].targetRange.end <= time { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Returns the segments within a range, trimmed to it and moved to begin at 0. Empty segments
    /// stand for the parts of the range outside of the track.
    func slice(_ range: MediaTimeRange) throws(CompositionError) -> [CompositionTrackSegment] {
        let rangeEnd = try range.start.adding(range.duration)
        var result: [CompositionTrackSegment] = []
        var index = index(after: range.start)
        while index < segments.count, segments[index].targetRange.start < rangeEnd {
            let target = segments[index].targetRange
            let part = try segments[index].slice(
                from: max(target.start, range.start), to: min(target.end, rangeEnd))
            result.append(try part.moved(by: -range.start))
            index += 1
        }
        let covered = result.last?.targetRange.end ?? .zero
        if covered < range.duration {
            result.append(
                CompositionTrackSegment(
                    emptyTimeRange: try .exact(from: covered, to: range.duration)))
        }
        return result
    }

    // MARK: - Editing

    /// Returns the change that replaces a range with segments.
    ///
    /// - Parameters:
    ///   - range: the range to replace. It may be empty, to insert, and may extend beyond the end.
    ///   - pieces: the new segments, contiguous from 0 on. Later segments move by the difference
    ///     between the two durations.
    func splice(
        replacing range: MediaTimeRange, with pieces: [CompositionTrackSegment]
    ) throws(CompositionError) -> Splice {
        if range.duration == .zero, pieces.isEmpty { return Splice(indices: 0..<0, segments: []) }
        let (start, oldEnd) = (range.start, try range.start.adding(range.duration))
        let length = pieces.last?.targetRange.end ?? .zero
        let first = index(after: start)
        var splice = Splice(indices: first..<first, segments: [])
        if first == segments.count {
            if end < start {
                splice.append(
                    CompositionTrackSegment(emptyTimeRange: try .exact(from: end, to: start)))
            }
        } else if segments[first].targetRange.start < start {
            splice.append(
                try segments[first].slice(from: segments[first].targetRange.start, to: start))
        }
        for piece in pieces { splice.append(try piece.moved(by: start)) }
        let last = max(first, range.duration > .zero ? index(after: oldEnd) : first)
        let distance = try length.subtracting(range.duration)
        splice.indices = first..<last
        if last < segments.count {
            let target = segments[last].targetRange
            if target.start < oldEnd {
                let rest = try segments[last].slice(from: oldEnd, to: target.end)
                splice.append(try rest.moved(by: distance))
                splice.indices = first..<(last + 1)
            }
            if distance != .zero {
                for segment in segments[splice.indices.upperBound...] {
                    splice.append(try segment.moved(by: distance))
                }
                splice.indices = first..<segments.count
            } else if splice.indices.upperBound < segments.count,
                splice.segments.last?.isEmpty == true,
                segments[splice.indices.upperBound].isEmpty
            {
                splice.append(segments[splice.indices.upperBound])
                splice.indices = first..<(splice.indices.upperBound + 1)
            }
        }
        try normalise(&splice)
        return splice
    }

    /// Joins the first new segment with the one before it if both are empty, and removes an empty
    /// segment at the end.
    private func normalise(_ splice: inout Splice) throws(CompositionError) {
        let isLast = splice.indices.upperBound == segments.count
        while isLast, splice.segments.last?.isEmpty == true { splice.segments.removeLast() }
        let before = splice.indices.lowerBound - 1
        guard before >= 0, segments[before].isEmpty else { return }
        if let next = splice.segments.first {
            guard next.isEmpty else { return }
            splice.segments[0] = CompositionTrackSegment(
                emptyTimeRange: try .exact(
                    from: segments[before].targetRange.start, to: next.targetRange.end))
        } else if !isLast {
            // The empty segment before may now be adjacent to an empty one after it.
            let after = splice.indices.upperBound
            guard segments[after].isEmpty else { return }
            splice.segments = [
                CompositionTrackSegment(
                    emptyTimeRange: try .exact(
                        from: segments[before].targetRange.start,
                        to: segments[after].targetRange.end))
            ]
            splice.indices = before..<(after + 1)
            return
        }
        splice.indices = before..<splice.indices.upperBound
    }

    /// Returns the change that scales a range, with the segments in it, to another duration. Empty
    /// time outside of the track is scaled too.
    func scale(
        _ range: MediaTimeRange, toDuration duration: MediaTime
    ) throws(CompositionError) -> Splice {
        let old = MediaTimeRange(start: .zero, duration: range.duration)
        let new = MediaTimeRange(start: .zero, duration: duration)
        var pieces: [CompositionTrackSegment] = []
        var position = MediaTime.zero
        for piece in try slice(range) {
            let end = try piece.targetRange.end.exactlyMapped(from: old, to: new)
            pieces.append(piece.retargeted(to: try .exact(from: position, to: end)))
            position = end
        }
        return try splice(replacing: range, with: pieces)
    }

    mutating func apply(_ splice: Splice) {
        segments.replaceSubrange(splice.indices, with: splice.segments)
    }

    /// Returns the change that replaces all segments.
    func replacement(
        by newSegments: [CompositionTrackSegment]
    ) throws(CompositionError) -> Splice {
        var splice = Splice(indices: 0..<segments.count, segments: [])
        for segment in newSegments { splice.append(segment.takenAsExact) }
        while splice.segments.last?.isEmpty == true { splice.segments.removeLast() }
        return splice
    }
}

extension SegmentList.Splice {
    /// Adds a segment at the end. If it and the last one are empty, the last one is extended.
    fileprivate mutating func append(_ segment: CompositionTrackSegment) {
        guard segment.isEmpty, let last = segments.last, last.isEmpty else {
            segments.append(segment)
            return
        }
        // If the sum of both durations would need rounding, both segments are kept.
        let duration = last.targetRange.duration + segment.targetRange.duration
        guard duration.isNumeric, !duration.hasBeenRounded else {
            segments.append(segment)
            return
        }
        segments[segments.count - 1] = CompositionTrackSegment(
            emptyTimeRange: MediaTimeRange(start: last.targetRange.start, duration: duration))
    }
}
