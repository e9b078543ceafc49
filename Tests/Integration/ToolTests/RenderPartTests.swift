// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import Testing

/// `render --from --to`: parts of videos, with exact times.
@Suite(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
struct RenderPartTests {
    private let folder = TemporaryFolder()

    @Test func `a rendered part begins at its start time`() throws {
        let output = folder.appending("part.mkv").path
        try Tool.run(
            "render", try Films.film(seconds: 2), "--from", "0.5", "--to", "1", "-o", output
        ).expectSuccess()
        let written = try Tool.frames(of: output)
        #expect(written.count == 15)
        #expect(written.first?.time == 0)
    }

    /// Returns a video with a frame every five seconds, each with its position.
    private func slowFilm() throws -> String {
        let film = folder.appending("slow.mkv").path
        try ProcessRunner.check([
            "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=r=1/5:d=15:s=64x36", "-c:v",
            "ffv1", film,
        ])
        return film
    }

    @Test(arguments: [("6", "9", 30), ("6", "12", 60), ("5", "10", 50), ("11", "14.5", 35)])
    func `a part that begins within a frame shows it and has the requested length`(
        from: String, to: String, count: Int
    ) throws {
        let film = try slowFilm()
        let output = folder.appending("part.mkv").path
        try Tool.run("render", film, "--from", from, "--to", to, "--fps", "10", "-o", output)
            .expectSuccess()
        #expect(try Tool.frames(of: output).count == count)
        let (shown, stored) = (folder.appending("shown.png"), folder.appending("stored.png"))
        try Tool.run("snapshot", film, "--at", from, "-o", shown.path).expectSuccess()
        try Tool.run("snapshot", output, "-o", stored.path).expectSuccess()
        let difference = try TestImage(contentsOf: shown).difference(
            from: TestImage(contentsOf: stored))
        #expect(try #require(difference).maximum == 0)
    }

    @Test func `rendering can be interrupted within a long frame`() throws {
        let film = try slowFilm()
        let program = try Tool.start([
            "render", film, "--fps", "1000", "-o", folder.appending("f-%05d.png").path,
        ])
        try eventually("a frame") {
            FileManager.default.fileExists(atPath: folder.appending("f-00003.png").path)
        }
        program.signal(SIGINT)
        #expect(program.wait(patience) == 2)
        #expect(program.standardError.contains("interrupted"))
        // The first frame is shown for five thousand.
        #expect(!FileManager.default.fileExists(atPath: folder.appending("f-05000.png").path))
    }

    @Test
    func `with the video's own times, a part begins at 0 and ends at the requested time`() throws {
        let output = folder.appending("part.mkv").path
        try Tool.run("render", try slowFilm(), "--from", "6", "--to", "12", "-o", output)
            .expectSuccess()
        #expect(try Tool.frames(of: output).map(\.time) == [0, 4])
        let report = try Tool.run("inspect", output, "--json")
        #expect(report.text.contains("\"duration\" : 6"))
        // The remainder of a frame may be too short for another.
        let film = try Films.silent(seconds: 2)
        for (from, first) in [("0.99", 0.01), ("0.99999", 1.0 / 30)] {
            let output = folder.appending("thirty.mkv").path
            try Tool.run("render", film, "--from", from, "--to", "1.5", "-o", output)
                .expectSuccess()
            let times = try Tool.frames(of: output).map(\.time)
            #expect(times.first == 0)
            #expect(abs(times[1] - first) < 0.0015)
        }
    }

    @Test func `a part has no more frames than its length`() throws {
        let pattern = folder.appending("f-%03d.png").path
        try Tool.run(
            "render", try Films.silent(seconds: 1), "--to", "0.05", "--fps", "400", "-o", pattern
        ).expectSuccess()
        #expect(FileManager.default.fileExists(atPath: folder.appending("f-020.png").path))
        #expect(!FileManager.default.fileExists(atPath: folder.appending("f-021.png").path))
    }
}

extension Tool {
    /// Returns the times and digests of a video's frames.
    static func frames(of file: String) throws -> [(time: Double, digest: String)] {
        try run("frames", file, "--hash").text.split(separator: "\n").map { line in
            let fields = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            return (fields?["time"] as? Double ?? -1, fields?["sha256"] as? String ?? "")
        }
    }
}
