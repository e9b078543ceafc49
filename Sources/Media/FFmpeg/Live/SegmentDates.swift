// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// The dates of the segments of a timeline, which are kept while the segments move.
///
/// A keyframe that is read may move the segments after it. Only their dates are determined again,
/// so that a keyframe near the end of a long playlist costs no more than in a short one.
///
/// - Concurrency: a value.
struct SegmentDates: Sendable, Hashable {
    /// The segments with the same discontinuity number.
    private struct Group: Sendable, Hashable {
        /// The index of the first segment.
        var first: Int
        /// The index of the first segment with a date; nil if no segment has one.
        var dated: Int?
    }

    /// The dates; empty if no segment has one.
    private(set) var dates = TimelineDates()
    /// The groups, in order; empty if no segment has a date.
    private var groups: [Group] = []
    /// For each span of the dates, the index of its first segment.
    private var firstSegments: [Int] = []

    init(_ segments: [LiveTimeline.Segment]) {
        guard segments.contains(where: { $0.date != nil }) else { return }
        var group: Group?
        for (index, segment) in segments.enumerated() {
            if let known = group, segments[known.first].discontinuity != segment.discontinuity {
                groups.append(known)
                group = nil
            }
            var current = group ?? Group(first: index)
            if current.dated == nil, segment.date != nil { current.dated = index }
            group = current
        }
        if let group { groups.append(group) }
        determine(from: 0, segments)
    }

    /// Moves the segments from an index on by a step, and determines the dates that change.
    ///
    /// - Returns: The number of segments whose dates were determined.
    @discardableResult
    mutating func move(
        _ segments: inout [LiveTimeline.Segment], from index: Int, by step: MediaTime
    ) -> Int {
        let begin = firstChange(at: index)
        let isKept = begin.map { forget(from: $0, segments) } ?? true
        for index in index..<segments.count { segments[index].start = segments[index].start + step }
        guard isKept else {
            self = SegmentDates(segments)
            return segments.count
        }
        guard let begin else { return 0 }
        determine(from: begin, segments)
        return segments.count - begin
    }

    /// Returns the index of the first segment whose dates change if the segments from an index on
    /// move; nil if no dates change. The segment before them ends where they begin.
    private func firstChange(at index: Int) -> Int? {
        guard !groups.isEmpty else { return nil }
        let last = max(index - 1, 0)
        let number = group(of: last)
        guard let dated = groups[number].dated else {
            return groups[(number + 1)...].first { $0.dated != nil }?.first
        }
        // The segments before the first date have theirs from it.
        return dated > last ? groups[number].first : last
    }

    /// Removes the dates from a segment on, whose group has a date.
    ///
    /// - Returns: A Boolean value that indicates whether the other dates are those of the segments
    ///   before it. It is false if the segment itself has no valid date.
    private mutating func forget(from index: Int, _ segments: [LiveTimeline.Segment]) -> Bool {
        guard let span = span(index, segments, groups[group(of: index)]), span.range.isValid,
            span.date.isFinite
        else { return false }
        var count = firstSegments.count
        while count > 0, firstSegments[count - 1] >= index { count -= 1 }
        // If no span begins with the segment, it continues the one before.
        let isContinued = count == firstSegments.count || firstSegments[count] != index
        if count < firstSegments.count { firstSegments.removeSubrange(count...) }
        dates.keep(count, endingAt: isContinued ? segments[index].start : nil)
        return true
    }

    /// Adds the dates from a segment on.
    private mutating func determine(from index: Int, _ segments: [LiveTimeline.Segment]) {
        for number in group(of: index)..<groups.count where groups[number].dated != nil {
            let end = number + 1 < groups.count ? groups[number + 1].first : segments.count
            for index in max(groups[number].first, index)..<end {
                guard let span = span(index, segments, groups[number]) else { continue }
                let count = dates.spans.count
                dates.append(span)
                if dates.spans.count > count { firstSegments.append(index) }
            }
        }
    }

    /// Returns the dates of a segment. The first date that a playlist states after a discontinuity
    /// applies to the segments before it, too (RFC 8216, section 6.3.3).
    private func span(
        _ index: Int, _ segments: [LiveTimeline.Segment], _ group: Group
    ) -> TimelineDates.Span? {
        guard let dated = group.dated, let date = segments[dated].date else { return nil }
        let segment = segments[index]
        let next = index + 1 < segments.count ? segments[index + 1].start : segment.end
        return TimelineDates.Span(
            range: MediaTimeRange(start: segment.start, end: max(next, segment.start)),
            date: segment.date ?? date + (segment.start - segments[dated].start).seconds)
    }

    /// Returns the number of the group of a segment.
    private func group(of index: Int) -> Int {
        var (low, high) = (0, groups.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if groups[middle].first <= index { low = middle } else { high = middle }
        }
        return low
    }
}
