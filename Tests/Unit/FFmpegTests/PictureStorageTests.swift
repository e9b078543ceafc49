// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadFFmpeg
import PlayheadTime
import Testing

/// Images with any name and any way of storing colours, compared with ffmpeg's result.
@Suite(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
struct PictureStorageTests {
    private let folder = TemporaryFolder()

    private func ffmpeg(_ arguments: [String]) throws {
        try ProcessRunner.check(["ffmpeg", "-v", "error", "-nostdin", "-y"] + arguments)
    }

    private func path(_ name: String) -> String { folder.appending(name).path }

    /// Returns the pixels of an image of four bytes per pixel, without the padding between its
    /// rows.
    private func bytes(_ buffer: PixelBuffer) -> [UInt8] {
        let plane = buffer.planes[0]
        return (0..<plane.height).flatMap { row in
            UnsafeRawBufferPointer(
                start: plane.baseAddress + row * plane.bytesPerRow, count: plane.width * 4)
        }
    }

    /// Larger than the part that is probed to detect the format.
    @Test(arguments: ["mjpeg", "png", "bmp", "tiff"])
    func `the format of an image is detected from its content, not its name`(codec: String) throws {
        let plain = path("picture")
        try ffmpeg([
            "-f", "lavfi", "-i", "testsrc2=s=640x480,noise=alls=60", "-frames:v", "1", "-c:v",
            codec, "-f", "image2pipe", plain,
        ])
        let expected = try ImageFile.read(plain)
        #expect((expected.width, expected.height) == (640, 480))
        let names = [
            "a.jpg", "a.jpeg", "a.JPG", "a.png", "a.bmp", "a.tga", "a%03d.png", "What?.jpg",
            "star*.png", "x{1}.jpg",
        ]
        for name in names {
            try FileManager.default.copyItem(atPath: plain, toPath: path(name))
            let read = try ImageFile.read(path(name))
            #expect(read.format == expected.format, "\(name)")
            #expect((read.width, read.height) == (640, 480), "\(name)")
        }
    }

    @Test(arguments: ["a.png", "a.jpg", "a.bmp", "a.webp", "a.tga"])
    func `a still image has the requested duration`(name: String) throws {
        try ffmpeg([
            "-f", "lavfi", "-i", "testsrc2=s=64x48", "-frames:v", "1", path(name),
        ])
        func durations(_ duration: MediaTime?) throws -> [MediaTime] {
            var options = AssetOptions()
            options.stillDuration = duration
            let opener = FFmpegOpener(path: path(name), options: options)
            let asset = URLAsset(location: .file(path: path(name)), opener: opener)
            let output = try AssetReader(asset: asset).addVideoOutput()
            var durations: [MediaTime] = []
            while let frame = try output.copyNextSampleBuffer() { durations.append(frame.duration) }
            return durations
        }
        #expect(try durations(nil) == [MediaTime(value: 1, timescale: 25)])
        for duration in [MediaTime(value: 5, timescale: 1), MediaTime(value: 3, timescale: 2)] {
            #expect(try durations(duration) == [duration])
        }
    }

    @Test func `the file name of an image alone makes no image`() throws {
        for name in ["a.jpg", "a%03d.png"] {
            try Data(repeating: 7, count: 5000).write(to: folder.appending(name))
            let error = #expect(throws: MediaError.self) { try ImageFile.read(path(name)) }
            #expect(error?.code == .unknownFormat)
        }
    }

    /// ffmpeg's scaler rounds differently, and leaves the low half of four bits empty.
    @Test(arguments: [
        "rgb565le", "rgb565be", "bgr565le", "bgr565be", "rgb555le", "rgb555be", "bgr555le",
        "bgr555be", "rgb444le", "rgb444be", "bgr444le", "bgr444be", "rgb8", "bgr8", "rgb4_byte",
        "bgr4_byte",
    ])
    func `colours of few bits are those of ffmpeg`(format: String) throws {
        try ffmpeg([
            "-f", "lavfi", "-i", "testsrc2=s=34x30", "-frames:v", "1", "-c:v", "rawvideo",
            "-pix_fmt", format, path("picture.nut"),
        ])
        try ffmpeg([
            "-i", path("picture.nut"), "-pix_fmt", "bgra", "-f", "rawvideo", path("reference"),
        ])
        let picture = try ImageFile.read(path("picture.nut"))
        #expect(picture.format == .bgra)
        #expect((picture.width, picture.height) == (34, 30))
        let reference = [UInt8](try Data(contentsOf: folder.appending("reference")))
        let ours = bytes(picture)
        #expect(ours.count == reference.count)
        let most = zip(ours, reference).map { abs(Int($0) - Int($1)) }.max()
        #expect(try #require(most) <= (format.contains("444") ? 15 : 4))
    }

    /// ffmpeg's scaler has twelve bits internally, and so few codes for dark colours.
    @Test(arguments: ["xyz12le", "xyz12be"])
    func `colours of digital cinema are those of ffmpeg`(format: String) throws {
        try ffmpeg([
            "-f", "lavfi", "-i", "testsrc2=s=34x30", "-frames:v", "1", "-c:v", "rawvideo",
            "-pix_fmt", format, path("picture.nut"),
        ])
        try ffmpeg([
            "-i", path("picture.nut"), "-pix_fmt", "rgb48le", "-f", "rawvideo", path("reference"),
        ])
        let picture = try ImageFile.read(path("picture.nut"))
        #expect(picture.color.primaries == .bt709 && picture.color.transfer == .gamma22)
        let plane = picture.planes[0]
        let reference = [UInt8](try Data(contentsOf: folder.appending("reference")))
        #expect(reference.count == 34 * 30 * 6)
        for (row, column) in (0..<30).flatMap({ row in (0..<34 * 3).map { (row, $0) } }) {
            // The high byte of each.
            let ours = plane.baseAddress.load(
                fromByteOffset: row * plane.bytesPerRow + column * 2 + 1, as: UInt8.self)
            let theirs = reference[(row * 34 * 3 + column) * 2 + 1]
            #expect(abs(Int(ours) - Int(theirs)) <= (theirs < 32 ? 6 : 2), "\(row), \(column)")
        }
    }

    /// Two pixels per byte, which ffmpeg's scaler does not read.
    @Test(arguments: [("rgb4", true), ("bgr4", false)])
    func `colours of four bits are red, green and blue`(format: String, isRedFirst: Bool) throws {
        let bytes = stride(from: 0, to: 16, by: 2).map { UInt8($0 << 4 | $0 + 1) }
        try Data(bytes).write(to: folder.appending("bytes"))
        try ffmpeg([
            "-f", "rawvideo", "-pix_fmt", format, "-video_size", "16x1", "-i", path("bytes"),
            "-c", "copy", path("picture.nut"),
        ])
        let expected = (0..<16).flatMap { pixel -> [UInt8] in
            let (first, green, last) = (pixel >> 3 * 255, (pixel >> 1 & 3) * 85, (pixel & 1) * 255)
            return [isRedFirst ? last : first, green, isRedFirst ? first : last, 255].map {
                UInt8($0)
            }
        }
        #expect(self.bytes(try ImageFile.read(path("picture.nut"))) == expected)
    }

    private static let readsAnimatedWebP =
        (try? ProcessRunner.run(["ffmpeg", "-v", "error", "-h", "demuxer=webp_anim"]))?
        .text.contains("Animated") ?? false

    @Test(.enabled(if: !readsAnimatedWebP, "FFmpeg from 9.0 on decodes animated WebP"))
    func `an animated WebP is not called damaged`() throws {
        // The extended header with its animation flag, and only its parameters.
        let chunks =
            Data("WEBPVP8X".utf8) + Data([10, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 3, 0, 0])
            + Data("ANIM".utf8) + Data([6, 0, 0, 0, 0, 0, 0, 0, 0, 0])
        let file = Data("RIFF".utf8) + Data([UInt8(chunks.count), 0, 0, 0]) + chunks
        try file.write(to: folder.appending("film.webp"))
        let error = #expect(throws: MediaError.self) { try ImageFile.read(path("film.webp")) }
        #expect(error?.code == .unsupportedCodec)
        #expect(error?.cause.contains("animated") == true)
    }

    @Test func `the largest image of an icon is shown`() throws {
        let sizes = ["16x16", "64x48", "32x32"]
        try ffmpeg(
            sizes.flatMap { ["-f", "lavfi", "-i", "testsrc2=s=\($0):r=25:d=0.04"] }
                + sizes.indices.flatMap { ["-map", "\($0)"] } + ["-c:v", "bmp", path("icon.ico")])
        let icon = try ImageFile.read(path("icon.ico"))
        #expect((icon.width, icon.height) == (64, 48))
    }

    @Test func `a cover is returned once after each seek, for any track selection`() throws {
        try ffmpeg([
            "-f", "lavfi", "-i", "sine=d=1", "-f", "lavfi", "-i", "testsrc2=s=64x48:r=25:d=0.04",
            "-map", "0", "-map", "1", "-c:a", "aac", "-c:v", "png", "-disposition:v",
            "attached_pic", path("song.m4a"),
        ])
        let demuxer = try Opening.demuxer(path("song.m4a"))
        let tracks = Set(demuxer.description.tracks.map(\.id))
        let cover = try #require(demuxer.description.tracks(of: .video).first)
        #expect(cover.isAttachedPicture)
        func covers(reading count: Int = .max) throws -> Int {
            var covers = 0
            for _ in 0..<count {
                guard let packet = try demuxer.readPacket() else { break }
                if packet.trackID == cover.id { covers += 1 }
            }
            return covers
        }
        demuxer.selectTracks(tracks)
        #expect(try covers(reading: 3) == 1)
        demuxer.selectTracks(tracks)
        #expect(try covers(reading: 3) == 0)
        // A track that is selected again has a decoder that has not received it.
        demuxer.selectTracks(tracks.subtracting([cover.id]))
        demuxer.selectTracks(tracks)
        #expect(try covers() == 1)
        try demuxer.seek(to: demuxer.description.startTime)
        demuxer.selectTracks(tracks)
        #expect(try covers() == 1)
    }

    /// FFmpeg's demuxers return a palette once. The SMC encoder is not used: that of FFmpeg 7.1 marks
    /// frames as key frames that keep pixels of the previous frame.
    @Test(arguments: [("rawvideo", "mov"), ("rawvideo", "avi")])
    func `palettes apply wherever reading begins`(codec: String, container: String) throws {
        let film = path("film." + container)
        try ffmpeg([
            "-f", "lavfi", "-i", "testsrc=s=64x48:r=10:d=2", "-pix_fmt", "pal8", "-c:v", codec,
            "-g", "5", film,
        ])
        let asset = Opening.asset(film)
        let output = try AssetReader(asset: asset).addVideoOutput()
        var frames: [VideoFrame] = []
        while let frame = try output.copyNextSampleBuffer() { frames.append(frame) }
        #expect(frames.count == 20)
        #expect(Set(bytes(frames[0].pixelBuffer)).count > 2)
        for order in [[0, 10], [10, 0, 19], [19, 5]] {
            let finder = try PictureFinder(asset: asset)
            for index in order {
                let found = try finder.picture(at: frames[index].presentationTime)
                #expect(SeenPicture(found) == SeenPicture(frames[index]))
            }
        }
    }
}
