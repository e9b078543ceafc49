// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport
import PlayheadAssets
import PlayheadTime
import Testing

@testable import PlayheadFFmpeg

/// Delta updates of live playlists, completed by the segments of an older version.
@Suite struct LoadedPlaylistTests {
    private static let control = "#EXT-X-SERVER-CONTROL:CAN-SKIP-UNTIL=24"

    private static func playlist(_ lines: [String]) throws -> Playlist {
        try #require(Playlist(Array((["#EXTM3U"] + lines).joined(separator: "\n").utf8)))
    }

    private static func loaded(_ lines: [String], at time: Int64 = 0) throws -> LoadedPlaylist? {
        LoadedPlaylist(try playlist(lines), at: time)
    }

    /// A playlist of segments of four seconds.
    private static func list(
        _ range: Range<Int>, tags: [String] = [], skipped: Int? = nil
    ) -> [String] {
        let skip = skipped.map { ["#EXT-X-SKIP:SKIPPED-SEGMENTS=\($0)"] } ?? []
        return [control, "#EXT-X-MEDIA-SEQUENCE:\(range.lowerBound)"] + tags + skip
            + range.dropFirst(skipped ?? 0).flatMap { ["#EXTINF:4,", "\($0).ts"] }
    }

    private static func completed(_ old: [String], _ update: [String]) throws -> [Substring]? {
        try #require(try loaded(old)).completing(try playlist(update))?.lines
    }

    @Test func `segments that are left out are those of the older playlist`() throws {
        let whole = try Self.playlist(Self.list(7..<20)).lines
        #expect(try Self.completed(Self.list(7..<17), Self.list(7..<20, skipped: 8)) == whole)
        #expect(try Self.completed(Self.list(5..<19), Self.list(7..<20, skipped: 12)) == whole)
        #expect(try Self.completed(Self.list(5..<19), Self.list(7..<20, skipped: 0)) == whole)
        #expect(try Self.completed(Self.list(0..<7), Self.list(7..<20, skipped: 0)) == whole)
    }

    @Test(arguments: [
        "SKIPPED-SEGMENTS=14", "SKIPPED-SEGMENTS=9223372036854775807", "SKIPPED-SEGMENTS=-1",
        "SKIPPED-SEGMENTS=99999999999999999999", "SKIPPED-SEGMENTS=x", "X=1",
    ])
    func `an update that leaves out more than is known is not used`(attributes: String) throws {
        for first in [5, 7] {
            let update =
                [Self.control, "#EXT-X-MEDIA-SEQUENCE:\(first)", "#EXT-X-SKIP:" + attributes]
                + ["#EXTINF:4,", "20.ts"]
            #expect(try Self.completed(Self.list(5..<18), update) == nil, "\(first)")
        }
    }

    @Test(arguments: ["4", "19", "9223372036854775807", "-5"])
    func `an update that begins outside the older playlist is not used`(first: String) throws {
        let update = [
            "#EXT-X-MEDIA-SEQUENCE:\(first)", "#EXT-X-SKIP:SKIPPED-SEGMENTS=1", "#EXTINF:4,", "a",
        ]
        #expect(try Self.completed(Self.list(5..<18), update) == nil)
    }

