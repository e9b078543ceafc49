// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime
import Testing

@testable import PlayheadFFmpeg

/// The segments that a media playlist lists, and the place at which playback begins.
@Suite struct MediaPlaylistTests {
    private func parse(_ lines: String...) throws -> MediaPlaylist {
        let text = (["#EXTM3U"] + lines).joined(separator: "\n")
        return MediaPlaylist(try #require(Playlist(Array(text.utf8))))
    }

    private static func seconds(_ value: Double) -> MediaTime {
        MediaTime(value: Int64(value * 1000), timescale: 1000)
    }

    @Test func `segments have numbers, durations, dates and discontinuities`() throws {
        let list = try parse(
            "#EXT-X-TARGETDURATION:4", "#EXT-X-MEDIA-SEQUENCE:70",
            "#EXT-X-DISCONTINUITY-SEQUENCE:3",
            "#EXT-X-PROGRAM-DATE-TIME:2026-01-01T00:00:00.250Z", "#EXTINF:3.5,a title", "a.ts",
            "#EXTINF:4,", "b.ts", "#EXT-X-DISCONTINUITY", "#EXTINF:2.25,", "c.ts")
        #expect(list.firstSequence == 70 && list.endSequence == 73)
        #expect(list.segments.map(\.duration) == [3.5, 4, 2.25].map(Self.seconds))
        #expect(list.segments.map(\.discontinuity) == [3, 3, 4])
        let date = 1_767_225_600.25
        #expect(list.segments.map(\.date) == [date, date + 3.5, nil])
        #expect(list.duration == Self.seconds(9.75))
        #expect(list.recommendedOffset == Self.seconds(12))
        #expect(!list.hasEnded && list.start == nil)
    }

    @Test func `the recommendation of the server replaces three target durations`() throws {
        let list = try parse(
            "#EXT-X-TARGETDURATION:4", "#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,HOLD-BACK=14.5",
            "#EXTINF:4,", "a.ts", "#EXT-X-ENDLIST")
        #expect(list.recommendedOffset == Self.seconds(14.5))
        #expect(list.hasEnded)
    }

    @Test func `the longest segment replaces a target duration that is missing`() throws {
        let list = try parse("#EXTINF:2,", "a.ts", "#EXTINF:3.5,", "b.ts", "#EXTINF:1,", "c.ts")
        #expect(list.recommendedOffset == Self.seconds(10.5))
    }

    @Test func `absurd numbers count as zero`() throws {
        let list = try parse(
            "#EXT-X-MEDIA-SEQUENCE:99999999999999999999", "#EXTINF:nan,", "a.ts", "#EXTINF:-5,",
            "b.ts", "#EXTINF:1e300,", "c.ts", "#EXTINF:,", "d.ts")
        #expect(list.firstSequence == 0)
        #expect(list.segments.map(\.duration) == Array(repeating: .zero, count: 4))
        #expect(try parse("#EXT-X-MEDIA-SEQUENCE:9223372036854775807").endSequence == 1 << 60)
        #expect(try parse("#EXT-X-START:TIME-OFFSET=nan").start == nil)
        #expect(try parse("#EXT-X-START:PRECISE=YES").start == nil)
    }

    private func live(_ tags: String...) throws -> MediaPlaylist {
        let segments = (0..<10).flatMap { ["#EXTINF:2,", "\($0).ts"] }
        let text = (["#EXTM3U", "#EXT-X-TARGETDURATION:2"] + tags + segments)
            .joined(separator: "\n")
        return MediaPlaylist(try #require(Playlist(Array(text.utf8))))
    }

    @Test(arguments: [
        ("", 7, 14.0), ("#EXT-X-START:TIME-OFFSET=5", 2, 4.0),
        ("#EXT-X-START:TIME-OFFSET=5,PRECISE=YES", 2, 5.0),
        ("#EXT-X-START:TIME-OFFSET=-7.5,PRECISE=NO", 6, 12.0),
        ("#EXT-X-START:TIME-OFFSET=-7.5,PRECISE=YES", 6, 12.5),
        ("#EXT-X-START:TIME-OFFSET=-1000", 0, 0.0), ("#EXT-X-START:TIME-OFFSET=1e30", 9, 18.0),
        ("#EXT-X-SERVER-CONTROL:HOLD-BACK=9", 5, 10.0), ("#EXT-X-ENDLIST", 0, 0.0),
        ("#EXT-X-SERVER-CONTROL:HOLD-BACK=90", 0, 0.0),
    ])
    func `playback begins where the playlist says, or before the live edge`(
        tag: String, index: Int, time: Double
    ) throws {
        let beginning = try live(tag).beginning(stated: nil)
        #expect(beginning.index == index)
        #expect(beginning.time == Self.seconds(time))
    }

    @Test func `the start of a multivariant playlist applies if the media playlist has none`()
        throws
    {
        let stated = MediaPlaylist.Start(offset: Self.seconds(3), isPrecise: true)
        #expect(try live().beginning(stated: stated).time == Self.seconds(3))
        let own = try live("#EXT-X-START:TIME-OFFSET=6,PRECISE=YES")
        #expect(own.beginning(stated: stated).time == Self.seconds(6))
    }

    @Test func `a cut playlist begins with a later segment, and its ranges stay the same`() throws {
        let text = """
            #EXTM3U
            #EXT-X-MEDIA-SEQUENCE:7
            #EXT-X-MAP:URI="a"
            #EXTINF:4,
            #EXT-X-BYTERANGE:10@5
            a
            #EXT-X-KEY:METHOD=NONE
            #EXTINF:4,
            #EXT-X-BYTERANGE:20
            a
            #EXT-X-DISCONTINUITY
            #EXTINF:4,
            #EXT-X-BYTERANGE:30
            a
            """
        func cut(_ count: Int) throws -> [Substring] {
            var playlist = try #require(Playlist(Array(text.utf8)))
            playlist.removeFirst(count)
            return playlist.lines
        }
        #expect(try cut(0).joined(separator: "\n") == text)
        let head: [Substring] = ["#EXTM3U", "#EXT-X-MEDIA-SEQUENCE:8", "#EXT-X-MAP:URI=\"a\""]
        let last: [Substring] = [
            "#EXT-X-DISCONTINUITY", "#EXTINF:4,", "#EXT-X-BYTERANGE:30@35", "a",
        ]
        let key: Substring = "#EXT-X-KEY:METHOD=NONE"
        #expect(try cut(1) == head + [key, "#EXTINF:4,", "#EXT-X-BYTERANGE:20@15", "a"] + last)
        #expect(
            try cut(2) == ["#EXTM3U", "#EXT-X-MEDIA-SEQUENCE:9", "#EXT-X-MAP:URI=\"a\"", key] + last
        )
        #expect(try cut(9) == cut(2))
    }
}
