// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// The ranges of dates of a playlist, and the dates of its segments, which place them on the
/// timeline.
///
/// - Concurrency: a value.
struct PlaylistDates {
    /// A time on the timeline, and its date.
    private struct Place {
        var time: MediaTime
        var date: Double
    }

    private(set) var ranges: [DateRange] = []
    /// The dates of the segments, relative to the beginning of the first one.
    private var places: [Place] = []

    /// The largest distance from a segment that is believed, in seconds: three years.
    private static let longest = 1e8

    init() {}

    init(ranges: [DateRange], _ playlist: MediaPlaylist) {
        self.ranges = ranges
        var start = MediaTime.zero
        for segment in playlist.segments {
            if let date = segment.date { places.append(Place(time: start, date: date)) }
            start += segment.duration
        }
    }

    /// Returns the ranges with their times.
    ///
    /// - Parameters:
    ///   - timeline: The timeline of the stream, if it is live.
    ///   - start: The beginning of the first segment, if the stream is not live.
    func timed(by timeline: LiveTimeline?, from start: MediaTime) -> [DateRange] {
        let places =
            timeline?.segments.compactMap { segment in
                segment.date.map { Place(time: segment.start, date: $0) }
            } ?? places.map { Place(time: $0.time + start, date: $0.date) }
        let sorted = Self.sorted(places)
        return ranges.map { range in
            var range = range
            guard let begin = Self.time(of: range.start, sorted) else { return range }
            let end = range.end.flatMap { Self.time(of: $0, sorted) }
            range.timeRange =
                end.map { MediaTimeRange(start: begin, end: max($0, begin)) }
                ?? MediaTimeRange(start: begin, duration: .positiveInfinity)
            return range
        }
    }

    /// Returns the places in the order of their dates, which may restart in a playlist.
    private static func sorted(_ places: [Place]) -> [Place] {
        let isInOrder = zip(places, places.dropFirst()).allSatisfy { $0.date <= $1.date }
        return isInOrder
            ? places : places.sorted { ($0.date, $0.time) < ($1.date, $1.time) }
    }

    /// Returns the time of a date.
    ///
    /// - Parameter places: The places in the order of their dates.
    private static func time(of date: Double, _ places: [Place]) -> MediaTime? {
        // The index of the first place after the date. A microsecond allows for the rounding of
        // dates.
        var (low, high) = (0, places.count)
        while low < high {
            let middle = (low + high) / 2
            if places[middle].date > date + 1e-6 { high = middle } else { low = middle + 1 }
        }
        guard !places.isEmpty else { return nil }
        let place = places[max(low - 1, 0)]
        guard abs(date - place.date) < longest else { return nil }
        let distance = ((date - place.date) * 1e6).rounded()
        let time =
            place.time + MediaTime(value: Int64(distance), timescale: MediaPlaylist.timescale)
        // A date in a gap between two segments is the time at which the second one begins.
        guard low > 0, low < places.count, places[low].time >= place.time else { return time }
        return min(time, places[low].time)
    }
}

extension Playlist {
    /// The maximum number of ranges, and of attributes of one.
    private static let dateRangeLimit = (ranges: 4096, attributes: 64)
    private static let dateRangeTag = "#EXT-X-DATERANGE:"
    /// The attributes that are not items.
    private static let knownAttributes: Set<Substring> = [
        "ID", "CLASS", "START-DATE", "END-DATE", "DURATION", "END-ON-NEXT",
    ]

    /// The ranges of dates, in the order of the playlist, without times. Tags with the same
    /// identifier are one range.
    var dateRanges: [DateRange] {
        var order: [Substring] = []
        var attributes: [Substring: [Substring: Substring]] = [:]
        for line in lines where line.hasPrefix(Self.dateRangeTag) {
            let stated = Self.attributes(line.dropFirst(Self.dateRangeTag.count))
            guard let identifier = stated["ID"], !identifier.isEmpty else { continue }
            if attributes[identifier] == nil {
                guard order.count < Self.dateRangeLimit.ranges else { break }
                order.append(identifier)
            }
            attributes[identifier, default: [:]].merge(stated) { first, _ in first }
        }
        var ranges: [DateRange] = []
        var endsOnNext: [Int] = []
        for identifier in order {
            guard let stated = attributes[identifier],
                let range = Self.dateRange(identifier, stated)
            else { continue }
            if stated["END-ON-NEXT"] == "YES", range.end == nil { endsOnNext.append(ranges.count) }
            ranges.append(range)
        }
        var starts: [String: [Double]] = [:]
        if !endsOnNext.isEmpty {
            for range in ranges {
                starts[range.classifyingLabel ?? "", default: []].append(range.start)
            }
            for label in starts.keys { starts[label]?.sort() }
        }
        for index in endsOnNext {
            let range = ranges[index]
            ranges[index].end = starts[range.classifyingLabel ?? ""]?.first { $0 > range.start }
        }
        return ranges
    }

    private static func dateRange(
        _ identifier: Substring, _ stated: [Substring: Substring]
    ) -> DateRange? {
        func date(_ name: Substring) -> Double? {
            stated[name].flatMap { MetadataDate(String($0))?.secondsSince1970 }
        }
        guard let start = date("START-DATE") else { return nil }
        let duration = stated["DURATION"].flatMap { Double($0) }
        let end = date("END-DATE") ?? duration.flatMap { $0 >= 0 && $0 < 1e9 ? start + $0 : nil }
        let names = stated.keys.filter { !knownAttributes.contains($0) }.sorted()
        return DateRange(
            identifier: String(identifier), classifyingLabel: stated["CLASS"].map(String.init),
            start: start, end: end.map { max($0, start) },
            items: names.prefix(dateRangeLimit.attributes).compactMap { name in
                stated[name].map { item(name, $0) }
            })
    }

    private static func item(_ name: Substring, _ text: Substring) -> MetadataItem {
        var value = MetadataItem.Value.text(String(text))
        if name.hasPrefix("SCTE35"), text.hasPrefix("0x") || text.hasPrefix("0X"),
            let bytes = DecryptingDataSource.bytes(hexadecimal: String(text.dropFirst(2)))
        {
            value = .data(bytes, type: "application/x-scte35")
        }
        return MetadataItem(keySpace: .hlsDateRange, key: String(name), value: value)
    }
}
