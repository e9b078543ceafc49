// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import MediaTestSupport
import Testing

/// Subtitles in the frames of the program.
@Suite(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
struct SubtitleTests {
    private let folder = TemporaryFolder()

    private static let text = """
        1
        00:00:00,500 --> 00:00:01,500
        Words at the bottom


        """

    private func subtitles(_ name: String = "words.srt") throws -> String {
        let url = folder.appending(name)
        try Data(Self.text.utf8).write(to: url)
        return url.path
    }

    private func snapshot(_ film: String, at time: String, _ more: String...) throws -> TestImage {
        let output = folder.appending("still.png")
        try ProcessRunner.check(
            [Tool.path, "snapshot", film, "--at", time, "-o", output.path] + more,
            environment: Tool.bare)
        return try TestImage(contentsOf: output)
    }

    @Test func `a snapshot has the subtitles of its time only on request`() throws {
        let film = try Films.silent(seconds: 2)
        let file = try subtitles()
        let plain = try snapshot(film, at: "1")
        #expect(try snapshot(film, at: "1") == plain)
        let titled = try snapshot(film, at: "1", "--sub", file)
        let changed = titled.rows(otherThanIn: plain)
        // They are in the lower third, and nowhere else.
        #expect(changed.count > 5)
        #expect(changed.allSatisfy { $0 > Films.height * 2 / 3 })
        let later = try snapshot(film, at: "1.75")
        #expect(try snapshot(film, at: "1.75", "--sub", file) == later)
        #expect(try snapshot(film, at: "1.75", "--sub", file, "--sub-delay", "0.5") != later)
    }

    @Test func `play shows subtitle files beside a video exactly as render writes them`() throws {
        let film = folder.appending("film.mp4")
        try FileManager.default.copyItem(
            atPath: try Films.silent(seconds: 2), toPath: film.path)
        let file = try subtitles("film.srt")
        let shown = folder.appending("shown.png")
        let size = "\(Films.width)x\(Films.height)"
        // The frame that begins at 1 s is the thirty-first.
        let arguments = [
            "play", film.path, "--headless", "--untimed", "--frames", "31", "--size", size,
            "--screenshot", shown.path,
        ]
        try ProcessRunner.check([Tool.path] + arguments, environment: Tool.bare)
        let still = try snapshot(film.path, at: "1", "--sub", file)
        let difference = try TestImage(contentsOf: shown).rows(otherThanIn: still, by: 2)
        #expect(difference.isEmpty)
        try ProcessRunner.check(
            [Tool.path] + arguments + ["--subtitle-track=-1"], environment: Tool.bare)
        let plain = try snapshot(film.path, at: "1")
        #expect(try TestImage(contentsOf: shown).rows(otherThanIn: plain, by: 2).isEmpty)
    }

    /// `en` is the language of a user of `en_US`; without a preference, the file named like the
    /// video is selected.
    @Test(arguments: [
        ("en_US.UTF-8", "film.en.srt"), ("de_DE.UTF-8", "film.de.srt"), ("C", "film.srt"),
    ])
    func `the subtitle file in the user's language is loaded`(
        locale: String, expected: String
    ) throws {
        let film = folder.appending("film.mp4")
        try FileManager.default.copyItem(
            atPath: try Films.silent(seconds: 1), toPath: film.path)
        for (name, words) in [
            ("film.de.srt", "Guten Abend"), ("film.en.srt", "W"), ("film.srt", "..."),
        ] {
            try Data("1\n00:00:00,000 --> 00:00:09,000\n\(words)\n".utf8)
                .write(to: folder.appending(name))
        }
        let shown = folder.appending("shown.png")
        try ProcessRunner.check(
            [
                Tool.path, "play", film.path, "--headless", "--untimed", "--frames", "20",
                "--size", "\(Films.width)x\(Films.height)", "--screenshot", shown.path,
            ], environment: Tool.bare.merging(["LC_ALL": locale, "LANGUAGE": nil]) { $1 })
        let still = try snapshot(
            film.path, at: "0.65", "--sub", folder.appending(expected).path)
        #expect(try TestImage(contentsOf: shown).rows(otherThanIn: still, by: 2).isEmpty)
    }

    @Test func `a missing subtitle track or file is reported`() throws {
        let film = try Films.silent(seconds: 2)
        let missing = try Tool.run(
            "play", film, "--headless", "--frames", "2", "--subtitle-track", "3")
        #expect(missing.status == 0)
        #expect(missing.standardError.contains("no subtitle track 3; there are 0"))
        try Tool.run(
            "snapshot", film, "--sub", "/nonexistent.srt", "-o", folder.appending("a.png").path
        ).expectError(2, saying: ["/nonexistent.srt", "there is no such file"])
        try Tool.run(
            "snapshot", film, "--sub", try subtitles(), "--subtitle-track", "1", "-o",
            folder.appending("a.png").path
        ).expectError(1, saying: ["no subtitle track 1; there are 1"])
        try Tool.run("snapshot", film, "--sub-scale", "99", "-o", "a.png")
            .expectError(1, saying: ["--sub-scale"])
    }

    @Test(arguments: [["--headless", "--untimed"], ["--headless", "--mute"]])
    func `unreadable subtitles are reported and the video plays without them`(
        way: [String]
    ) throws {
        let film = try Films.silent(seconds: 1)
        let (empty, good) = (folder.appending("empty.srt"), try subtitles())
        try Data().write(to: empty)
        for (options, name, cause) in [
            (["--sub", "/nonexistent.srt"], "/nonexistent.srt", "there is no such file"),
            (["--sub", good, "--sub", "/nonexistent.srt"], "/nonexistent.srt", "no such file"),
            (["--sub", folder.url.path], folder.url.path, "it is a directory"),
            (["--sub", empty.path], empty.path, "the file is empty"),
            (["--sub", good, "--sub-encoding", "bogus"], good, "cannot be read as bogus"),
        ] {
            let result = try ProcessRunner.run(
                [Tool.path, "play", film, "--frames", "3"] + way + options,
                environment: Tool.bare)
            #expect(result.status == 2)
            #expect(result.errorLines.count { $0.contains("\(name): ") } == 1)
            #expect(result.standardError.contains(cause))
            #expect(result.errorLines.last?.contains("frames shown") == true)
        }
    }

    private static let timed = """
        <tt xmlns:tts="http://www.w3.org/ns/ttml#styling"><head><layout>
          <region xml:id="r" tts:origin="0% 0%" tts:extent="100% 30%" tts:textAlign="center"/>
        </layout></head><body><p region="r" begin="0s" end="9s">Words at the top</p></body></tt>
        """

    @Test func `TTML is shown in its region`() throws {
        let film = try Films.silent(seconds: 2)
        let file = folder.appending("words.ttml")
        try Data(Self.timed.utf8).write(to: file)
        let plain = try snapshot(film, at: "1")
        let changed = try snapshot(film, at: "1", "--sub", file.path).rows(otherThanIn: plain)
        #expect(changed.count > 5 && changed.allSatisfy { $0 < Films.height / 3 })
    }

    @Test func `the subtitles of an HLS stream are listed and shown`() throws {
        let film = folder.appending("film.m3u8").path
        try ProcessRunner.check(
            [
                "ffmpeg", "-v", "error", "-nostdin", "-y", "-i", try Films.silent(seconds: 2),
                "-c", "copy", "-f", "hls", "-hls_list_size", "0", film,
            ])
        for (name, text) in [
            (
                "main.m3u8",
                "#EXTM3U\n#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID=\"s\",NAME=\"Esperanto\","
                    + "LANGUAGE=\"eo\",URI=\"eo.m3u8\"\n"
                    + "#EXT-X-STREAM-INF:BANDWIDTH=1000,SUBTITLES=\"s\"\nfilm.m3u8\n"
            ),
            (
                "eo.m3u8",
                "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\neo.vtt\n#EXT-X-ENDLIST\n"
            ),
            ("eo.vtt", "WEBVTT\n\n00:00.000 --> 00:09.000 line:0\nWords at the top\n"),
        ] {
            try Data(text.utf8).write(to: folder.appending(name))
        }
        let main = folder.appending("main.m3u8").path
        let listed = String(
            decoding: try Tool.run("inspect", main).standardOutput, as: UTF8.self)
        #expect(listed.contains("Esperanto") && listed.contains("WebVTT"), "\(listed)")
        let plain = try snapshot(main, at: "1")
        let changed = try snapshot(main, at: "1", "--subtitle-track", "0").rows(otherThanIn: plain)
        #expect(changed.count > 5 && changed.allSatisfy { $0 < Films.height / 3 })
    }

    @Test func `subtitles that are opened as a video are refused`() throws {
        let timed = folder.appending("words.ttml")
        try Data(Self.timed.utf8).write(to: timed)
        let text = folder.appending("words.vtt")
        try Data("WEBVTT\n\n00:01.000 --> 00:02.000\nWords\n".utf8).write(to: text)
        for file in [try subtitles(), text.path, timed.path] {
            try Tool.run("snapshot", file, "-o", folder.appending("a.png").path).expectError(
                2,
                saying: [file, "it has subtitles, but neither video nor audio", "open the video"])
        }
    }

    @Test func `unreadable subtitles beside a video are reported`() throws {
        let film = folder.appending("film.mp4")
        try FileManager.default.copyItem(
            atPath: try Films.silent(seconds: 1), toPath: film.path)
        try Data().write(to: folder.appending("film.srt"))
        let result = try Tool.run("play", film.path, "--headless", "--untimed")
        #expect(result.status == 2)
        #expect(result.standardError.contains("film.srt: the file is empty"))
    }
}

extension TestImage {
    /// Returns the rows that differ from another image of the same size by more than a distance.
    fileprivate func rows(otherThanIn other: TestImage, by distance: Int = 0) -> [Int] {
        (0..<height).filter { row in
            let range = row * width * 4..<(row + 1) * width * 4
            return zip(pixels[range], other.pixels[range]).contains {
                abs(Int($0) - Int($1)) > distance
            }
        }
    }
}
