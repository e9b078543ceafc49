// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import PlayheadTool

@Suite struct XSPFPlaylistTests {
    @Test func `locations and titles are read, and markup and comments are not`() {
        let text = """
            <?xml version="1.0"?><playlist xmlns="http://xspf.org/ns/0/"><title>all</title>
            <!-- <track><location>hidden.mp4</location></track> --><trackList>
            <track id="1"><title>A &amp;amp; B</title>
            <location>
              a%20b.mp4
            </location></track>
            <track><location/><location>é&amp;c.mp4</location></track><track/>
            <track><location><![CDATA[d<e>.mp4]]></location></track>
            <track><title>none</title></track>
            </trackList></playlist>
            """
        #expect(
            XSPFPlaylist.m3u(text) == """
                #EXTM3U
                #EXTINF:-1,A &amp; B
                a%20b.mp4
                é&c.mp4
                d<e>.mp4
                """)
        for broken in ["", "<track>", "<track", "<track><location>a", "<!--", "<track></track"] {
            #expect(XSPFPlaylist.m3u(broken) == "#EXTM3U")
        }
    }

    @Test(.timeLimit(.minutes(1)), arguments: ["<track/>", "<track ", "<!---->"])
    func `long playlists are read in a time that is proportional to their length`(part: String) {
        let text = String(repeating: part, count: PlaylistBudget.fileLimit / part.utf8.count)
        #expect(XSPFPlaylist.m3u(text) == "#EXTM3U")
    }

    @Test(.timeLimit(.minutes(1))) func `long lists are read completely`() {
        let track = "<track><location>film.mp4</location><title>t</title></track>\n"
        let count = PlaylistBudget.fileLimit / track.utf8.count
        let lines = XSPFPlaylist.m3u(String(repeating: track, count: count)).utf8.count {
            $0 == UInt8(ascii: "\n")
        }
        #expect(lines == 2 * count)
    }
}
