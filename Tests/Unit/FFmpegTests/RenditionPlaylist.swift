// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport

/// The main playlist of a stream whose audio is a rendition of its own.
enum RenditionPlaylist {
    /// Writes `main.m3u8`, which names the video `v.m3u8` and the audio `a.m3u8` of its folder.
    static func write(to folder: TemporaryFolder) throws {
        let text = """
            #EXTM3U
            #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="English",DEFAULT=YES,URI="a.m3u8"
            #EXT-X-STREAM-INF:BANDWIDTH=900000,RESOLUTION=320x240,AUDIO="a"
            v.m3u8
            """
        try Data(text.utf8).write(to: folder.appending("main.m3u8"))
    }
}
