// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadAssets
import Testing

@Suite struct MetadataItemTests {
    private func item(_ text: String) -> MetadataItem {
        MetadataItem(key: "key", value: .text(text))
    }

    @Test(arguments: [
        ("2012", "2012-01-01T00:00:00Z"), ("2012-04", "2012-04-01T00:00:00Z"),
        ("2012-04-03", "2012-04-03T00:00:00Z"),
        ("2021-11-11T13:14:03.000000Z", "2021-11-11T13:14:03Z"),
        ("2020-02-29T23:30:00+0200", "2020-02-29T21:30:00Z"),
        ("2020-03-01 00:30:00-02:30", "2020-03-01T03:00:00Z"),
        ("1904-01-01T00:00:00Z", "1904-01-01T00:00:00Z"),
        (" 1999-12-31T23:59:59 ", "1999-12-31T23:59:59Z"),
        ("20120403", "2012-04-03T00:00:00Z"), ("20120403T102030Z", "2012-04-03T10:20:30Z"),
        ("2012-04-03T10", "2012-04-03T10:00:00Z"), ("2012-04-03T1020", "2012-04-03T10:20:00Z"),
        ("2012-04-03T10:20:30,0Z", "2012-04-03T10:20:30Z"),
        ("2012-04-03 10:20:30 +0200", "2012-04-03T08:20:30Z"),
        ("2012-02-29", "2012-02-29T00:00:00Z"), ("2011-12-31", "2011-12-31T00:00:00Z"),
    ])
    func `dates are read in every form that files use`(text: String, expected: String) {
        let date = ISO8601DateFormatter().date(from: expected)
        #expect(item(text).secondsSince1970 == date?.timeIntervalSince1970)
    }

    @Test(arguments: [
        "", "yesterday", "20", "2012-13", "2012-00-01", "12/04/2012", "2012-04-03T99:00",
        "2012-02-31", "2011-02-29", "2012-04-03T25:00", "2012-04-03T10:61", "2012-04-03T1",
        "2012-W14-2",
        "2012-04-03T", "2012-04-03T10:-5",
    ])
    func `text that is not a date has no date`(text: String) {
        #expect(item(text).secondsSince1970 == nil)
    }

    @Test func `numbers are read, and the first of a count`() {
        #expect(item("3/12").numberValue == 3)
        #expect(item(" 2.5 ").numberValue == 2.5)
        #expect(item("-17").numberValue == -17)
        #expect(item("three").numberValue == nil && item("nan").numberValue == nil)
        #expect(item("1/x").numberValue == nil)
    }

    @Test func `bytes are no text, text is bytes`() {
        let cover = MetadataItem(key: "artwork", value: .data([1, 2], type: "image/png"))
        #expect(cover.stringValue == nil && cover.dataValue == [1, 2])
        #expect(item("ä").dataValue == [0xC3, 0xA4])
    }

    @Test func `items are found by common key, key space, identifier and language`() {
        let items = [
            MetadataItem(
                keySpace: .movie, key: "title", commonKey: .title, value: .text("Plain")),
            MetadataItem(
                keySpace: .movie, key: "title-deu", commonKey: .title, language: LanguageTag("de"),
                value: .text("Deutsch")),
            MetadataItem(
                keySpace: .quickTimeMetadata, key: "com.apple.quicktime.make", commonKey: .make,
                value: .text("Maker")),
        ]
        #expect(items.filtered(by: .title).count == 2)
        #expect(items.filtered(by: .quickTimeMetadata).map(\.stringValue) == ["Maker"])
        #expect(items.filtered(byIdentifier: "mdta/com.apple.quicktime.make").count == 1)
        let german = items.filtered(by: .title).filtered(
            byLanguages: [LanguageTag("de")].compactMap { $0 })
        #expect(german.map(\.stringValue) == ["Deutsch", "Plain"])
        #expect(MetadataCommonKey(key: "com.apple.quicktime.creationdate") == .creationDate)
    }
}
