// SPDX-License-Identifier: Apache-2.0

import PlayheadTime
import Testing

@testable import PlayheadAssets

/// The dates of a timeline that has gaps, overlaps and parts without dates.
@Suite struct TimelineDatesTests {
    private static func seconds(_ value: Double) -> MediaTime {
        MediaTime(value: Int64((value * 1000).rounded()), timescale: 1000)
    }

    private static func dates(
        _ spans: (from: Double, to: Double, date: Double)...
    ) -> TimelineDates {
        var dates = TimelineDates()
        for span in spans {
            dates.append(
                .init(
                    range: MediaTimeRange(start: seconds(span.from), end: seconds(span.to)),
                    date: span.date))
        }
        return dates
    }

    @Test func `spans that continue each other are one`() {
        let dates = Self.dates((0, 4, 100), (4, 8, 104.001), (8, 12, 110), (13, 14, 115))
        #expect(dates.spans.map(\.date) == [100, 110, 115])
        #expect(dates.spans[0].range.end == Self.seconds(8))
    }

    @Test(
        arguments: [
            (0, 100), (7.9, 107.9), (8, 500), (9.5, 501.5), (10, 502), (11, nil), (20, 7), (24, 11),
            (24.9, 11.9), (26, nil), (-0.5, 99.5), (-2, nil),
        ] as [(Double, Double?)])
    func `a time has the date of its span`(time: Double, date: Double?) {
        let dates = Self.dates((0, 8, 100), (8, 10, 500), (20, 24, 7))
        let found = dates.date(at: Self.seconds(time))
        #expect((found == nil) == (date == nil))
        if let found, let date { #expect(abs(found - date) < 1e-6) }
    }

    @Test(
        arguments: [
            (100, 0), (107.5, 7.5), (108, 8), (300, 8), (501, 9), (502, 10), (502.1, nil),
            (6.9, nil), (7, 20), (11, 0), (10.5, 23.5), (.nan, nil), (.infinity, nil),
            (-.infinity, nil),
        ] as [(Double, Double?)])
    func `a date has the first of its times, or the next time after a gap`(
        date: Double, time: Double?
    ) {
        let dates = Self.dates((0, 8, 100), (8, 10, 500), (20, 24, 7))
        #expect(dates.time(of: date) == time.map(Self.seconds))
    }

    @Test func `no time and no date without spans`() {
        #expect(TimelineDates().date(at: .zero) == nil)
        #expect(TimelineDates().time(of: 0) == nil)
        #expect(Self.dates((0, 1, .nan)).isEmpty)
        #expect(Self.dates((0, 8, 100)).date(at: .invalid) == nil)
        #expect(Self.dates((0, 8, 100)).date(at: .positiveInfinity) == nil)
    }
}
