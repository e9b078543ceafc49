// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadTime
import PlayheadWriting
import Testing

@testable import PlayheadExport

/// Timecodes that move with the start of an export.
@Suite struct ExportTimecodeTests {
    private static let ntsc = MediaTime(value: 1001, timescale: 30_000)

    private func moved(_ text: String, frames: Int64, _ frame: MediaTime) -> String? {
        ExportTimecode.moved(
            text, by: MediaTime(value: frames * frame.value, timescale: frame.timescale),
            frameDuration: frame)
    }

    @Test func `frames are counted at the nominal rate`() {
        let frame = MediaTime(value: 1, timescale: 25)
        #expect(moved("01:00:00:00", frames: 0, frame) == "01:00:00:00")
        #expect(moved("01:00:00:24", frames: 1, frame) == "01:00:01:00")
        #expect(moved("23:59:59:24", frames: 1, frame) == "00:00:00:00")
        #expect(
            moved("10:11:12:13", frames: 107_892, Self.ntsc) == "11:11:08:25")
    }

    /// SMPTE ST 12-1 skips the first two numbers of each minute but every tenth.
    @Test func `drop-frame timecodes skip numbers`() {
        #expect(moved("00:00:59;29", frames: 1, Self.ntsc) == "00:01:00;02")
        #expect(moved("00:09:59;29", frames: 1, Self.ntsc) == "00:10:00;00")
        #expect(moved("23:59:59;29", frames: 1, Self.ntsc) == "00:00:00;00")
        // An hour has 108,000 numbers less 54 times two.
        #expect(moved("01:00:00;00", frames: 107_892, Self.ntsc) == "02:00:00;00")
        #expect(
            moved("00:00:59;59", frames: 1, MediaTime(value: 1001, timescale: 60_000))
                == "00:01:00;04")
        // Each frame of 20 minutes has another number, one after the one before.
        var former = "00:05:00;02"
        for count in 1...(20 * 1798) {
            let text = moved("00:05:00;02", frames: Int64(count), Self.ntsc) ?? ""
            #expect(text == moved(former, frames: 1, Self.ntsc) && text > former)
            former = text
        }
    }

    @Test func `what is no timecode at the rate is left out`() {
        let frame = MediaTime(value: 1, timescale: 25)
        for text in [
            "01:00:00:25", "01:00:60:00", "24:00:00:00", "01:00:00", "later", "01:00:00;00",
        ] {
            #expect(moved(text, frames: 1, frame) == nil, "\(text)")
        }
        #expect(ExportTimecode.moved("01:00:00:00", by: .zero, frameDuration: .invalid) == nil)
    }

    @Test(
        .enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"),
        arguments: ["out.mov", "out.mp4", "out.mkv"], [true, false])
    func `the timecode of a range is that of its first frame`(
        name: String, isCopied: Bool
    ) async throws {
        let folder = TemporaryFolder()
        let source = folder.appending("source.mov")
        try ProcessRunner.check([
            "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=64x48:rate=25:duration=4",
            "-c:v", "libx264", "-g", "25", "-pix_fmt", "yuv420p", "-timecode", "01:02:03:04",
            source.path,
        ])
        let session = ExportSupport.session(
            source, isCopied ? .passthrough : .h264_640x480)
        session.timeRange = MediaTimeRange(
            start: ExportSupport.time(50), end: ExportSupport.time(75))
        let result = folder.appending(name)
        try await session.export(to: result.path)
        let text = try ProcessRunner.check([
            "ffprobe", "-v", "error", "-select_streams", "v", "-show_entries",
            "stream_tags=timecode:format_tags=timecode", "-of", "csv=p=0", result.path,
        ]).text
        #expect(text.contains("01:02:05:04"), "\(text)")
        #expect(!text.contains("01:02:03:04"))
    }
}
