// SPDX-License-Identifier: Apache-2.0

import PlayheadTime

/// The times on a timeline that an observer waits for.
struct TimeMarks: Sendable {
    private enum Content: Sendable {
        /// All multiples of an interval; none if the interval is nil.
        case multiples(of: MediaTime?)
        /// Distinct times in ascending order.
        case list([MediaTime])
    }

    private let content: Content

    /// Creates marks from the numeric times in `times`.
    init(_ times: [MediaTime]) {
        var list: [MediaTime] = []
        for time in times.filter(\.isNumeric).sorted() where list.last != time {
            list.append(time)
        }
        content = .list(list)
    }

    private init(_ content: Content) { self.content = content }

    static func multiples(of interval: MediaTime?) -> TimeMarks {
        TimeMarks(.multiples(of: interval))
    }

    /// Returns the next mark after `time` in the direction of playback; nil if there is no such
    /// mark.
    func next(after time: MediaTime, isForward: Bool) -> MediaTime? {
        guard time.isNumeric else { return nil }
        switch content {
        case .list(let list):
            return isForward ? list.first { $0 > time } : list.last { $0 < time }
        case .multiples(let interval):
            guard let interval else { return nil }
            return Self.multiple(of: interval, after: time, isForward: isForward)
        }
    }

    /// Returns the marks that are passed on the way from `start` to `end`, in order. A mark at
    /// `end` is included, and a mark at `start` is not. If there are more than `limit` such marks,
    /// only the last ones are returned.
    func passed(from start: MediaTime, to end: MediaTime) -> [MediaTime] {
        guard start.isNumeric, end.isNumeric, start != end else { return [] }
        let isForward = end > start
        var marks: [MediaTime] = []
        var time = start
        switch content {
        case .list(let list):
            let passed =
                isForward
                ? list.filter { $0 > start && $0 <= end }
                : list.reversed().filter { $0 < start && $0 >= end }
            return passed.suffix(Self.limit)
        case .multiples(nil): return []
        case .multiples(let interval?):
            // A long distance would contain more marks than an observer wants.
            let reach = interval * Int32(Self.limit)
            time = isForward ? max(time, end - reach) : min(time, end + reach)
        }
        while marks.count < Self.limit, let next = next(after: time, isForward: isForward),
            isForward ? next <= end : next >= end
        {
            marks.append(next)
            time = next
        }
        return marks
    }

    /// The maximum number of marks that are reported for a movement.
    static let limit = 16

    private static func multiple(
        of interval: MediaTime, after time: MediaTime, isForward: Bool
    ) -> MediaTime? {
        // First an estimate by division, then the exact multiple next to it.
        let quotient = (time.seconds / interval.seconds).rounded(.down)
        guard abs(quotient) < Double(Int32.max - 2) else { return nil }
        var count = Int32(quotient) - 1
        if isForward {
            while interval * count <= time { count += 1 }
        } else {
            count += 3
            while interval * count >= time { count -= 1 }
        }
        return interval * count
    }
}
