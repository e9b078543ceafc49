// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import Testing

/// `--start` from the beginning, from the end and as a percentage.
@Suite(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
struct StartTests {
    private let folder = TemporaryFolder()

    /// Tests a video of 2 s at 30 frames per second.
    @Test(arguments: [
        ("-0.5", 15), ("-0:01", 30), ("-10", 60), ("50%", 30), ("0%", 60), ("75%", 15),
        ("1.5", 15),
    ])
    func `playback starts at a time, relative to the end or at a percentage`(
        start: String, count: Int
    ) throws {
        let result = try Tool.run(
            "play", try Films.silent(seconds: 2), "--headless", "--untimed", "--start=\(start)")
        result.expectSuccess()
        #expect(
            result.errorLines.last?.contains("\(count) frames shown") == true,
            "\(result.standardError)")
    }

    @Test func `each file starts by its own duration, and --duration counts from there`() throws {
        let (short, long) = (try Films.silent(seconds: 1), try Films.silent(seconds: 3))
        let run = { (more: [String]) in
            try Tool.run(["play", short, long, "--headless", "--untimed", "--start", "50%"] + more)
        }
        #expect(try run([]).errorLines.last?.contains("60 frames shown") == true)
        #expect(
            try run(["--duration", "0.2"]).errorLines.last?.contains("12 frames shown") == true)
    }

    @Test func `the distance from the present is a number or the name of a policy`() throws {
        let film = try Films.silent(seconds: 1)
        for value in ["newest", "smooth", "0", "1.5"] {
            try Tool.run("play", film, "--headless", "--untimed", "--live-offset", value)
                .expectSuccess()
        }
        for value in ["soon", "86401", "nan"] {
            try Tool.run("play", film, "--headless", "--untimed", "--live-offset", value)
                .expectError(
                    1, saying: ["--live-offset \(value): expected 0 to 86400 s, newest or smooth"])
        }
    }

    @Test func `timed playback starts at the same time`() throws {
        let result = try Tool.run(
            "play", try Films.silent(seconds: 60), "--headless", "--start=-0.3", "--mute")
        result.expectSuccess()
    }

    @Test func `a pipe has no duration`() throws {
        let film = try Films.broadcast(seconds: 1)
        let result = try ProcessRunner.run(
            [
                "sh", "-c", "cat '\(film)' | \"$0\" play - --headless --untimed --start 50%",
                Tool.path,
            ],
            environment: Tool.bare, deadline: patience)
        result.expectError(2, saying: ["end, which is unknown", "from the start"])
    }
}
