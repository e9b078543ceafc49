// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadTime
import Testing

@testable import PlayheadFFmpeg

/// Still images, in image formats and in containers that videos also use.
@Suite(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
struct ImageTests {
    private let folder = TemporaryFolder()
    private static let fiveSeconds = MediaTime(value: 5, timescale: 1)

    /// Encodes one frame; returns nil if this ffmpeg has no encoder for the format.
    private func image(_ name: String, _ options: [String] = []) -> String? {
        let path = folder.appending(name).path
        let arguments =
            [
                "ffmpeg", "-v", "error", "-nostdin", "-y", "-f", "lavfi", "-i",
                "testsrc2=s=64x48:d=1",
            ]
            + ["-frames:v", "1"] + options + [path]
        guard (try? ProcessRunner.check(arguments)) != nil else { return nil }
        return path
    }

    private func asset(_ path: String, lasting duration: MediaTime?) -> URLAsset {
        var options = AssetOptions()
        options.stillDuration = duration
        return URLAsset(
            location: .file(path: path), opener: FFmpegOpener(path: path, options: options))
    }

    @Test(arguments: [
        ("still.png", []), ("still.jpg", []), ("still.webp", []), ("still.gif", []),
        ("still.avif", ["-c:v", "libaom-av1", "-still-picture", "1", "-cpu-used", "8"]),
    ])
    func `an image has the duration of the options in any container`(
        name: String, encoding: [String]
    ) throws {
        guard let path = image(name, encoding) else { return }
        let reader = try AssetReader(asset: asset(path, lasting: Self.fiveSeconds))
        #expect(reader.description.isStill, "\(name)")
        let output = try reader.addVideoOutput()
        let frame = try #require(try output.copyNextSampleBuffer())
        #expect(frame.duration == Self.fiveSeconds, "\(name)")
        #expect(frame.presentationTime == .zero)
        #expect(try output.copyNextSampleBuffer() == nil)
    }

    @Test func `an image in a container of videos lasts a twenty-fifth of a second by default`()
        throws
    {
        let path = try #require(image("still.gif"))
        let description = try AssetReader(asset: asset(path, lasting: nil)).description
        #expect(description.duration == MediaTime(value: 1, timescale: 25))
        #expect(description.isStill)
    }

    @Test func `an animation and a video of one frame are no images`() throws {
        let animation = folder.appending("animation.gif").path
        try ProcessRunner.check([
            "ffmpeg", "-v", "error", "-nostdin", "-y", "-f", "lavfi", "-i",
            "testsrc2=s=64x48:d=0.5:r=10", animation,
        ])
        let video = try #require(image("video.mp4"))
        for path in [animation, video] {
            let description = try AssetReader(asset: asset(path, lasting: Self.fiveSeconds))
                .description
            #expect(!description.isStill)
            #expect(description.duration < Self.fiveSeconds)
        }
    }

    @Test(arguments: [
        ("series.mjpeg", "mjpeg"), ("series.png", "png"), ("series.bmp", "bmp"),
        ("series.ppm", "ppm"), ("series.dpx", "dpx"), ("series.qoi", "qoi"),
        ("series.jls", "jpegls"), ("series.jp2", "jpeg2000"), ("series.webp", "libwebp"),
        ("series.pam", "pam"),
    ])
    func `images in a row are the frames of a video`(name: String, encoder: String) throws {
        let path = folder.appending(name).path
        try ProcessRunner.check([
            "ffmpeg", "-v", "error", "-nostdin", "-y", "-f", "lavfi", "-i",
            "testsrc=s=64x48:r=25:d=1", "-c:v", encoder, "-f", "image2pipe", path,
        ])
        let asset = asset(path, lasting: Self.fiveSeconds)
        let reader = try AssetReader(asset: asset)
        #expect(!reader.description.isStill)
        let output = try reader.addVideoOutput()
        var frames: [SeenPicture] = []
        while let frame = try output.copyNextSampleBuffer() { frames.append(SeenPicture(frame)) }
        try #require(frames.map(\.time) == (0..<25).map { MediaTime(value: $0, timescale: 25) })
        let finder = try PictureFinder(asset: asset)
        for index in [24, 3, 17, 0] {
            let middle = frames[index].time + MediaTime(value: 1, timescale: 70)
            #expect(SeenPicture(try finder.picture(at: middle)) == frames[index])
            let range = MediaTimeRange(start: middle, duration: .positiveInfinity)
            let first = try AssetReader(asset: asset, timeRange: range)
                .addVideoOutput(includesPictureAtStart: true).copyNextSampleBuffer()
            #expect(first.map { SeenPicture($0).pixels } == frames[index].pixels)
        }
    }

    @Test func `an image from a pipe has the duration of the options`() throws {
        let path = try #require(image("still.png"))
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
        let source = CallbackDataSource.pipe(bytes)
        var options = AssetOptions()
        options.stillDuration = Self.fiveSeconds
        let demuxer = try FFmpegOpener(.data(source, name: "pipe"), options: options)
            .openDemuxer(cancellation: Cancellation())
        #expect(demuxer.description.isStill)
        #expect(try demuxer.readPacket()?.duration == Self.fiveSeconds)
    }

    /// A gain map or a preview follows some photographs (CIPA DC-007). Others end with data that is
    /// not an image.
    @Test func `a photograph with an image or data behind it is one image`() throws {
        let path = try #require(image("photo.jpg"))
        let photo = [UInt8](try Data(contentsOf: URL(filePath: path)))
        let tail = photo + Array("tail".utf8)
        var indexed = photo
        indexed.insert(contentsOf: [0xFF, 0xE2, 0, 6] + Array("MPF\0".utf8), at: 2)
        for bytes: [UInt8] in [indexed + photo, tail, tail + photo] {
            try Data(bytes).write(to: URL(filePath: path))
            let reader = try AssetReader(asset: asset(path, lasting: Self.fiveSeconds))
            #expect(reader.description.isStill)
            #expect(reader.description.duration == Self.fiveSeconds)
            let output = try reader.addVideoOutput()
            let frame = try #require(try output.copyNextSampleBuffer())
            #expect(frame.duration == Self.fiveSeconds)
            #expect(try output.copyNextSampleBuffer() == nil)
        }
    }

    @Test func `an HEIC image that FFmpeg does not read is reported as one`() throws {
        // A file type box of the brand, and nothing that this FFmpeg could decode.
        var bytes: [UInt8] = [0, 0, 0, 24]
        bytes += Array("ftypheic".utf8) + [0, 0, 0, 0] + Array("mif1heic".utf8)
        let url = folder.appending("photo.heic")
        try Data(bytes).write(to: url)
        let error = #expect(throws: MediaError.self) {
            _ = try AssetReader(asset: Opening.asset(url.path))
        }
        #expect(error?.code == .unsupportedCodec)
        #expect(error?.description.contains("HEIC") == true)
    }
}

