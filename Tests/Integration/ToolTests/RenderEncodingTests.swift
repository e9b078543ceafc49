// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import Testing

/// `render`: codecs, formats and the contents of files besides frames.
@Suite(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
struct RenderEncodingTests {
    private let folder = TemporaryFolder()

    /// Makes a video of ten frames without loss.
    private func source(
        _ name: String = "source.mkv", format: String = "yuv420p", _ options: [String] = []
    ) throws -> String {
        let path = folder.appending(name).path
        try ProcessRunner.check(
            [
                "ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=s=64x48:r=25:d=0.4",
                "-pix_fmt", format,
            ] + (options.contains("-c:v") ? [] : ["-c:v", "ffv1"]) + options + [path])
        return path
    }

    /// Returns the checksums of a file's frames as they are stored.
    private func stored(_ file: String) throws -> [Substring] {
        let lines = try ProcessRunner.run([
            "ffmpeg", "-v", "error", "-i", file, "-map", "0:v:0", "-f", "framemd5", "-",
        ]).text.split(separator: "\n").filter { !$0.hasPrefix("#") }
        return lines.compactMap { $0.split(separator: " ").last }
    }

    /// Returns what ffprobe prints of a file.
    private func probe(_ file: String, _ entries: String, stream: String = "v:0") throws -> String {
        try ProcessRunner.run([
            "ffprobe", "-v", "error", "-select_streams", stream, "-show_entries", entries, "-of",
            "default=noprint_wrappers=1", file,
        ]).text
    }

    @Test(arguments: [
        ("out.mkv", ["--crf", "20"], "--crf: ffv1"), ("out.mov", ["--bitrate", "2M"], "prores"),
        ("out.gif", ["--crf", "20"], "--crf: gif"),
        ("out.mkv", ["--audio-bitrate", "128k"], "--audio-bitrate: pcm"),
        ("out.mp4", ["--audio-bitrate", "128k", "--audio-codec", "flac"], "flac is lossless"),
        ("out-%02d.png", ["--crf", "20"], "--crf: a .png file"),
    ])
    func `a rate is refused for codecs without one`(
        name: String, options: [String], reason: String
    ) throws {
        let output = folder.appending(name)
        try Tool.run(["render", try source(), "-o", output.path] + options)
            .expectError(1, saying: [reason, "remove the option"])
        #expect(!FileManager.default.fileExists(atPath: output.path))
    }

    @Test(arguments: [
        ("yuv420p", "mkv", []), ("yuv422p10le", "mkv", []), ("yuv444p", "mkv", []),
        ("yuva420p", "mkv", []), ("yuv420p", "mp4", ["--crf", "0"]),
        ("yuv444p", "mp4", ["--crf", "0", "--pixel-format", "yuv444p"]),
    ])
    func `frames that need no drawing reach the encoder as they were decoded`(
        format: String, ending: String, options: [String]
    ) throws {
        // BT.601, which drawing would convert.
        let film = try source(
            format: format, ["-colorspace", "smpte170m", "-color_primaries", "smpte170m"])
        let output = folder.appending("out.\(ending)").path
        try Tool.run(["render", film, "-o", output] + options).expectSuccess()
        let frames = try stored(output)
        #expect(frames.count == 10)
        #expect(try frames == stored(film))
        #expect(
            try probe(output, "stream=pix_fmt,color_space")
                == "pix_fmt=\(format)\ncolor_space=smpte170m\n")
    }

    @Test func `rotation, aspect, metadata and chapters are those of the input`() throws {
        let data = folder.appending("data.txt")
        try Data(
            """
            ;FFMETADATA1
            title=Harbour
            artist=Anna
            [CHAPTER]
            TIMEBASE=1/1000
            START=0
            END=200
            title=One
            [CHAPTER]
            TIMEBASE=1/1000
            START=200
            END=400
            title=Two
            """.utf8
        ).write(to: data)
        let upright = folder.appending("upright.mp4").path
        let film = folder.appending("film.mp4").path
        try ProcessRunner.check([
            "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=64x48:r=25:d=0.4", "-i",
            data.path, "-map_metadata", "1", "-vf", "setsar=4/3", "-c:v", "libx264", upright,
        ])
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: upright)))
        let rotated = try #require(TrackMatrix.set([0, 1, -1, 0], in: bytes))
        try Data(rotated).write(to: URL(filePath: film))
        let output = folder.appending("out.mp4").path
        try Tool.run("render", film, "-o", output).expectSuccess()
        let entries = "stream=width,height,sample_aspect_ratio:stream_side_data=rotation"
        #expect(try probe(film, entries).contains("rotation="))
        #expect(try probe(output, entries) == probe(film, entries))
        #expect(
            try probe(output, "format_tags=title,artist")
                == "TAG:title=Harbour\nTAG:artist=Anna\n")
        func chapters(_ file: String) throws -> String {
            try ProcessRunner.run([
                "ffprobe", "-v", "error", "-show_chapters", "-of", "csv", file,
            ]).text
        }
        #expect(try chapters(output).contains("Two"))

        // Options replace, remove and add.
        let list = folder.appending("chapters.txt")
        try Data("# mine\n0:00 Start\n\n0:00.1 The rest\n".utf8).write(to: list)
        try Tool.run(
            "render", film, "-o", output, "--metadata", "title=Pier", "--metadata", "artist=",
            "--metadata", "comment=a=b", "--chapters", list.path
        ).expectSuccess()
        #expect(
            try probe(output, "format_tags=title,artist,comment")
                == "TAG:title=Pier\nTAG:comment=a=b\n")
        #expect(try chapters(output).contains("The rest"))
        #expect(try chapters(output).split(separator: "\n").count == 2)
        try Tool.run("render", film, "-o", output, "--chapters", "none").expectSuccess()
        #expect(try chapters(output).isEmpty)
        try Data("0:00 Start\nlater\n".utf8).write(to: list)
        try Tool.run("render", film, "-o", output, "--chapters", list.path)
            .expectError(1, saying: ["chapters.txt:2", "a time and a title", "later"])
    }

    @Test func `codecs, formats and rates are those of the options`() throws {
        let film = folder.appending("film.mkv").path
        try ProcessRunner.check([
            "ffmpeg", "-v", "error", "-i", try source(), "-f", "lavfi", "-i",
            "sine=d=0.4:r=48000", "-c:v", "copy", "-c:a", "flac", film,
        ])
        let output = folder.appending("out.mkv").path
        try Tool.run(
            "render", film, "-o", output, "--codec", "hevc", "--preset", "ultrafast", "--bitrate",
            "300k", "--pixel-format", "yuv422p10", "--audio-codec", "opus", "--audio-bitrate", "64k"
        ).expectSuccess()
        #expect(
            try probe(output, "stream=codec_name,pix_fmt")
                == "codec_name=hevc\npix_fmt=yuv422p10le\n")
        #expect(try probe(output, "stream=codec_name", stream: "a:0") == "codec_name=opus\n")
        let audio = folder.appending("out.m4a").path
        try Tool.run("render", film, "-o", audio, "--audio-codec", "alac").expectSuccess()
        #expect(try probe(audio, "stream=codec_name", stream: "a:0") == "codec_name=alac\n")
        // An effect is drawn in the format that is encoded.
        try Tool.run(
            "render", film, "-o", output, "--codec", "h264", "--effect", "exposure",
            "--pixel-format", "yuv444p", "--crf", "30"
        ).expectSuccess()
        #expect(
            try probe(output, "stream=codec_name,pix_fmt,color_space")
                == "codec_name=h264\npix_fmt=yuv444p\ncolor_space=bt709\n")
        for (options, words) in [
            (["--preset", "hasty"], ["no preset 'hasty'"]),
            (["--bitrate", "4M", "--crf", "20"], ["exclude each other"]),
            (["--pixel-format", "yuv411p"], ["yuv420p"]), (["--metadata", "title"], ["KEY=VALUE"]),
            (["--audio-codec", "mp3"], ["aac"]), (["--bitrate", "fast"], ["800k"]),
        ] {
            let result = try Tool.run(
                ["render", film, "-o", folder.appending("x.mp4").path] + options)
            #expect(result.status != 0)
            for word in words { #expect(result.standardError.contains(word), "\(word)") }
        }
        #expect(!FileManager.default.fileExists(atPath: folder.appending("x.mp4").path))
    }

    @Test func `a hardware encoder that is absent is replaced, and one line reports it`() throws {
        let film = try source()
        let output = folder.appending("out.mp4").path
        // No hardware encodes so small a frame.
        let result = try Tool.run(
            "render", film, "--size", "16x16", "--hardware-encoder", "-o", output)
        result.expectSuccess()
        let lines = result.standardError.split(separator: "\n").filter {
            $0.contains("encoding with libx264")
        }
        #expect(lines.count == 1, "\(result.standardError)")
        #expect(try probe(output, "stream=codec_name").contains("h264"))
        try Tool.run("render", film, "--hardware-encoder", "-o", folder.appending("x.png").path)
            .expectError(1, saying: ["--hardware-encoder"])
    }

    @Test(arguments: ["h264", "hevc"])
    func `two passes meet the bit rate within three percent`(codec: String) throws {
        let film = folder.appending("film.mkv").path
        try ProcessRunner.check([
            "ffmpeg", "-v", "error", "-f", "lavfi", "-i",
            "testsrc2=s=320x180:r=25:d=24,noise=alls=8:allf=t", "-c:v", "libx264", "-preset",
            "ultrafast", "-crf", "8", "-pix_fmt", "yuv420p", film,
        ])
        let output = folder.appending("out.mkv").path
        let result = try Tool.run(
            "render", film, "--codec", codec, "--bitrate", "500k", "--passes", "2", "--preset",
            "veryfast", "-o", output, deadline: .seconds(300))
        result.expectSuccess()
        #expect(result.standardError.contains("the first of two passes"))
        let sizes = try probe(output, "packet=size").split(separator: "\n").compactMap {
            Int($0.drop { !$0.isNumber })
        }
        #expect(sizes.count == 600)
        let rate = Double(sizes.reduce(0, +)) * 8 / 24
        #expect(abs(rate / 500_000 - 1) <= 0.03, "\(rate)")
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
                == ["film.mkv", "out.mkv"])
        try Tool.run("render", film, "--passes", "2", "-o", output)
            .expectError(1, saying: ["set --bitrate"])
    }

    @Test(arguments: ["gif", "apng", "webp"])
    func `an animation has the frames of the video`(ending: String) throws {
        let film = try source()
        let output = folder.appending("out.\(ending)").path
        try Tool.run("render", film, "-o", output).expectSuccess()
        guard ending != "webp" else {
            // FFmpeg reads no animated WebP. Each frame is a chunk of its own, but for those that
            // equal the one before.
            let bytes = try Data(contentsOf: URL(fileURLWithPath: output))
            #expect(try bytes.ranges(of: Data("ANMF".utf8)).count == Set(stored(film)).count)
            return
        }
        #expect(try stored(output).count == 10)
    }

    @Test func `several inputs follow one another`() throws {
        let first = try source("first.mkv")
        let second = try source("second.mkv", ["-vf", "negate"])
        let output = folder.appending("out.mkv").path
        try Tool.run("render", first, second, "-o", output).expectSuccess()
        #expect(try stored(output) == stored(first) + stored(second))
        try Tool.run("render", first, second, "--from", "0.2", "--to", "0.6", "-o", output)
            .expectSuccess()
        #expect(
            try stored(output) == Array(stored(first).suffix(5)) + Array(stored(second).prefix(5)))
    }

    @Test func `a high dynamic range is tone mapped, or kept on request`() throws {
        let film = try source(
            "pq.mkv", format: "yuv420p10le",
            [
                "-c:v", "libx265", "-x265-params",
                "log-level=error:lossless=1:colorprim=bt2020:transfer=smpte2084:"
                    + "colormatrix=bt2020nc:max-cll=1000,400",
            ])
        let output = folder.appending("out.mp4").path
        try Tool.run("render", film, "--codec", "hevc", "-o", output).expectSuccess()
        #expect(
            try probe(output, "stream=pix_fmt,color_transfer")
                == "pix_fmt=yuv420p\ncolor_transfer=bt709\n")
        let arguments = ["render", film, "--codec", "hevc", "--hdr", "-o", output]
        try Tool.run(arguments).expectSuccess()
        #expect(
            try probe(output, "stream=pix_fmt,color_transfer,color_primaries")
                == "pix_fmt=yuv420p10le\ncolor_transfer=smpte2084\ncolor_primaries=bt2020\n")
        try Tool.run(arguments + ["--size", "32x24"]).expectSuccess()
        #expect(
            try probe(output, "stream=width,color_transfer")
                == "width=32\ncolor_transfer=smpte2084\n")
        try Tool.run(arguments + ["--effect", "exposure"])
            .expectError(1, saying: ["--hdr", "remove --hdr"])
    }

    @Test func `samples are copied without encoding, as a whole or in part`() throws {
        let film = try Films.film(seconds: 2)
        let output = folder.appending("out.mp4").path
        func packets(_ file: String) throws -> [Substring] {
            try ProcessRunner.run([
                "ffmpeg", "-v", "error", "-i", file, "-map", "0", "-c", "copy", "-f", "framehash",
                "-hash", "md5", "-",
            ]).text.split(separator: "\n").filter { !$0.hasPrefix("#") }
                .compactMap { $0.split(separator: " ").last }.sorted()
        }
        let result = try Tool.run(
            "render", film, "--no-reencode", "--metadata", "title=Copy", "-o", output)
        result.expectSuccess()
        #expect(result.standardError.contains("copied to \(output)"))
        #expect(try packets(output) == packets(film))
        #expect(try probe(output, "format_tags=title") == "TAG:title=Copy\n")
        try Tool.run("render", film, "--no-reencode", "--from", "1.5", "-o", output)
            .expectSuccess()
        #expect(try Tool.run("frames", output).text.split(separator: "\n").count == 15)
        for option in [["--size", "2x2"], ["--effect", "exposure"], ["--crf", "3"], ["--mute"]] {
            let refused = try Tool.run(["render", film, "--no-reencode", "-o", output] + option)
            #expect(refused.status != 0)
            #expect(refused.standardError.contains(option[0]))
        }
    }

    @Test(arguments: ["render", "cut"])
    func `an output that is a directory, an input or a pipe is refused in one line`(
        command: String
    ) throws {
        let film = try source()
        let bytes = try Data(contentsOf: URL(filePath: film))
        let names = ["directory.mkv", "hard.mkv", "link.mkv", "pipe.mkv"].map(folder.appending)
        try FileManager.default.createDirectory(at: names[0], withIntermediateDirectories: false)
        try FileManager.default.linkItem(atPath: film, toPath: names[1].path)
        try FileManager.default.createSymbolicLink(
            atPath: names[2].path, withDestinationPath: film)
        #expect(mkfifo(names[3].path, 0o600) == 0)
        let long = folder.appending(String(repeating: "n", count: 256) + ".mkv").path
        for (output, status, words) in [
            (names[0].path, 2, "the path is a directory; add a file name"),
            (film, 1, "the output is also an input"),
            (names[1].path, 1, "the output is also an input"),
            (names[2].path, 1, "the output is also an input"),
            (names[3].path, 1, "name a file"), (long, 2, "use a shorter name"),
        ] {
            try Tool.run(command, film, "-o", output)
                .expectError(Int32(status), saying: [words])
        }
        #expect(try Data(contentsOf: URL(filePath: film)) == bytes)
    }

    @Test func `an interruption leaves no file with --discard-partial, and the old one`() throws {
        let output = folder.appending("out.mkv")
        try Data("old".utf8).write(to: output)
        // More frames than are rendered before the signal comes.
        let program = try Tool.start([
            "render", try Films.film(seconds: 12), "--fps", "1000", "--discard-partial", "-o",
            output.path,
        ])
        try eventually("a file that has been started") {
            FileManager.default.fileExists(atPath: output.path + ".part")
        }
        program.signal(SIGINT)
        #expect(program.wait(patience) == 2)
        #expect(program.standardError.contains("interrupted"))
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["out.mkv"])
        #expect(try Data(contentsOf: output) == Data("old".utf8))
    }
}
