// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadUI
import Testing

@Suite("Foundation types")
struct FoundationTests {
    @Test func `a URL names a file or an address`() throws {
        let file = URL(filePath: "/films/50% #1?.mp4")
        #expect(AssetLocation(file) == .file(path: "/films/50% #1?.mp4"))
        #expect(AssetLocation(file.absoluteString) == AssetLocation(file))
        #expect(URLAsset(url: file).displayName == "50% #1?.mp4")
        let remote = try #require(URL(string: "https://example.org/a%20b.mp4?c"))
        #expect(AssetLocation(remote) == .remote(url: "https://example.org/a%20b.mp4?c"))
        let other = try #require(URL(string: "gopher://example.org/a"))
        #expect(AssetLocation(other) == .file(path: "gopher://example.org/a"))
    }

    @Test func `a date in metadata converts to a Date`() {
        let item = MetadataItem(key: "date", value: .text("2012-04-03T00:00:01Z"))
        #expect(item.dateValue == Date(timeIntervalSince1970: 1_333_411_201))
        #expect(MetadataItem(key: "date", value: .text("soon")).dateValue == nil)
    }
}
