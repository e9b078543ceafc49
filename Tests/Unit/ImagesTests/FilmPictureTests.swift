// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadFFmpeg
import PlayheadImages
import PlayheadTime
import Testing

/// Frames of real videos: matrices, ranges, odd sizes, alpha, rotation and mirroring equal the
/// output of the ffmpeg command, which was made independently of this code.
@Suite(
    .enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"),
    .enabled(if: Corpus.has("made-here/media"), Comment(rawValue: Corpus.absence)))
struct FilmPictureTests {
    private func asset(_ file: String) throws -> URLAsset {
        let path = try #require(Corpus.url(file)).path
        return URLAsset(location: .file(path: path), opener: FFmpegOpener(path: path))
    }

    private func picture(
        _ file: String, colorSpace: ColorSpace = .bt709
    ) throws -> TestImage {
        var options = ImageGenerator.Options.exact
        options.colorSpace = colorSpace
        let image = try ImageGenerator(asset: try asset(file), options: options)
            .copyImage(at: .zero).image
        return TestImage(width: image.width, height: image.height, pixels: image.bytes)
    }

    /// Returns the first frame as ffmpeg shows it, with its most exact settings.
    ///
    /// - Parameters:
    ///   - matrix: the matrix for untagged high-definition videos, which ffmpeg interprets as
    ///     BT.601.
    ///   - size: the display size for pixels that are not square, which ffmpeg does not scale.
    private func reference(
        _ file: String, matrix: String = "auto", size: String = ""
    ) throws -> TestImage {
        let path = try #require(Corpus.url(file)).path
        let folder = TemporaryFolder()
        let target = folder.appending("picture.png").path
        try ProcessRunner.check(
            [
                "ffmpeg", "-v", "error", "-nostdin", "-i", path, "-frames:v", "1", "-vf",
                "scale=\(size)in_color_matrix=\(matrix):flags=accurate_rnd+full_chroma_int+bilinear,"
                    + "format=rgba", target,
            ])
        return try TestImage(contentsOf: URL(filePath: target))
    }

    /// `limit` is the root mean square difference, of 255: each program filters the edges of
    /// subsampled colour in its own way.
    @Test(
        arguments: [
            ("made-here/media/bars_601_tv.mp4", "auto", 5.0),
            ("made-here/media/bars_601_pc.mp4", "auto", 5.0),
            ("made-here/media/bars_709_tv.mp4", "auto", 5.0),
            ("made-here/media/bars_709_pc.mp4", "auto", 5.0),
            ("made-here/media/bars_2020_tv.mp4", "auto", 5.0),
            ("made-here/media/bars_2020_pc.mp4", "auto", 5.0),
            ("made-here/media/size_17x13.webm", "auto", 1.0),
            ("made-here/media/size_2x2.webm", "auto", 1.0),
            ("made-here/media/size_2x4098.webm", "bt709", 1.0),
            ("made-here/media/size_4098x2.webm", "bt709", 1.0),
            ("torchcodec/test/resources/nasa_13013_rotated.mp4", "auto", 3.0),
            ("androidx-media/media/mp4/sample_rotate_and_reflect.mp4", "bt709", 3.0),
            ("mathiasbynens-small/png-transparent.png", "auto", 0.0),
        ].filter { Corpus.has($0.0) })
    func `the frame equals that of ffmpeg`(file: String, matrix: String, limit: Double) throws {
        // ffmpeg's scaler ignores primaries.
        let ours = try picture(file, colorSpace: file.contains("bars_2020") ? .bt2020 : .bt709)
        let theirs = try reference(file, matrix: matrix)
        #expect((ours.width, ours.height) == (theirs.width, theirs.height))
        let difference = try #require(ours.difference(from: theirs))
        #expect(difference.rootMeanSquare <= limit, "\(difference)")
    }

    /// Only matrix and range distinguish these videos: with wrong ones, grey would stay and colours
    /// would not.
    @Test func `a wrong matrix or range exceeds the tolerance of these tests`() throws {
        let (standard, high) = (
            try picture("made-here/media/bars_601_tv.mp4"),
            try reference("made-here/media/bars_2020_tv.mp4")
        )
        #expect(try #require(standard.difference(from: high)).rootMeanSquare > 6)
    }

    @Test(
        .enabled(if: FFmpegCodecs.canDecode("vp9"), "needs a decoder for VP9"),
        arguments: ["vp9_alpha_ramp.webm", "prores4444_alpha_ramp.mov"])
    func `alpha rises from left to right`(name: String) throws {
        let image = try picture("made-here/media/" + name)
        for y in [10, image.height / 2, image.height - 10] {
            for x in stride(from: 0, to: image.width, by: 7) {
                let expected = Double(x) / Double(image.width) * 255
                #expect(abs(Double(image[x, y].w) - expected) <= 4, "at \(x), \(y)")
            }
        }
    }

    @Test func `a wide pixel aspect ratio widens the image`() throws {
        let file = "androidx-media/media/mp4/bbb_800x640_768kbps_30fps_avc_pyramid_3b.mp4"
        guard Corpus.has(file) else { return }
        let image = try picture(file)
        #expect((image.width, image.height) == (1138, 640))
        let theirs = try reference(file, matrix: "bt709", size: "1138:640:")
        let difference = try #require(image.difference(from: theirs))
        #expect(difference.rootMeanSquare <= 2, "\(difference)")
    }

    @Test func `a cover and chapter images are returned as images`() async throws {
        let file = "androidx-media/media/mp3/bear-id3.mp3"
        guard Corpus.has(file) else { return }
        let asset = try asset(file)
        let cover = try #require(
            try await ImageGenerator.artwork(of: asset, maximumSize: (100, 100)))
        #expect((cover.width, cover.height) == (100, 100))
        let (metadata, chapters) = try await asset.load(.metadata, .chapters)
        let artwork = try #require(metadata.filtered(by: .artwork).first)
        #expect(artwork.dataValue.starts(with: [0xFF, 0xD8]), "a JPEG begins so")
        #expect(chapters.map(\.title) == ["Chapter title", "chap2"])
        #expect(metadata.filtered(by: .title).first?.stringValue == "Test title")
        let film = try self.asset("androidx-media/media/mkv/sample_with_chapters.mkv")
        let second = try #require(try await film.load(.chapters).last)
        let image = try await ImageGenerator.image(of: second, in: film, maximumSize: (64, 64))
        #expect((image.width, image.height) == (64, 48))
    }
}
