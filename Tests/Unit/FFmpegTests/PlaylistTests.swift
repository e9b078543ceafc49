// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import Testing

@testable import PlayheadFFmpeg

/// The filtered playlist, and its resolved addresses.
@Suite struct PlaylistTests {
    private static let text = """
        #EXTM3U
        #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="low",NAME="x",URI="low.m3u8"
        #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="high",NAME="a, b=c",URI="high.m3u8"
        #EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="high",NAME="x",URI="words.m3u8"
        #EXT-X-STREAM-INF:BANDWIDTH=100,AUDIO="low"
        sound.m3u8
        #EXT-X-STREAM-INF:BANDWIDTH=500,RESOLUTION=640x360,AUDIO="low"
        a.m3u8

        #EXT-X-STREAM-INF:CODECS="a,b",BANDWIDTH=2000,RESOLUTION=1920x1080,AUDIO="high"
        # a comment
        b.m3u8
        #EXT-X-STREAM-INF:BANDWIDTH=2000,RESOLUTION=1920x1080,AUDIO="high"
        backup.m3u8
        """

    private func chosen(_ preference: VariantPreference) throws -> [String] {
        var playlist = try #require(Playlist(Array(Self.text.utf8)))
        playlist.choose(preference)
        return playlist.lines.map(String.init).filter { !$0.isEmpty && !$0.hasPrefix("#EXT-X-STR") }
    }

    @Test func `the highest variant is kept with its renditions`() throws {
        let lines = try chosen(VariantPreference())
        #expect(lines.contains("b.m3u8"))
        #expect(lines.filter { $0.hasSuffix("m3u8") } == ["b.m3u8"])
        #expect(lines.filter { $0.hasPrefix("#EXT-X-MEDIA") }.count == 1)
        #expect(lines.contains { $0.contains("high.m3u8") })
    }

    @Test func `the limits of variants are respected`() throws {
        #expect(try chosen(VariantPreference(peakBitRate: 1999)).contains("a.m3u8"))
        #expect(try chosen(VariantPreference(maximumWidth: 1000)).contains("a.m3u8"))
        #expect(try chosen(VariantPreference(maximumHeight: 1080)).contains("b.m3u8"))
        #expect(try chosen(VariantPreference(peakBitRate: 10)).contains("sound.m3u8"))
    }

    @Test(arguments: [(0.0, 0), (3.9, 0), (4.0, 1), (6.4, 1), (6.5, 2), (99.0, 2)])
    func partsThatHaveEndedAreLeftOut(time: Double, dropped: Int) throws {
        let head = [
            "#EXTM3U", "#EXT-X-TARGETDURATION:4", "#EXT-X-MEDIA-SEQUENCE:7", "#EXT-X-MAP:URI=\"a\"",
        ]
        let parts = [
            ["#EXTINF:4,", "#EXT-X-BYTERANGE:10@5", "a.m4s"],
            ["#EXT-X-DISCONTINUITY", "#EXTINF:2.5,a title", "b.m4s"],
            ["#EXT-X-GAP", "#EXTINF:4.000,", "c.m4s"],
        ]
        let key = "#EXT-X-KEY:METHOD=AES-128,URI=\"k\""
        let end = "#EXT-X-ENDLIST"
        let text = head + parts[0] + [key] + parts[1] + parts[2] + [end]
        var playlist = try #require(Playlist(Array(text.joined(separator: "\n").utf8)))
        #expect(playlist.hasHeaders)
        playlist.begin(at: time)
        var expected = head
        expected[2] = "#EXT-X-MEDIA-SEQUENCE:\(7 + dropped)"
        expected += dropped > 0 ? [key] : parts[0] + [key]
        for part in parts[max(1, dropped)...] { expected += part }
        #expect(playlist.lines.map(String.init) == expected + [end])
    }

