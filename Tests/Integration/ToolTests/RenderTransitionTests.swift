// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import Testing

/// `render --transition`.
@Suite(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
struct RenderTransitionTests {
    private let folder = TemporaryFolder()

    /// Renders the frames of inputs, and returns the images.
    private func images(_ name: String, _ arguments: [String]) throws -> [TestImage] {
        try Tool.run(
            ["render"] + arguments + ["-o", folder.appending("\(name)-%03d.png").path]
        ).expectSuccess()
        return try (1...).lazy
            .map { folder.appending("\(name)-\(String(format: "%03d", $0)).png") }
            .prefix { FileManager.default.fileExists(atPath: $0.path) }
            .map { try TestImage(contentsOf: $0) }
    }

    private func difference(_ left: TestImage, _ right: TestImage) -> Int {
        left.difference(from: right)?.maximum ?? 255
    }

    @Test func `both files run during a transition between them`() throws {
        let (first, second) = (try Films.silent(seconds: 1), try Films.silent(seconds: 2))
        let one = try images("one", [first])
        let two = try images("two", [second])
        let both = try images("both", [first, second, "--transition", "dissolve:0.4"])
        // 30 and 60 frames, which overlap by 12.
        #expect(both.count == 78)
        for index in 0..<18 { #expect(difference(both[index], one[index]) == 0) }
        for index in 30..<78 { #expect(difference(both[index], two[index - 18]) == 0) }
        for step in 0..<12 {
            let (shown, from, to) = (both[18 + step], one[18 + step], two[step])
            let progress = Double(step) / 11
            let worst = shown.pixels.indices.map { place in
                let expected =
                    Double(from.pixels[place]) * (1 - progress)
                    + Double(to.pixels[place]) * progress
                return abs(Double(shown.pixels[place]) - expected)
            }.max()
            #expect(try #require(worst) <= 2, "frame \(step) of the overlap")
        }
    }

    @Test func `a rendered movie with a transition has the audio of both files`() throws {
        let film = try Films.film(seconds: 2)
        let output = folder.appending("whole.mp4").path
        try Tool.run(
            "render", film, film, "--transition", "wipe-left", "--transition-duration", "0.5",
            "-o", output
        ).expectSuccess()
        #expect(try Tool.frames(of: output).count == 105)
        let probe = try ProcessRunner.check([
            "ffprobe", "-v", "error", "-show_entries", "stream=codec_type,duration", "-of",
            "csv=p=0", output,
        ]).text
        let lines = probe.split(separator: "\n").map { $0.split(separator: ",").map(String.init) }
        #expect(lines.map(\.[0]).sorted() == ["audio", "video"])
        for line in lines { #expect(abs(try #require(Double(line[1])) - 3.5) < 0.05) }
    }

    @Test func `a transition that cannot be shown is refused before anything is written`() throws {
        let film = try Films.silent(seconds: 1)
        let output = folder.appending("out.mkv").path
        for (arguments, text) in [
            ([film], "--transition: expected several inputs, found one"),
            ([film, film, film, "--transition-duration", "0.5"], "two transitions of 0.5 s"),
            ([film, film, "--transition-duration", "2"], "a transition of 2.0 s"),
            ([film, try Films.sound(seconds: 2)], "--transition needs a video track"),
        ] {
            let result = try Tool.run(
                ["render"] + arguments + ["--transition", "dissolve", "-o", output])
            #expect(result.status != 0)
            #expect(result.standardError.contains(text), "\(result.standardError)")
        }
        let missing = try Tool.run("render", film, film, "--transition", "none.glsl", "-o", output)
        #expect(missing.standardError.contains("none.glsl"))
        #expect(!FileManager.default.fileExists(atPath: output))
    }

    @Test func `a transition of a timeline is rendered`() throws {
        // A timeline reads media beside it.
        let film = folder.appending("film.mp4").path
        try FileManager.default.copyItem(atPath: try Films.silent(seconds: 2), toPath: film)
        func time(_ frame: Int) -> String {
            #"{"OTIO_SCHEMA":"RationalTime.1","value":\#(frame),"rate":30}"#
        }
        func clip(_ start: Int) -> String {
            #"""
            {"OTIO_SCHEMA":"Clip.1","name":"clip","source_range":{"OTIO_SCHEMA":"TimeRange.1",
            "start_time":\#(time(start)),"duration":\#(time(20))},"media_reference":
            {"OTIO_SCHEMA":"ExternalReference.1","target_url":"film.mp4"}}
            """#
        }
        let text = #"""
            {"OTIO_SCHEMA":"Timeline.1","name":"t","tracks":{"OTIO_SCHEMA":"Stack.1","children":[
            {"OTIO_SCHEMA":"Track.1","kind":"Video","children":[\#(clip(5)),
            {"OTIO_SCHEMA":"Transition.1","name":"mix","transition_type":"SMPTE_Dissolve",
            "in_offset":\#(time(4)),"out_offset":\#(time(6))},\#(clip(30))]}]}}
            """#
        let file = folder.appending("cut.otio")
        try Data(text.utf8).write(to: file)
        let source = try images("source", [film])
        let shown = try images("shown", [file.path])
        #expect(shown.count == 40)
        for index in 0..<16 { #expect(difference(shown[index], source[5 + index]) == 0) }
        for index in 26..<40 { #expect(difference(shown[index], source[10 + index]) == 0) }
        // The first and the last frame of the transition are those of one clip.
        #expect(difference(shown[16], source[21]) <= 1)
        #expect(difference(shown[25], source[35]) <= 1)
        #expect(difference(shown[20], source[25]) > 8)
        #expect(difference(shown[20], source[30]) > 8)
    }
}
