// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import Testing

/// `render`: what was seen is what is written.
@Suite(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
struct RenderTests {
    private let folder = TemporaryFolder()

    private func lines(_ result: ProcessRunner.Result) -> [[String: Any]] {
        String(decoding: result.standardOutput, as: UTF8.self).split(separator: "\n").compactMap {
            (try? JSONSerialization.jsonObject(with: Data($0.utf8))) as? [String: Any]
        }
    }

    /// The times and digests of a film's frames.
    private func frames(_ file: String) throws -> [(time: Double, digest: String)] {
        try lines(Tool.run("frames", file, "--hash")).map {
            ($0["time"] as? Double ?? -1, $0["sha256"] as? String ?? "")
        }
    }

    @Test(
        "a rendered film has the film's frames at the film's times, and its sound's length",
        arguments: ["mp4", "mkv", "mov"])
    func times(ending: String) throws {
        let film = try Films.film(seconds: 2)
        let output = folder.appending("out.\(ending)").path
        try Tool.run("render", film, "-o", output, deadline: .seconds(120)).expectSuccess()
        let (source, written) = (try frames(film), try frames(output))
        #expect(written.count == source.count)
        for (first, second) in zip(source, written) {
            #expect(abs(first.time - second.time) < 0.0005)
        }
        let report = try Tool.run("inspect", output, "--json")
        let text = String(decoding: report.standardOutput, as: UTF8.self)
        #expect(text.contains("audio"))
        #expect(!FileManager.default.fileExists(atPath: output + ".part"))
    }

    @Test("without loss, every frame is what play shows, and twice the same")
    func frames() throws {
        let film = try Films.film(seconds: 1)
        let effect = ["--effect", "exposure", "--set", "stops=1", "--effect", "vignette"]
        var digests: [[String]] = []
        for name in ["one.mkv", "two.mkv"] {
            let output = folder.appending(name).path
            let arguments = ["render", film, "--mute", "-o", output] + effect
            let result = try ProcessRunner.run(
                [Tool.path] + arguments, environment: Tool.bare, deadline: .seconds(120))
            result.expectSuccess()
            digests.append(try frames(output).map { $0.digest })
        }
        #expect(digests[0] == digests[1])
        let shown = folder.appending("shown.png")
        let stored = folder.appending("stored.png")
        let play = [
            "play", film, "--headless", "--untimed", "--screenshot", shown.path, "--size",
            "320x180",
        ]
        try ProcessRunner.run(
            [Tool.path] + play + effect, environment: Tool.bare, deadline: .seconds(60)
        ).expectSuccess()
        try Tool.run(
            "snapshot", folder.appending("one.mkv").path, "--at", "0.97", "-o", stored.path
        ).expectSuccess()
        let difference = try TestImage(contentsOf: shown).difference(
            from: TestImage(contentsOf: stored))
        #expect(try #require(difference).maximum == 0)
    }

    @Test("a rate of its own gives as many frames as that rate has, each the one of its moment")
    func rate() throws {
        let pattern = folder.appending("f-%03d.png").path
        try Tool.run(
            "render", try Films.silent(seconds: 1), "--fps", "10", "-o", pattern,
            deadline: .seconds(60)
        ).expectSuccess()
        for index in 0..<10 {
            let name = String(format: "f-%03d.png", index + 1)
            #expect(
                try TestImage(contentsOf: folder.appending(name)).frameNumber() == 3 * index)
        }
        #expect(!FileManager.default.fileExists(atPath: folder.appending("f-011.png").path))
    }

    @Test("a part begins at its beginning")
    func part() throws {
        let output = folder.appending("part.mkv").path
        try Tool.run(
            "render", try Films.film(seconds: 2), "--from", "0.5", "--to", "1", "-o", output,
            deadline: .seconds(60)
        ).expectSuccess()
        let written = try frames(output)
        #expect(written.count == 15)
        #expect(written.first?.time == 0)
    }

    /// A picture every five seconds, and where each of them is in it.
    private func slowFilm() throws -> String {
        let film = folder.appending("slow.mkv").path
        try ProcessRunner.check([
            "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=r=1/5:d=15:s=64x36", "-c:v",
            "ffv1", film,
        ])
        return film
    }

    @Test(
        "a part within a picture begins with it, and is as long as it was asked for",
        arguments: [("6", "9", 30), ("6", "12", 60), ("5", "10", 50), ("11", "14.5", 35)])
    func partOfPicture(from: String, to: String, count: Int) throws {
        let film = try slowFilm()
        let output = folder.appending("part.mkv").path
        try Tool.run("render", film, "--from", from, "--to", to, "--fps", "10", "-o", output)
            .expectSuccess()
        #expect(try frames(output).count == count)
        let (shown, stored) = (folder.appending("shown.png"), folder.appending("stored.png"))
        try Tool.run("snapshot", film, "--at", from, "-o", shown.path).expectSuccess()
        try Tool.run("snapshot", output, "-o", stored.path).expectSuccess()
        let difference = try TestImage(contentsOf: shown).difference(
            from: TestImage(contentsOf: stored))
        #expect(try #require(difference).maximum == 0)
    }

    @Test("at the film's own times a part begins at 0 and ends when it was asked to")
    func ownTimes() throws {
        let output = folder.appending("part.mkv").path
        try Tool.run("render", try slowFilm(), "--from", "6", "--to", "12", "-o", output)
            .expectSuccess()
        #expect(try frames(output).map(\.time) == [0, 4])
        let report = try Tool.run("inspect", output, "--json")
        #expect(report.text.contains("\"duration\" : 6"))
        // What is left of a picture may be too little for another.
        let film = try Films.silent(seconds: 2)
        for (from, first) in [("0.99", 0.01), ("0.99999", 1.0 / 30)] {
            let output = folder.appending("thirty.mkv").path
            try Tool.run("render", film, "--from", from, "--to", "1.5", "-o", output)
                .expectSuccess()
            let times = try frames(output).map(\.time)
            #expect(times.first == 0)
            #expect(abs(times[1] - first) < 0.0015)
        }
    }

    @Test("no more pictures are written than the part is long")
    func length() throws {
        let pattern = folder.appending("f-%03d.png").path
        try Tool.run(
            "render", try Films.silent(seconds: 1), "--to", "0.05", "--fps", "400", "-o", pattern
        ).expectSuccess()
        #expect(FileManager.default.fileExists(atPath: folder.appending("f-020.png").path))
        #expect(!FileManager.default.fileExists(atPath: folder.appending("f-021.png").path))
    }

    @Test("pictures are numbered as the pattern says")
    func numbering() throws {
        let film = try Films.silent(seconds: 1)
        try Tool.run("render", film, "--to", "0.01", "-o", folder.appending("f-%020d.png").path)
            .expectSuccess()
        let name = "f-" + String(repeating: "0", count: 19) + "1.png"
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == [name])
        try Tool.run("render", film, "-o", folder.appending("%d%d.png").path)
            .expectError(1, saying: ["two places", "frame-%04d.png"])
    }

    @Test("a film is written into a file, and nothing else")
    func places() throws {
        let film = try Films.silent(seconds: 1)
        let pipe = folder.appending("pipe.mkv").path
        #expect(mkfifo(pipe, 0o600) == 0)
        for output in ["-", pipe] {
            try Tool.run("render", film, "--codec", "ffv1", "-o", output, in: folder.url)
                .expectError(1, saying: [output, "written into a file"])
        }
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["pipe.mkv"])
        try Tool.run("render", film, "--codec", "ffv1", "-o", "out.d/noend", in: folder.url)
            .expectError(1, saying: ["a file without an ending", ".mkv"])
    }

    @Test("what cannot be written is told before anything is")
    func unwritable() throws {
        let film = try Films.silent(seconds: 1)
        try Tool.run("render", film, "-o", "/nonexistent/out.mp4").expectError(
            2, saying: ["/nonexistent/out.mp4"])
        try Tool.run("render", film, "-o", "out.xyz").expectError(1, saying: ["out.xyz", ".mp4"])
    }

    @Test(
        "a codec that does not go into a container is told, with those that it goes into",
        arguments: [
            ("prores", "mp4", ".mov"), ("ffv1", "mp4", ".mkv"), ("vp9", "mov", ".webm"),
            ("h264", "webm", ".mp4"), ("hevc", "webm", ".mp4"), ("ffv1", "webm", ".mkv"),
            ("prores", "webm", ".mov"), ("prores", "m4v", ".mov"), ("h264", "xyz", ".mp4"),
            ("vp9", "flv", ".webm"),
        ])
    func container(codec: String, ending: String, remedy: String) throws {
        let output = folder.appending("out.\(ending)").path
        let film = try Films.silent(seconds: 1)
        try Tool.run("render", film, "--to", "0.1", "--codec", codec, "-o", output)
            .expectError(1, saying: [output, codec, ".\(ending)", remedy])
        try Tool.run("atlas", "build", film, "--codec", codec, "-o", output)
            .expectError(1, saying: [output, codec, ".\(ending)", remedy])
        #expect(!FileManager.default.fileExists(atPath: output + ".part"))
    }

    @Test("a snapshot draws effects as they are at its time")
    func effectTime() throws {
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

    @Test(
        "interrupted, a film ends where it is, and plays", arguments: [SIGINT, SIGTERM, SIGHUP])
    func interruption(signal: Int32) throws {
        let output = folder.appending("out.mkv").path
        let program = try Tool.start([
            "render", try Films.film(seconds: 2), "--fps", "1000", "-o", output,
        ])
        try eventually("a film that has begun") {
            FileManager.default.fileExists(atPath: output + ".part")
        }
        program.signal(signal)
        #expect(program.wait(patience) == 2)
        #expect(program.standardError.contains("interrupted"))
        #expect(!FileManager.default.fileExists(atPath: output + ".part"))
        // Unless it was so early that there is no picture.
        if FileManager.default.fileExists(atPath: output) {
            try Tool.run("inspect", output).expectSuccess()
        }
    }

    @Test(
        "sound of a rate that AAC does not have gets the nearest",
        arguments: [(192_000, 96_000), (5_000, 7_350), (44_100, 44_100)])
    func soundRate(of rate: Int, written: Int) throws {
        let film = folder.appending("film.mkv").path
        try ProcessRunner.check([
            "ffmpeg", "-v", "error", "-i", try Films.silent(seconds: 1), "-f", "lavfi", "-i",
            "sine=d=1:r=\(rate)", "-c:v", "copy", "-c:a", "pcm_s16le", film,
        ])
        let output = folder.appending("out.mp4").path
        try Tool.run("render", film, "--to", "0.5", "-o", output).expectSuccess()
        let report = try Tool.run("inspect", output, "--json")
        #expect(report.text.contains("\"sample_rate\" : \(written)"))
    }

    /// When the last packet of a file's sound begins, in seconds.
    private func soundEnd(_ file: String) throws -> Double {
        let packets = try ProcessRunner.run([
            "ffprobe", "-v", "error", "-select_streams", "a:0", "-show_entries",
            "packet=pts_time", "-of", "csv=p=0", file,
        ])
        return packets.text.split(whereSeparator: { $0.isNewline || $0 == "," }).compactMap {
            Double($0)
        }.max() ?? 0
    }

    @Test("where there is no sound for a while, silence is written")
    func gap() throws {
        let film = folder.appending("gap.mkv").path
        try ProcessRunner.check([
            "ffmpeg", "-v", "error", "-i", try Films.silent(seconds: 3), "-f", "lavfi", "-i",
            "sine=d=3:r=48000,aselect='not(between(t,1,2))'", "-c:v", "copy", "-c:a",
            "pcm_s16le", film,
        ])
        #expect(abs(try soundEnd(film) - 3) < 0.1)
        let output = folder.appending("out.mp4").path
        try Tool.run("render", film, "-o", output).expectSuccess()
        #expect(abs(try soundEnd(output) - 3) < 0.1)
    }

    @Test("of several tracks of sound the one that is played is written, to its own end")
    func preferredSound() throws {
        let film = folder.appending("two.mp4").path
        try ProcessRunner.check([
            "ffmpeg", "-v", "error", "-i", try Films.silent(seconds: 3), "-f", "lavfi", "-i",
            "sine=d=1:r=48000", "-f", "lavfi", "-i", "sine=d=3:r=48000", "-map", "0:v", "-map",
            "1:a", "-map", "2:a", "-disposition:a:0", "0", "-disposition:a:1", "default", "-c:v",
            "copy", "-c:a", "aac", film,
        ])
        let output = folder.appending("out.mp4").path
        try Tool.run("render", film, "-o", output).expectSuccess()
        #expect(abs(try soundEnd(output) - 3) < 0.1)
    }

    /// How loud a channel of a film's sound is, in dB.
    private func level(_ channel: String, of file: String) throws -> Double {
        let result = try ProcessRunner.run([
            "ffmpeg", "-hide_banner", "-nostats", "-i", file, "-af",
            "pan=mono|c0=\(channel),volumedetect", "-f", "null", "-",
        ])
        let words = result.standardError.components(separatedBy: "mean_volume: ").last ?? ""
        return Double(words.split(separator: " ").first ?? "") ?? -100
    }

    @Test(
        "sound of six channels stays that, of others that are many a word is said",
        arguments: [
            ("5.1", "mkv"), ("5.1(side)", "mkv"), ("5.1(side)", "mp4"), ("5.1", "webm"),
            ("quad", "mkv"),
        ])
    func surround(layout: String, ending: String) throws {
        let film = folder.appending("film.mka.mkv").path
        let back = layout == "5.1(side)" ? "SL" : "BL"
        try ProcessRunner.check([
            "ffmpeg", "-v", "error", "-i", try Films.silent(seconds: 1), "-f", "lavfi", "-i",
            "sine=d=1:r=48000,pan=\(layout)|\(back)=c0", "-c:v", "copy", "-c:a", "flac", film,
        ])
        let output = folder.appending("out.\(ending)").path
        let result = try Tool.run("render", film, "-o", output, deadline: .seconds(120))
        result.expectSuccess()
        let report = try Tool.run("inspect", output, "--json").text
        guard layout != "quad" else {
            #expect(result.standardError.contains("sound of 4 channels is mixed into two"))
            #expect(report.contains("\"channels\" : 2"))
            return
        }
        #expect(report.contains("\"channels\" : 6"))
        #expect(try level("BL", of: output) > -30)
        #expect(try level("FC", of: output) < -50)
    }

    @Test("another track of sound is written where one is asked for")
    func audioTrack() throws {
        let film = folder.appending("two.mkv").path
        try ProcessRunner.check([
            "ffmpeg", "-v", "error", "-i", try Films.silent(seconds: 1), "-f", "lavfi", "-i",
            "sine=d=1:r=48000", "-f", "lavfi", "-i", "sine=d=1:r=32000", "-map", "0:v", "-map",
            "1:a", "-map", "2:a", "-c:v", "copy", "-c:a", "pcm_s16le", film,
        ])
        for (track, rate) in [("0", 48000), ("1", 32000)] {
            let output = folder.appending("out.mkv").path
            try Tool.run("render", film, "--audio-track", track, "-o", output).expectSuccess()
            let report = try Tool.run("inspect", output, "--json").text
            #expect(report.contains("\"sample_rate\" : \(rate)"))
        }
        try Tool.run("render", film, "--audio-track", "2", "-o", folder.appending("x.mkv").path)
            .expectError(1, saying: ["no --audio-track 2, it has 2"])
    }

    @Test("what is read is not written over, under whatever name")
    func inputs() throws {
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

    @Test("an atlas says before the work that its manifest cannot be written")
    func manifest() throws {
        let manifest = folder.appending("out.json").path
        try FileManager.default.createDirectory(
            atPath: manifest, withIntermediateDirectories: false)
        let output = folder.appending("out.mp4").path
        // Before the film is opened, too.
        try Tool.run("atlas", "build", "/nonexistent.mp4", "-o", output)
            .expectError(2, saying: [manifest, "directory"])
    }

    @Test(
        "a number in a picture's name has up to nine digits; other percent signs are themselves",
        arguments: [
            ("100%_odd.png", "100%_odd-00001.png"), ("%3d.png", "001.png"),
            ("a%99999999999d.png", "a%99999999999d-00001.png"), ("%d%.png", "1%.png"),
        ])
    func pattern(name: String, first: String) throws {
        let output = folder.appending(name).path
        try Tool.run("render", try Films.silent(seconds: 1), "--to", "0.03", "-o", output)
            .expectSuccess()
        #expect(FileManager.default.fileExists(atPath: folder.appending(first).path))
    }

    @Test("what is in a film's way stays, and one that cannot be begun is told")
    func begun() throws {
        let output = folder.appending("out.mp4").path
        try FileManager.default.createDirectory(
            atPath: output + ".part", withIntermediateDirectories: false)
        try Tool.run("render", try Films.silent(seconds: 1), "--to", "0.1", "-o", output)
            .expectSuccess()
        #expect(try FileManager.default.contentsOfDirectory(atPath: output + ".part").isEmpty)
        let long = folder.appending(String(repeating: "n", count: 250) + ".mp4").path
        try Tool.run("render", try Films.silent(seconds: 1), "--to", "0.1", "-o", long)
            .expectError(2, saying: [long, "cannot be written"])
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
                == ["out.mp4", "out.mp4.part"])
    }

    @Test(
        "a name is a file's, whatever protocol it looks like",
        arguments: ["take:1.mp4", "file:x.mp4", "pipe:1.mp4", "http:x.mkv"])
    func protocols(name: String) throws {
        let film = try Films.silent(seconds: 1)
        try Tool.run("render", film, "--to", "0.1", "-o", name, in: folder.url).expectSuccess()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == [name])
    }
}