    @Test func `segments whose range follows the previous one are kept`() throws {
        let text = "#EXTM3U\n#EXTINF:4,\n#EXT-X-BYTERANGE:5@0\na\n#EXTINF:4,\n#EXT-X-BYTERANGE:5\na"
        var playlist = try #require(Playlist(Array(text.utf8)))
        playlist.begin(at: 4)
        #expect(playlist.lines.joined(separator: "\n") == text)
        #expect(!playlist.hasHeaders)
    }

    @Test func `tags without an address are not variants`() throws {
        let tag = "#EXT-X-STREAM-INF:BANDWIDTH=9000,RESOLUTION=1920x1080"
        // A number that takes a moment, and minutes if each entry examines all that follow.
        let tags = String(repeating: tag + "\n", count: 20_000)
        let lowest = "#EXT-X-STREAM-INF:BANDWIDTH=500,RESOLUTION=640x360\na.m3u8\n"
        let text = "#EXTM3U\n" + tags + tag + "\nb.m3u8\n" + lowest + tags
        var playlist = try #require(Playlist(Array(text.utf8)))
        #expect(playlist.choices.map(\.bandwidth) == [9000, 500])
        #expect(playlist.lowestOfSeveral(passing: VariantPreference()) == "a.m3u8")
        #expect(playlist.choose(VariantPreference())?.bandwidth == 9000)
        #expect(playlist.lines.filter { !$0.isEmpty } == ["#EXTM3U", tag[...], "b.m3u8"])
    }

    @Test func `a playlist with tags only has no variant`() throws {
        let text = "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n#EXT-X-STREAM-INF:BANDWIDTH=2\n"
        var playlist = try #require(Playlist(Array(text.utf8)))
        #expect(playlist.choose(VariantPreference()) == nil)
        #expect(playlist.isMultivariant)
    }

    @Test func `addresses are made absolute`() throws {
        var playlist = try #require(
            Playlist(Array("#EXTM3U\r\n#EXT-X-KEY:METHOD=AES-128,URI=\"k\",IV=0x1\r\na/b.ts".utf8)))
        playlist.resolveAddresses(against: try #require(HTTPAddress("https://h/x/y?z")))
        #expect(
            playlist.lines == [
                "#EXTM3U", "#EXT-X-KEY:METHOD=AES-128,URI=\"https://h/x/k\",IV=0x1",
                "https://h/x/a/b.ts",
            ])
    }

    @Test func `addresses to which a playlist refers twice are found`() throws {
        #expect(try #require(Playlist(Array(Self.text.utf8))).repeatedAddresses == [])
        let text = """
            #EXTM3U
            #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="x",URI="http://h/a.m3u8"
            #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="in the variant"
            #EXT-X-STREAM-INF:BANDWIDTH=100,AUDIO="a"
            http://H:80/a.m3u8
            #EXT-X-STREAM-INF:BANDWIDTH=200,AUDIO="a"
            http://h/b.m3u8
            """
        let playlist = try #require(Playlist(Array(text.utf8)))
        #expect(playlist.repeatedAddresses == ["http://h/a.m3u8"])
    }

    /// RFC 8216, section 4.1.
    @Test func `lines end at line feeds, and at no other characters of a title`() throws {
        let text = "#EXTM3U\r\n#EXTINF:4,one\u{2028}two\u{85}three\u{B}\u{C}four\r\na.ts\n"
        let playlist = try #require(Playlist(Array(text.utf8)))
        #expect(playlist.lines.count == 4 && MediaPlaylist(playlist).segments.count == 1)
        #expect(playlist.firstPart == "a.ts")
    }

    @Test func `only playlists are detected as playlists`() {
        #expect(Playlist(Array("#EXTINF".utf8)) == nil)
        #expect(Playlist([]) == nil)
    }

    @Test func `the target duration is limited`() throws {
        let duration = { (text: String) in
            Playlist(Array("#EXTM3U\n#EXT-X-TARGETDURATION:\(text)".utf8))?.targetDuration
        }
        #expect(duration("6") == 6)
        #expect(duration("-6") == 0)
        #expect(duration("99999999999999999999") == 0)
        #expect(duration("9999999999") == 60)
    }
}
