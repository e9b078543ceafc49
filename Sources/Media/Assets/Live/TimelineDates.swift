// SPDX-License-Identifier: Apache-2.0

package import PlayheadTime

/// The dates of an asset's timeline: when the media at each time was recorded, or when it is
/// broadcast.
///
/// - Concurrency: a value.
package struct TimelineDates: Sendable, Hashable {
    /// A range of the timeline in which time and date advance together.
    package struct Span: Sendable, Hashable {
        package var range: MediaTimeRange
        /// The date at the beginning of the range, in seconds since 1970.
        package var date: Double

        package init(range: MediaTimeRange, date: Double) {
            (self.range, self.date) = (range, date)
        }

        var endDate: Double { date + range.duration.seconds }

        func date(at time: MediaTime) -> Double { date + (time - range.start).seconds }
    }

    /// The spans, in the order of their times.
    package private(set) var spans: [Span] = []

    /// The difference of dates, in seconds, that is due to their rounding.
    private static let rounding = 0.0015
    /// The difference of times that is due to the rounding of the durations of segments.
    private static let timeRounding = MediaTime(value: 1, timescale: 10_000)

    package init() {}

    package var isEmpty: Bool { spans.isEmpty }

    /// Adds a span after the others. A span that continues the last one becomes a part of it.
    package mutating func append(_ span: Span) {
        guard span.range.isValid, span.date.isFinite else { return }
        if let last = spans.last, last.range.end == span.range.start,
            abs(last.endDate - span.date) < Self.rounding
        {
            spans[spans.count - 1].range = MediaTimeRange(
                start: last.range.start, end: span.range.end)
        } else {
            spans.append(span)
        }
    }

    /// Removes the spans after a number of them.
    ///
    /// - Parameter end: The time at which the last one of those that are kept ends; nil to keep its
    ///   end.
    package mutating func keep(_ count: Int, endingAt end: MediaTime? = nil) {
        if count < spans.count { spans.removeSubrange(count...) }
        guard let end, let last = spans.last, last.range.end != end else { return }
        spans[spans.count - 1].range = MediaTimeRange(start: last.range.start, end: end)
    }

    /// Returns the date at a time, in seconds since 1970; nil if the time has none.
    package func date(at time: MediaTime) -> Double? {
        guard time.isNumeric, let first = spans.first else { return nil }
        let latest = time + Self.timeRounding
        guard let index = spans.lastIndex(where: { $0.range.start <= latest }) else {
            // Audio may begin a little before the first segment.
            return first.range.start - time <= Self.margin ? first.date(at: time) : nil
        }
        let span = spans[index]
        let margin = index == spans.count - 1 ? Self.margin : .zero
        return time <= span.range.end + margin ? span.date(at: time) : nil
    }

    /// The distance from the first and from the last span within which a time still has a date.
    private static let margin = MediaTime(value: 1, timescale: 1)

    /// Returns the time of a date, in seconds since 1970. A date in a gap between two spans is the
    /// time at which the second one begins.
    ///
    /// - Returns: The first time with this date; nil if the date is before all spans or after them.
    package func time(of date: Double) -> MediaTime? {
        guard date.isFinite, spans.contains(where: { $0.date <= date + Self.rounding }) else {
            return nil
        }
        if let span = spans.first(where: {
            $0.date <= date + Self.rounding && date < $0.endDate
        }) {
            let distance = max(date - span.date, 0)
            return span.range.start
                + MediaTime(value: Int64((distance * 1e6).rounded()), timescale: 1_000_000)
        }
        if let next = spans.filter({ $0.date > date }).min(by: { $0.date < $1.date }) {
            return next.range.start
        }
        // The end of the last span is a date of the timeline.
        return spans.first { abs(date - $0.endDate) <= Self.rounding }?.range.end
    }
}
