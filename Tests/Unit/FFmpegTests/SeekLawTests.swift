// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadFFmpeg
import PlayheadTime
import Testing

/// A seek gives the frames of sequential decoding. `Scripts/prove/seek-law` checks thousands of
/// files; here is one of each kind that once failed.
@Suite(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
struct SeekLawTests {
    /// A clip of 60 frames as arguments of ffmpeg.
    struct Clip: CustomTestStringConvertible {
        let name: String
        let options: [String]

        let hasSound: Bool

        init(_ name: String, _ options: String, hasSound: Bool = false) {
            self.name = name
            self.options = options.split(separator: " ").map(String.init)
            self.hasSound = hasSound
        }

        var testDescription: String { name }

        func write(to folder: URL) throws -> String {
            let file = folder.appending(path: name).path
            let picture = "testsrc2=s=176x144:r=25"
            let source = hasSound ? "\(picture)[out0];sine=d=8[out1]" : picture
            try ProcessRunner.check(
                ["ffmpeg", "-v", "error", "-nostdin", "-y", "-f", "lavfi", "-i", source]
                    + ["-frames:v", "60", "-threads", "1"]
                    + options + [file])
            return file
        }
    }

    static let clips = [
        // Keyframes that are recognised only when they are decoded, and a last group without the
        // times of the next one.
        Clip("last.avi", "-c:v mpeg4 -bf 2 -g 12"),
        Clip("last.mpg", "-c:v mpeg2video -bf 2 -g 12"),
        Clip("last.m2v", "-c:v mpeg2video -bf 2 -g 12"),
        // No packet is a keyframe, or only the first.
        Clip("none.swf", "-c:v flv -g 12"),
        Clip("none.roq", "-c:v roqvideo -s 128x128 -r 30"),
        Clip("one.apng", "-c:v apng"),
        // Recovery points, open groups, and deep reordering.
        Clip(
            "refresh.ts", "-c:v libx264 -preset veryfast -g 20 -bf 0 -x264-params intra-refresh=1"),
        Clip("open.mkv", "-c:v libx264 -preset veryfast -g 15 -bf 3 -x264-params open-gop=1"),
        // A last open group of four frames, at whose end the decoder drops incomplete ones.
        Clip(
            "group.mp4",
            "-c:v libx264 -preset veryfast -g 14 -bf 3 -x264-params open-gop=1:scenecut=0"),
        Clip(
            "group.ts",
            "-c:v libx264 -preset veryfast -g 14 -bf 3 -x264-params open-gop=1:scenecut=0"),
        Clip("deep.mp4", "-c:v libx264 -preset veryfast -g 30 -bf 15 -refs 8"),
        Clip("open.mp4", "-c:v libx265 -preset ultrafast -g 15 -bf 4 -x265-params log-level=none"),
        // A container or a stream with decoding times only, and with different ones after a seek.
        Clip("decoding.asf", "-c:v libx264 -preset veryfast -g 600 -bf 1"),
        Clip("decoding.m1v", "-c:v mpeg1video -g 2"),
        // Frames without data, which an index counts once.
        Clip(
            "empty.avi",
            "-c:v libvpx -deadline realtime -g 15 -vf select=not(mod(n\\,3)) -fps_mode vfr",
            hasSound: true),
        // Frames that an edit list hides.
        Clip(
            "hidden.mp4", "-c:v mpeg2video -bf 2 -g 15 -frames:v 90 -output_ts_offset -0.68"),
        // Every packet marked as a keyframe, or streams in which FFmpeg counts frames.
        Clip("marked.mkv", "-c:v h263 -g 12"),
        Clip("counted.h263", "-c:v h263 -g 12"),
        Clip("counted.h261", "-c:v h261 -g 12"),
        Clip("counted.flm", "-c:v rawvideo -pix_fmt rgba -f filmstrip"),
        // Frames whose timestamps are numbers of frames.
        Clip("counted.drc", "-c:v vc2 -pix_fmt yuv422p -f dirac"),
        Clip("marked.nut", "-c:v vc2 -pix_fmt yuv422p"),
        Clip("theora.mkv", "-c:v libtheora -g 12"),
        // A container that does not store the header of the stream, without which the decoder infers
        // its fields from the frames that it has decoded.
        Clip("bare.wtv", "-c:v mpeg4 -g 1 -flags +global_header -vf noise=alls=6:allf=t"),
        // A stream at a variable data rate, whose header states none.
        Clip("rate.m1v", "-c:v mpeg1video -g 12"),
        Clip("images.dpx", "-c:v dpx -f image2pipe"),
        // Frames that repaint parts of the previous one.
        Clip("parts.mov", "-c:v cinepak -g 12"),
        Clip("parts.avi", "-c:v msvideo1 -pix_fmt rgb555 -g 12"),
    ]

    @Test(arguments: clips)
    func `a seek gives what decoding in a row gives`(_ clip: Clip) throws {
        let folder = try Opening.temporaryFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let asset = Opening.asset(try clip.write(to: folder))
        let frames = try list(asset, from: nil)
        try #require(frames.count >= 59)
        let finder = try PictureFinder(asset: asset)
        for index in [58, 57, 30, 17, 2, frames.count - 1, 44] {
            let tail = try list(asset, from: frames[index].time)
            #expect(tail == Array(frames[index...]), "a reader from frame \(index)")
            let middle = frames[index].time + MediaTime(value: 1, timescale: 70)
            let found = SeenPicture(try finder.picture(at: middle))
            #expect(found == frames[index], "an image in the middle of frame \(index)")
        }
    }

    @Test(arguments: [Clip("pipe.avi", "-c:v mpeg4 -g 12"), Clip("pipe.mkv", "-c:v mpeg4 -g 12")])
    func `a pipe is read on, and a seek back says that it cannot be`(_ clip: Clip) throws {
        let folder = try Opening.temporaryFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: clip.write(to: folder))))
        let source = CallbackDataSource.pipe(bytes)
        let demuxer = try FFmpegOpener(.data(source, name: "pipe"))
            .openDemuxer(cancellation: Cancellation())
        // Nothing has been taken: decoding begins with the first packet.
        try demuxer.seek(to: MediaTime(value: 1, timescale: 1))
        var time = MediaTime.zero
        for number in 0..<20 {
            let packet = try #require(try demuxer.readPacket())
            if number == 0 { #expect(packet.decodeTime <= .zero) }
            time = packet.decodeTime
        }
        let error = #expect(throws: MediaError.self) { try demuxer.seek(to: .zero) }
        #expect(
            error?.cause == "it comes through a pipe, which cannot go back to 0:00.000")
        // If the target is ahead, decoding begins with the next keyframe.
        try demuxer.seek(to: MediaTime(value: 2, timescale: 1))
        let next = try #require(try demuxer.readPacket())
        #expect(next.isKeyframe)
        #expect(next.decodeTime > time)
        #expect(next.decodeTime <= time + MediaTime(value: 13, timescale: 25))
    }

    private func list(_ asset: URLAsset, from start: MediaTime?) throws -> [SeenPicture] {
        let range = start.map { MediaTimeRange(start: $0, duration: .positiveInfinity) }
        let output = try AssetReader(asset: asset, timeRange: range).addVideoOutput()
        var frames: [SeenPicture] = []
        while let frame = try output.copyNextSampleBuffer() { frames.append(SeenPicture(frame)) }
        return frames
    }
}
