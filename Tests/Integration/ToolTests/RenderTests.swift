// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import Testing

/// `render`: the written frames are the frames that are shown.
@Suite(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
struct RenderTests {
    private let folder = TemporaryFolder()

    @Test(arguments: ["mp4", "mkv", "mov"])
    func `a rendered video has the frames, the times and the audio length of its source`(
        ending: String
    ) throws {
        let film = try Films.film(seconds: 2)
        let output = folder.appending("out.\(ending)").path
        try Tool.run("render", film, "-o", output).expectSuccess()
        let (source, written) = (try Tool.frames(of: film), try Tool.frames(of: output))
        #expect(written.count == source.count)
        for (first, second) in zip(source, written) {
            #expect(abs(first.time - second.time) < 0.0005)
        }
        let report = try Tool.run("inspect", output, "--json")
        let text = String(decoding: report.standardOutput, as: UTF8.self)
        #expect(text.contains("audio"))
        #expect(!FileManager.default.fileExists(atPath: output + ".part"))
    }

    @Test(arguments: ["mp4", "mkv"], [[], ["--effect", "contrast"]])
    func `text subtitles and the timecode of a range are in a rendered file`(
        ending: String, effect: [String]
    ) throws {
        let script = folder.appending("script.srt")
        try Data(
            "1\n00:00:00,500 --> 00:00:01,400\nOne\n\n2\n00:00:01,600 --> 00:00:02,000\nTwo\n".utf8
        ).write(to: script)
        let film = folder.appending("titled.mov").path
        try ProcessRunner.check([
            "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=64x48:rate=25:duration=3",
            "-i", script.path, "-c:v", "libx264", "-pix_fmt", "yuv420p", "-c:s", "mov_text",
            "-metadata:s:s:0", "language=ger", "-timecode", "10:00:00:00", film,
        ])
        let output = folder.appending("out.\(ending)").path
        try Tool.run(
            ["render", film, "--from", "1", "--codec", "h264", "-o", output] + effect
        ).expectSuccess()
        let cues = try ProcessRunner.check([
            "ffmpeg", "-v", "error", "-i", output, "-map", "0:s", "-f", "srt", "-",
        ]).text.replacing(#/<[^>]*>/#, with: "").split(separator: "\n").map(String.init)
        #expect(
            cues == [
                "1", "00:00:00,000 --> 00:00:00,400", "One", "2", "00:00:00,600 --> 00:00:01,000",
                "Two",
            ])
        let tags = try ProcessRunner.check([
            "ffprobe", "-v", "error", "-show_entries", "stream_tags=timecode,language", "-of",
            "csv=p=0", output,
        ]).text
        #expect(tags.contains("10:00:01:00"))
        #expect(tags.contains("ger") || tags.contains("deu"))
    }

    @Test
    func `lossless rendering writes the frames that play shows, the same in each run`() throws {
        let film = try Films.film(seconds: 1)
        let effect = ["--effect", "exposure", "--set", "stops=1", "--effect", "vignette"]
        var digests: [[String]] = []
        for name in ["one.mkv", "two.mkv"] {
            let output = folder.appending(name).path
            let arguments = ["render", film, "--mute", "-o", output] + effect
            let result = try ProcessRunner.run(
                [Tool.path] + arguments, environment: Tool.bare)
            result.expectSuccess()
            digests.append(try Tool.frames(of: output).map { $0.digest })
        }
        #expect(digests[0] == digests[1])
        let shown = folder.appending("shown.png")
        let stored = folder.appending("stored.png")
        let play = [
            "play", film, "--headless", "--untimed", "--screenshot", shown.path, "--size",
            "320x180",
        ]
        try ProcessRunner.run(
            [Tool.path] + play + effect, environment: Tool.bare
        ).expectSuccess()
        try Tool.run(
            "snapshot", folder.appending("one.mkv").path, "--at", "0.97", "-o", stored.path
        ).expectSuccess()
        let difference = try TestImage(contentsOf: shown).difference(
            from: TestImage(contentsOf: stored))
        #expect(try #require(difference).maximum == 0)
    }

    @Test func `--fps writes as many frames as the rate has, each the one of its time`() throws {
        let pattern = folder.appending("f-%03d.png").path
        try Tool.run(
            "render", try Films.silent(seconds: 1), "--fps", "10", "-o", pattern
        ).expectSuccess()
        for index in 0..<10 {
            let name = String(format: "f-%03d.png", index + 1)
            #expect(
                try TestImage(contentsOf: folder.appending(name)).frameNumber() == 3 * index)
        }
        #expect(!FileManager.default.fileExists(atPath: folder.appending("f-011.png").path))
    }

    @Test func `image files are numbered by the pattern`() throws {
        let film = try Films.silent(seconds: 1)
        try Tool.run("render", film, "--to", "0.01", "-o", folder.appending("f-%020d.png").path)
            .expectSuccess()
        let name = "f-" + String(repeating: "0", count: 19) + "1.png"
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == [name])
        try Tool.run("render", film, "-o", folder.appending("%d%d.png").path)
            .expectError(1, saying: ["two numbers", "frame-%04d.png"])
    }

    @Test func `rendering writes one file and no other`() throws {
        let film = try Films.silent(seconds: 1)
        let pipe = folder.appending("pipe.mkv").path
        #expect(mkfifo(pipe, 0o600) == 0)
        for output in ["-", pipe] {
            try Tool.run("render", film, "--codec", "ffv1", "-o", output, in: folder.url)
                .expectError(1, saying: [output, "name a file"])
        }
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["pipe.mkv"])
        try Tool.run("render", film, "--codec", "ffv1", "-o", "out.d/noend", in: folder.url)
            .expectError(1, saying: ["a file without an extension", ".mkv"])
    }

    @Test(arguments: ["mp4", "mkv", "webm"])
    func `a timestamp that steps back costs one frame and not the file`(ending: String) throws {
        let film = folder.appending("back.mkv").path
        try ProcessRunner.check([
            "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=64x48:r=25:d=1", "-c:v",
            "ffv1", film,
        ])
        // The header of Matroska's block of track 1 at 400 ms: it gets the time of frame 7, 280 ms.
        var bytes = try Data(contentsOf: URL(fileURLWithPath: film))
        let range = try #require(bytes.firstRange(of: [0x81, 0x01, 0x90, 0x00]))
        bytes.replaceSubrange(range, with: [0x81, 0x01, 0x18, 0x00])
        try bytes.write(to: URL(fileURLWithPath: film))
        let output = folder.appending("out.\(ending)").path
        let result = try Tool.run("render", film, "-o", output)
        result.expectSuccess()
        #expect(result.standardError.contains("1 frame skipped"), "\(result.standardError)")
        #expect(try Tool.run("frames", output).text.split(separator: "\n").count == 24)
    }

    @Test func `an output that cannot be written is reported before rendering begins`() throws {
        let film = try Films.silent(seconds: 1)
        try Tool.run("render", film, "-o", "/nonexistent/out.mp4").expectError(
            2, saying: ["/nonexistent/out.mp4"])
        try Tool.run("render", film, "-o", "out.xyz").expectError(1, saying: ["out.xyz", ".mp4"])
    }

    @Test(arguments: [
        ("prores", "mp4", ".mov"), ("ffv1", "mp4", ".mkv"), ("vp9", "mov", ".webm"),
        ("h264", "webm", ".mp4"), ("hevc", "webm", ".mp4"), ("ffv1", "webm", ".mkv"),
        ("prores", "webm", ".mov"), ("prores", "m4v", ".mov"), ("h264", "xyz", ".mp4"),
        ("prores", "flv", ".mov"),
    ])
    func `a codec that the container does not support is reported with those that do`(
        codec: String, ending: String, remedy: String
    ) throws {
        let output = folder.appending("out.\(ending)").path
        let film = try Films.silent(seconds: 1)
        try Tool.run("render", film, "--to", "0.1", "--codec", codec, "-o", output)
            .expectError(1, saying: [output, codec, ".\(ending)", remedy])
        try Tool.run("atlas", "build", film, "--codec", codec, "-o", output)
            .expectError(1, saying: [output, codec, ".\(ending)", remedy])
        #expect(!FileManager.default.fileExists(atPath: output + ".part"))
    }

    @Test func `a snapshot draws effects at its time`() throws {
        let effect = folder.appending("clock.fs")
        try Data(
            """
            /*{ "ISFVSN": "2", "INPUTS": [ { "NAME": "inputImage", "TYPE": "image" } ] }*/
            void main() { gl_FragColor = vec4(vec3(TIME / 2.0), 1.0); }
            """.utf8
        ).write(to: effect)
        let still = folder.appending("still.png")
        for (time, level) in [("0", 0), ("1", 128), ("1.5", 191)] {
            try Tool.run(
                "snapshot", try Films.silent(seconds: 2), "--at", time, "--effect", effect.path,
                "-o", still.path
            ).expectSuccess()
            let image = try TestImage(contentsOf: still)
            #expect(abs(Int(image.pixels[0]) - level) <= 1)
        }
    }

    @Test func `an image is shown for the requested duration while effects animate`() throws {
        let effect = folder.appending("clock.fs")
        try Data(
            """
            /*{ "ISFVSN": "2", "INPUTS": [ { "NAME": "inputImage", "TYPE": "image" } ] }*/
            void main() { gl_FragColor = vec4(vec3(TIME / 2.0), 1.0); }
            """.utf8
        ).write(to: effect)
        let picture = folder.appending("picture.png").path
        try Tool.run("snapshot", try Films.silent(seconds: 1), "-o", picture).expectSuccess()
        let still = folder.appending("still.png")
        try Tool.run(
            "snapshot", picture, "--at", "1", "--effect", effect.path, "-o", still.path
        ).expectSuccess()
        #expect(abs(Int(try TestImage(contentsOf: still).pixels[0]) - 128) <= 1)
        let film = folder.appending("film.mkv").path
        try Tool.run(
            "render", picture, "--to", "1", "--fps", "4", "--effect", effect.path, "-o", film
        ).expectSuccess()
        #expect(try Tool.frames(of: film).map(\.time) == [0, 0.25, 0.5, 0.75])
        try Tool.run("snapshot", film, "--at", "0.75", "-o", still.path).expectSuccess()
        #expect(abs(Int(try TestImage(contentsOf: still).pixels[0]) - 96) <= 1)
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func `an interrupted rendering leaves a playable file`(signal: Int32) throws {
        let output = folder.appending("out.mkv").path
        // More frames than are rendered before the signal comes.
        let program = try Tool.start([
            "render", try Films.film(seconds: 12), "--fps", "1000", "-o", output,
        ])
        try eventually("a file that has been started") {
            FileManager.default.fileExists(atPath: output + ".part")
        }
        program.signal(signal)
        #expect(program.wait(patience) == 2)
        #expect(program.standardError.contains("interrupted"))
        #expect(!FileManager.default.fileExists(atPath: output + ".part"))
        // Unless the interruption was too early for a frame.
        if FileManager.default.fileExists(atPath: output) {
            try Tool.run("inspect", output).expectSuccess()
        }
    }

    @Test func `an output that is an input under another name is refused`() throws {
        let film = folder.appending("film.mp4")
        try FileManager.default.copyItem(
            atPath: try Films.silent(seconds: 1), toPath: film.path)
        let link = folder.appending("link.mp4").path
        try FileManager.default.createSymbolicLink(
            atPath: link, withDestinationPath: film.path)
        let whole = try Data(contentsOf: film)
        for output in [film.path, link] {
            for command in [
                ["render", film.path, "-o", output], ["snapshot", film.path, "-o", output],
                ["atlas", "build", film.path, "-o", output],
                ["play", "--headless", "--untimed", film.path, "--screenshot", output],
                ["play", "--headless", "--untimed", folder.url.path, "--stats-json", output],
            ] {
                try ProcessRunner.run([Tool.path] + command, environment: Tool.bare)
                    .expectError(1, saying: [output, "another file"])
            }
        }
        #expect(try Data(contentsOf: film) == whole)
    }

    @Test
    func `an atlas manifest that cannot be written is reported before the work begins`() throws {
        let manifest = folder.appending("out.json").path
        try FileManager.default.createDirectory(
            atPath: manifest, withIntermediateDirectories: false)
        let output = folder.appending("out.mp4").path
        // Also before the video is opened.
        try Tool.run("atlas", "build", "/nonexistent.mp4", "-o", output)
            .expectError(2, saying: [manifest, "directory"])
    }

    @Test(arguments: [
        ("100%_odd.png", "100%_odd-00001.png"), ("%3d.png", "001.png"),
        ("a%99999999999d.png", "a%99999999999d-00001.png"), ("%d%.png", "1%.png"),
    ])
    func `a pattern has up to nine digits, and other percent signs are literal`(
        name: String, first: String
    ) throws {
        let output = folder.appending(name).path
        try Tool.run("render", try Films.silent(seconds: 1), "--to", "0.03", "-o", output)
            .expectSuccess()
        #expect(FileManager.default.fileExists(atPath: folder.appending(first).path))
    }

    @Test func `an existing file stays if rendering cannot begin`() throws {
        let output = folder.appending("out.mp4").path
        try FileManager.default.createDirectory(
            atPath: output + ".part", withIntermediateDirectories: false)
        try Tool.run("render", try Films.silent(seconds: 1), "--to", "0.1", "-o", output)
            .expectSuccess()
        #expect(try FileManager.default.contentsOfDirectory(atPath: output + ".part").isEmpty)
        let long = String(repeating: "n", count: 250) + ".mp4"
        let tooLong = folder.appending("n" + "n" + long).path
        try Tool.run("render", try Films.silent(seconds: 1), "--to", "0.1", "-o", tooLong)
            .expectError(2, saying: [tooLong, "its name is too long", "shorter"])
        // A name that leaves no room for the ending of the temporary one.
        try Tool.run(
            "render", try Films.silent(seconds: 1), "--to", "0.1", "-o", folder.appending(long).path
        ).expectSuccess()
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
                == [long, "out.mp4", "out.mp4.part"])
    }

    @Test(arguments: ["take:1.mp4", "file:x.mp4", "pipe:1.mp4", "http:x.mkv"])
    func `an output name that looks like a protocol is a file`(name: String) throws {
        let film = try Films.silent(seconds: 1)
        try Tool.run("render", film, "--to", "0.1", "-o", name, in: folder.url).expectSuccess()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == [name])
    }
}
