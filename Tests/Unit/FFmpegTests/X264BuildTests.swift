// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadTime
import Testing

@testable import PlayheadFFmpeg

/// Video of old versions of x264, whose faults FFmpeg's decoder follows. Only the first packet
/// states the version.
struct X264BuildTests {
    /// A unit of supplemental information with a text after a UUID.
    private func unit(_ text: String) -> [UInt8] {
        [6, 5, UInt8(16 + text.utf8.count)] + [UInt8](repeating: 0xA5, count: 16) + Array(text.utf8)
            + [0x80]
    }

    private func build(_ units: [[UInt8]]) -> Int32? {
        Array(units.map { [0, 0, 0, 1] + $0 }.joined()).withUnsafeBytes {
            X264Builds.build(in: NALUnits($0, lengthSize: nil))
        }
    }

    @Test func `the version of x264 is read before the first slice`() {
        #expect(build([[9, 0x10], unit("x264 - core 142 r50"), [0x65, 0x88]]) == 142)
        #expect(build([[9, 0x10], [0x65, 0x88], unit("x264 - core 142 r50")]) == nil)
        #expect(build([unit("x264 - core 33"), unit("another text"), [0x65]]) == 33)
        #expect(build([unit("x264 - core 00001 "), [0x65]]) == 67)
        #expect(build([unit("x264 - core 0 "), [0x65]]) == nil)
        #expect(build([unit("x264 - core "), [0x65]]) == nil)
        #expect(build([unit("x264 - core 99999999999"), [0x65]]) == 999_999_999)
        #expect(build([[6, 5, 200, 1, 2], [6], [6, 255, 255], [0x65]]) == nil)
        #expect(build([]) == nil)
    }

    @Test(
        .enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"),
        arguments: ["mp4", "mkv", "ts"])
    func `a seek in video of an old x264 gives what decoding in a row gives`(
        _ container: String
    ) throws {
        let folder = try Opening.temporaryFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let new = folder.appending(path: "new.mkv")
        let old = folder.appending(path: "old.mkv")
        let file = folder.appending(path: "copy.\(container)")
        try ProcessRunner.check(
            ["ffmpeg", "-v", "error", "-nostdin", "-y", "-f", "lavfi"]
                + ["-i", "testsrc2=s=176x144:r=25", "-frames:v", "60", "-threads", "1"]
                + ["-c:v", "libx264", "-preset", "veryfast", "-g", "12", "-qp", "0", new.path])
        try statesVersion148(in: new).write(to: old)
        try Opening.remux(old.path, to: file.path)
        let asset = Opening.asset(file.path)
        let frames = try pictures(asset, from: nil)
        try #require(frames.count == 60)
        // The version makes a difference.
        let unlike = try pictures(Opening.asset(new.path), from: nil)
        #expect(zip(frames, unlike).contains { $0.pixels != $1.pixels })

        let finder = try PictureFinder(asset: asset)
        for index in [58, 30, 12, 59, 2, 44] {
            let tail = try pictures(asset, from: frames[index].time)
            #expect(tail == Array(frames[index...]), "a reader from frame \(index)")
            let middle = frames[index].time + MediaTime(value: 1, timescale: 70)
            let found = SeenPicture(try finder.picture(at: middle))
            #expect(found == frames[index], "an image in the middle of frame \(index)")
        }
        let late = try PictureFinder(asset: asset)
        let last = frames[59].time + MediaTime(value: 1, timescale: 70)
        #expect(SeenPicture(try late.picture(at: last)) == frames[59], "the first image")
    }

    /// Returns the file with another version of x264 in its text.
    private func statesVersion148(in url: URL) throws -> Data {
        var data = try Data(contentsOf: url)
        let text = try #require(data.range(of: Data("x264 - core ".utf8)))
        let number = text.upperBound..<text.upperBound + 3
        data.replaceSubrange(number, with: Data("148".utf8))
        return data
    }

    private func pictures(_ asset: URLAsset, from start: MediaTime?) throws -> [SeenPicture] {
        let range = start.map { MediaTimeRange(start: $0, duration: .positiveInfinity) }
        let output = try AssetReader(asset: asset, timeRange: range).addVideoOutput()
        var frames: [SeenPicture] = []
        while let frame = try output.copyNextSampleBuffer() { frames.append(SeenPicture(frame)) }
        return frames
    }
}