/// Files whose samples are encrypted.
@Suite(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
struct EncryptionTests {
    private static let clip = Result {
        let folder = TemporaryFolder()
        let path = folder.appending("encrypted.mp4").path
        try ProcessRunner.check([
            "ffmpeg", "-v", "error", "-nostdin", "-y", "-f", "lavfi", "-i",
            "testsrc2=s=64x48:d=1:r=10", "-f", "lavfi", "-i", "sine=d=1", "-c:a", "aac",
            "-encryption_scheme", "cenc-aes-ctr", "-encryption_key",
            "00112233445566778899aabbccddeeff", "-encryption_kid",
            "ffeeddccbbaa99887766554433221100", path,
        ])
        return (folder, path)
    }

    @Test func `an encrypted track is described as encrypted`() throws {
        let demuxer = try Opening.demuxer(Self.clip.get().1)
        #expect(demuxer.description.tracks.map(\.isEncrypted) == [true, true])
    }

    @Test func `the error for an encrypted track states the encryption`() throws {
        let reader = try AssetReader(asset: Opening.asset(Self.clip.get().1))
        let error = #expect(throws: MediaError.self) { _ = try reader.addVideoOutput() }
        #expect(error?.cause == "its video is encrypted")
        let soundError = #expect(throws: MediaError.self) {
            _ = try reader.addAudioOutput(format: .stereo(sampleRate: 48000))
        }
        #expect(soundError?.cause == "its audio is encrypted")
    }
}
