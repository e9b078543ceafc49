// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets

/// A segment of a representation in a period.
struct ListedSegment: Hashable {
    var reference: SegmentInformation.Reference
    /// The time from the beginning of the period to that of the segment, in microseconds. It is
    /// negative if the segment begins before the period.
    var start: Int64
    var end: Int64
}

extension SegmentInformation {
    /// The part of a period whose segments are listed, in microseconds from its beginning.
    struct Window {
        /// The end of the period; nil if it is not known.
        var periodEnd: Int64?
        /// A Boolean value that indicates whether no period follows. Rounded durations of the
        /// presentation do not exclude segments that are listed one by one.
        var isLast = true
        /// The range of times for which segments are available. It does not apply to runs, because
        /// a server lists only segments that are available.
        var available: ClosedRange<Int64>?
    }

    /// Lists the segments, in order.
    ///
    /// - Parameters:
    ///   - values: The values of the representation for templates.
    ///   - subject: The name of the MPD for errors.
    ///   - body: Called with each segment. It throws an error if there are too many of them.
    func forEachSegment(
        in window: Window, _ values: AddressTemplate.Values, subject: String,
        _ body: (ListedSegment) throws(MediaError) -> Void
    ) throws(MediaError) {
        func failure(_ problem: String) -> MediaError {
            MediaError(
                .damaged, subject: subject, cause: "its MPD is not valid: \(problem)",
                remedy: "correct the MPD")
        }
        if form == .file {
            let stated = duration.map { timeOffset.addingReportingOverflow($0) }
            guard stated?.overflow != true else { throw failure("the file has an impossible end") }
            let end = window.periodEnd ?? stated.map { microseconds($0.partialValue) } ?? 0
            try body(ListedSegment(reference: Reference(), start: 0, end: end))
            return
        }
        var template: AddressTemplate?
        if form == .template {
            guard let media else { throw failure("a template has no addresses (media)") }
            template = AddressTemplate(media)
            guard template != nil else {
                throw failure("the template '\(media.printableAddress)' has an unknown identifier")
            }
        }
        var values = values
        func list(_ index: Int64, _ time: Int64, _ duration: Int64) throws(MediaError) -> Bool {
            let (end, overflows) = time.addingReportingOverflow(duration)
            guard !overflows else { throw failure("a segment has an impossible time") }
            var reference = Reference()
            if let template {
                values.number = firstNumber + index
                values.time = runs == nil ? time - timeOffset : time
                if let lastNumber, values.number > lastNumber { return false }
                reference.address = template.address(values)
            } else {
                guard index < references.count else { return false }
                reference = references[Int(index)]
            }
            let (from, to) = (microseconds(time), microseconds(end))
            if let limit = window.periodEnd, from >= limit, !window.isLast { return false }
            // A segment that ends before the period is not part of it.
            if to > 0 {
                try body(ListedSegment(reference: reference, start: from, end: to))
            }
            return true
        }
        if let runs {
            try listRuns(runs, in: window, failure, list)
        } else if let duration {
            try listNumbers(duration, in: window, failure, list)
        } else if references.count == 1, form == .list {
            let end = window.periodEnd ?? 0
            try body(ListedSegment(reference: references[0], start: 0, end: end))
        } else {
            throw failure("its segments have no duration")
        }
    }

    private typealias List =
        (_ index: Int64, _ time: Int64, _ duration: Int64) throws(MediaError) -> Bool

    /// The largest index of a segment. Its sum with the number of the first one does not overflow.
    private static let largestIndex = Int64(1) << 61

    private func listRuns(
        _ runs: [Run], in window: Window, _ failure: (String) -> MediaError, _ list: List
    ) throws(MediaError) {
        let end = (window.periodEnd ?? window.available?.upperBound).map { mediaTime($0) }
        var (index, time) = (Int64(0), Int64(0))
        for (number, run) in runs.enumerated() {
            time = run.start ?? time
            var count = run.repeats
            if count < 0 {
                guard let next = number + 1 < runs.count ? runs[number + 1].start : end else {
                    throw failure("a segment repeats without an end")
                }
                let (rest, overflows) = next.subtractingReportingOverflow(time)
                guard !overflows else { throw failure("a segment has an impossible time") }
                if rest <= 0 { continue }
                count = (rest - 1) / run.duration
            }
            // Segments before the period are not listed one by one, because they may be many.
            let (before, isFar) = timeOffset.subtractingReportingOverflow(time)
            let skipped = isFar ? 0 : min(max(before, 0) / run.duration, count)
            let (first, exceeds) = index.addingReportingOverflow(skipped)
            guard !exceeds, first <= Self.largestIndex else {
                throw failure("a segment has an impossible number")
            }
            index = first
            count -= skipped
            time += skipped * run.duration
            for _ in 0...count {
                guard try list(index, time, run.duration) else { return }
                index += 1
                time += run.duration
            }
        }
    }

    private func listNumbers(
        _ duration: Int64, in window: Window, _ failure: (String) -> MediaError, _ list: List
    ) throws(MediaError) {
        // Segments begin at multiples of the duration after the beginning of the period.
        func index(_ microseconds: Int64) -> Int64 {
            let ticks = Int128(max(microseconds, 0)) * Int128(timescale) / 1_000_000
            return Int64(min(ticks / Int128(duration), Int128(1) << 60))
        }
        var (first, end) = (Int64(0), form == .list ? Int64(references.count) : Int64.max)
        if form == .template, let limit = window.periodEnd {
            // The last segment may be shorter.
            let ticks = mediaTime(limit).subtractingReportingOverflow(timeOffset).partialValue
            end = max(ticks, 0) / duration + (max(ticks, 0) % duration > 0 ? 1 : 0)
        }
        if let available = window.available {
            first = index(available.lowerBound)
            // Only segments that have ended are available.
            let limit = available.upperBound.addingReportingOverflow(earlyAvailability)
            end = min(end, limit.partialValue < 0 ? 0 : index(limit.partialValue))
        } else if window.periodEnd == nil, form == .template, lastNumber == nil {
            throw failure("its duration is not stated")
        }
        while first < end {
            let (start, overflows) = first.multipliedReportingOverflow(by: duration)
            let (time, exceeds) = start.addingReportingOverflow(timeOffset)
            guard !overflows, !exceeds else { return }
            guard try list(first, time, duration) else { return }
            first += 1
        }
    }
}
