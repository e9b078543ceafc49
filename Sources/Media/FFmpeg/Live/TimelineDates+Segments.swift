// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

extension TimelineDates {
    /// A segment of a playlist on the timeline.
    struct Segment {
        var range: MediaTimeRange
        var discontinuity: Int64
        var date: Double?
    }

    /// Creates the dates of a timeline from those of its segments. The first date that a playlist
    /// states after a discontinuity applies to the segments before it, too (RFC 8216, section
    /// 6.3.3).
    init(_ segments: [Segment]) {
        self.init()
        var begin = 0
        while begin < segments.count {
            let number = segments[begin].discontinuity
            let end = segments[begin...].firstIndex { $0.discontinuity != number }
            let group = segments[begin..<(end ?? segments.count)]
            begin = group.endIndex
            guard let dated = group.first(where: { $0.date != nil }), let date = dated.date else {
                continue
            }
            for segment in group {
                let own = segment.date ?? date + (segment.range.start - dated.range.start).seconds
                append(Span(range: segment.range, date: own))
            }
        }
    }
}

extension LiveTimeline {
    /// The dates of the timeline; empty if the stream states none.
    var dates: TimelineDates {
        guard segments.contains(where: { $0.date != nil }) else { return TimelineDates() }
        return TimelineDates(
            segments.indices.map { index in
                let segment = segments[index]
                let next = index + 1 < segments.count ? segments[index + 1].start : segment.end
                return TimelineDates.Segment(
                    range: MediaTimeRange(start: segment.start, end: max(next, segment.start)),
                    discontinuity: segment.discontinuity, date: segment.date)
            })
    }
}