    @Test func `the header, the date, ranges and discontinuities of segments are kept`() throws {
        let old = [
            Self.control, "#EXT-X-MEDIA-SEQUENCE:3", "#EXT-X-DISCONTINUITY-SEQUENCE:1",
            "#EXT-X-PROGRAM-DATE-TIME:2026-11-27T10:00:00Z", "#EXT-X-MAP:URI=\"i\"",
            "#EXTINF:4,", "#EXT-X-BYTERANGE:10@5", "a", "#EXTINF:4.5,", "#EXT-X-BYTERANGE:20", "a",
            "#EXT-X-DISCONTINUITY", "#EXT-X-PROGRAM-DATE-TIME:2027-01-01T00:00:00Z",
            "#EXT-X-MAP:URI=\"j\"", "#EXTINF:4,", "#EXT-X-GAP", "b",
            "#EXT-X-PART:DURATION=1,URI=\"c0\"", "#EXTINF:4,", "c",
        ]
        let update = [
            Self.control, "#EXT-X-MEDIA-SEQUENCE:4", "#EXT-X-DISCONTINUITY-SEQUENCE:1",
            "#EXT-X-SKIP:SKIPPED-SEGMENTS=3", "#EXT-X-PART:DURATION=1,URI=\"d0\"",
        ]
        let lines = try #require(try Self.completed(old, update))
        #expect(
            lines.dropFirst(4) == [
                "#EXT-X-PROGRAM-DATE-TIME:2026-11-27T10:00:04.000Z", "#EXT-X-MAP:URI=\"i\"",
                "#EXTINF:4.5,", "#EXT-X-BYTERANGE:20@15", "a", "#EXT-X-DISCONTINUITY",
                "#EXT-X-PROGRAM-DATE-TIME:2027-01-01T00:00:00Z", "#EXT-X-MAP:URI=\"j\"",
                "#EXTINF:4,", "#EXT-X-GAP", "b", "#EXTINF:4,", "c",
                "#EXT-X-PART:DURATION=1,URI=\"d0\"",
            ])
    }

    @Test func `ranges of dates that are left out are kept unless they were removed`() throws {
        func range(_ name: String, _ more: String = "") -> String {
            "#EXT-X-DATERANGE:ID=\"\(name)\",START-DATE=\"2026-11-27T10:00:00Z\"" + more
        }
        let ranges = ["a", "b", "c"].map { range($0) }
        let new = [range("c", ",DURATION=2"), range("d")]
        func names(_ control: String) throws -> [String] {
            let update =
                [control, "#EXT-X-MEDIA-SEQUENCE:0"] + new
                + [
                    "#EXT-X-SKIP:SKIPPED-SEGMENTS=2,RECENTLY-REMOVED-DATERANGES=\"x\tb\"",
                    "#EXTINF:4,", "2.ts",
                ]
            let old = [control] + Self.list(0..<2).dropFirst() + ranges
            let whole = try #require(try Self.loaded(old)).completing(try Self.playlist(update))
            return try #require(whole).dateRanges.map { "\($0.identifier) \($0.end != nil)" }
        }
        // Only the second server leaves out ranges.
        #expect(try names(Self.control) == ["c true", "d false"])
        #expect(
            try names(Self.control + ",CAN-SKIP-DATERANGES=YES").sorted() == [
                "a false", "c true", "d false",
            ])
    }

    @Test func `updates are requested while the playlist is not older than half the boundary`()
        throws
    {
        let second: Int64 = 1_000_000_000
        let plain = try #require(try Self.loaded(Self.list(0..<9), at: 5 * second))
        #expect(plain.directive(at: 17 * second) == "_HLS_skip=YES")
        #expect(plain.directive(at: 17 * second + 1) == nil)
        let both = try #require(
            try Self.loaded([Self.control + ",CAN-SKIP-DATERANGES=YES", "#EXTINF:4,", "a"]))
        #expect(both.directive(at: 0) == "_HLS_skip=v2")
    }

    @Test func `a playlist that is loaded whole after an update counts as opened twice`() throws {
        let head = [
            "#EXTM3U", "#EXT-X-TARGETDURATION:4", "#EXT-X-SERVER-CONTROL:CAN-SKIP-UNTIL=7200",
        ]
        let server = try LoopbackServer { request in
            // The update leaves out more than any older version has.
            let isUpdate = request.path.contains("_HLS_skip")
            let skip = isUpdate ? ["#EXT-X-SKIP:SKIPPED-SEGMENTS=100"] : []
            let lines = head + skip + (0..<9).flatMap { ["#EXTINF:4,", "\($0).ts"] }
            return .whole(Array((lines.joined(separator: "\n") + "\n").utf8))
        }
        func reload(maximumOpens: Int) throws -> MediaError? {
            var options = AssetOptions()
            options.rules.maximumOpens = maximumOpens
            let interrupt = Interrupt(cancellation: Cancellation(), options: options)
            interrupt.begin(opens: true)
            let loader = AssetResourceLoader(
                .location(AssetLocation(server.url("/live.m3u8"))), options: options,
                interrupt: interrupt, transfer: TransferMonitor(),
                live: LiveStream(monitor: LiveMonitor(), store: LiveTimelineStore()), at: .edge,
                from: .zero, following: nil)
            _ = try loader.openAsset()
            interrupt.begin()
            do throws(MediaError) {
                try loader.reloadPlaylist()
                return nil
            } catch {
                return error
            }
        }
        #expect(try reload(maximumOpens: 2)?.code == nil)
        #expect(server.requests.count == 3)
        #expect(try reload(maximumOpens: 1)?.code == .limitExceeded)
        #expect(server.requests.count == 5)
    }

    @Test(arguments: [
        [], ["#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES"],
        ["#EXT-X-SERVER-CONTROL:CAN-SKIP-UNTIL=nan"], ["#EXT-X-SERVER-CONTROL:CAN-SKIP-UNTIL=-1"],
        ["#EXT-X-SERVER-CONTROL:CAN-SKIP-UNTIL=1e300"], [control, "#EXT-X-ENDLIST"],
        [control, "#EXT-X-KEY:METHOD=AES-128,URI=\"k\""],
    ])
    func `no updates are requested of other playlists`(tags: [String]) throws {
        #expect(try Self.loaded(tags + ["#EXTINF:4,", "a.ts"]) == nil)
    }
}
