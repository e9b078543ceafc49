// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadTime
import Testing

@testable import PlayheadFFmpeg

/// Filmstrip files, whose header is behind the frames.
@Suite(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
struct FilmstripTests {
    @Test func `a file has the frames that its header states, and nothing behind them`() throws {
        let folder = TemporaryFolder()
        let path = folder.appending("strip.flm").path
        try ProcessRunner.check([
            "ffmpeg", "-v", "error", "-nostdin", "-f", "lavfi", "-i",
            "testsrc2=s=64x48:r=10:d=1.2", "-pix_fmt", "rgba", "-f", "filmstrip", path,
        ])
        let demuxer = try Opening.demuxer(path)
        #expect(demuxer.description.duration == MediaTime(value: 12, timescale: 10))
        #expect(demuxer.description.providesPreciseDurationAndTiming)
        for isSought in [false, true] {
            if isSought { try demuxer.seek(to: MediaTime(value: 5, timescale: 10)) }
            var packets: [MediaPacket] = []
            while let packet = try demuxer.readPacket() { packets.append(packet) }
            #expect(packets.count == 12)
            #expect(packets.allSatisfy { $0.byteCount == 64 * 48 * 4 })
            let times = (0..<12).map { MediaTime(value: $0, timescale: 10) }
            #expect(packets.map(\.presentationTime) == times)
        }
    }
}
