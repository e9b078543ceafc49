// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadTime
import Testing

@testable import PlayheadFFmpeg

/// A truncated file is recognised by the size that it declares.
@Suite struct DeclaredFileSizeTests {
    private func matroska(_ segment: [UInt8]) -> [UInt8] {
        [0x1A, 0x45, 0xDF, 0xA3, 0x84, 1, 2, 3, 4, 0x18, 0x53, 0x80, 0x67] + segment + [0, 0]
    }

    @Test func `a Matroska header has the size or the marker for an unknown one`() {
        #expect(DeclaredFileSize.byteCount(head: matroska([0x40, 0x02])) == 17)
        #expect(
            DeclaredFileSize.byteCount(head: matroska([0x01, 0, 0, 0, 0, 0x09, 0x8F, 0x00]))
                == 626_453)
        for unknown in [[0xFF], [0x01, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], [0]] as [[UInt8]]
        {
            #expect(DeclaredFileSize.byteCount(head: matroska(unknown)) == nil)
        }
        for count in 0..<matroska([0x40, 0x02]).count - 2 {
            #expect(DeclaredFileSize.byteCount(head: matroska([0x40, 0x02]).prefix(count)) == nil)
        }
    }

    @Test func `AVI and WAVE headers contain the size unless they were written to a pipe`() {
        func riff(_ length: [UInt8], _ form: String) -> [UInt8] {
            Array("RIFF".utf8) + length + Array(form.utf8)
        }
        #expect(DeclaredFileSize.byteCount(head: riff([0x00, 0x01, 0, 0], "WAVE")) == 264)
        #expect(
            DeclaredFileSize.byteCount(head: riff([0xF8, 0xFF, 0xFF, 0x3F], "AVI ")) == 1 << 30)
        #expect(DeclaredFileSize.byteCount(head: riff([0x00, 0x01, 0, 0], "WEBP")) == nil)
        for open in [[0, 0, 0, 0], [0xFF, 0xFF, 0xFF, 0xFF], [0x24, 0xF0, 0xFF, 0x7F]] as [[UInt8]]
        {
            #expect(DeclaredFileSize.byteCount(head: riff(open, "WAVE")) == nil)
        }
    }

    @Test(
        .enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"),
        arguments: ["mkv", "webm", "mp4", "avi", "wav"])
    func `the number of missing bytes is reported, 0 for a complete file`(
        container: String
    ) throws {
        var media = SyntheticMedia(
            frameTimes: container == "wav"
                ? nil
                : SyntheticFrameTimes(
                    framesPerSecond: 25, duration: MediaTime(value: 4, timescale: 1)))
        media.sounds = [SyntheticSound(duration: MediaTime(value: 4, timescale: 1))]
        let whole = try Data(contentsOf: SyntheticClip(media, container: "mkv").url())
        let folder = TemporaryFolder()
        let source = folder.appending("source.mkv")
        try whole.write(to: source)
        let film = folder.appending("film.\(container)")
        try ProcessRunner.check(
            ["ffmpeg", "-v", "error", "-i", source.path]
                + (container == "wav" || container == "webm" ? [] : ["-c:v", "mpeg4"])
                + (container == "mp4" ? ["-movflags", "+faststart"] : []) + [film.path])
        #expect(try Opening.demuxer(film.path).description.missingByteCount == 0)
        let bytes = try Data(contentsOf: film)
        let missing = bytes.count / 3
        try bytes.dropLast(missing).write(to: film)
        let known = try Opening.demuxer(film.path).description.missingByteCount
        #expect((known - Int64(missing)).magnitude <= 1)
    }

    @Test(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
    func `no frame is found beyond the end of a truncated file`() throws {
        let times = SyntheticFrameTimes(
            framesPerSecond: 25, duration: MediaTime(value: 4, timescale: 1))
        let clip = SyntheticClip(SyntheticMedia(frameTimes: times), container: "mkv")
        let folder = TemporaryFolder()
        let film = folder.appending("film.mkv")
        let bytes = try Data(contentsOf: clip.url())
        try bytes.dropLast(bytes.count / 2).write(to: film)
        let finder = try PictureFinder(asset: Opening.asset(film.path))
        let last = MediaTime(value: 39, timescale: 10)
        #expect(throws: MediaError.self) { try finder.picture(at: last) }
        let whole = try PictureFinder(asset: Opening.asset(clip.url().path))
        #expect(try whole.picture(at: last).presentationTime <= last)
        let early = MediaTime(value: 1, timescale: 2)
        let found = try finder.picture(at: early).presentationTime
        #expect(try found == whole.picture(at: early).presentationTime)
    }
}
