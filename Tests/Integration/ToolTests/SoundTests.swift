// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import Testing

/// Audio output to a server of the tests' own.
@Suite(
    .serialized, .enabled(if: SoundServer.isAvailable, SoundServer.absence),
    .enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
struct SoundTests {
    private let folder = TemporaryFolder()

    @Test func `a missing device is reported with the command that lists devices`() throws {
        let server = try SoundServer()
        let result = try Tool.run(
            "play", try Films.film(seconds: 2), "--headless", "--frames", "2", "--audio-device",
            "nowhere", environment: ["PULSE_SERVER": server.address])
        result.expectSuccess()
        #expect(result.standardError.contains("nowhere"))
        #expect(
            result.standardError.contains("'playhead devices' lists the devices; playing"))
        #expect(!result.standardError.contains("PulseAudioDevice"))
    }

    @Test func `playback continues when the audio server dies`() throws {
        let stats = folder.appending("stats.json")
        try undisturbed {
            let server = try SoundServer()
            let program = try Tool.start(
                [
                    "play", try Films.film(seconds: 12), "--headless", "--duration", "4",
                    "--stats-json", stats.path,
                ], environment: ["PULSE_SERVER": server.address])
            // Its death must come during playback.
            try eventually("its audio") { threads(of: program).contains("ph-audio") }
            #expect(program.wait(.seconds(1)) == nil)
            server.kill()
            #expect(program.wait(patience) == 0, "\(program.standardError)")
            let data = try Data(contentsOf: stats)
            let report = try #require(
                try JSONSerialization.jsonObject(with: data) as? [String: Any])
            // The timeline continues, and each of its frames is due at its time; the number that a
            // busy machine is too late for does not depend on the server.
            let (presented, dropped) = (report["presented"] as? Int, report["dropped"] as? Int)
            let due = try #require(presented) + #require(dropped)
            return (105...180).contains(due)
                ? nil : "\(presented ?? 0) presented, \(dropped ?? 0) dropped"
        }
    }

    /// Returns the names of a program's threads.
    private func threads(of program: ChildProcess) -> [String] {
        let folder = "/proc/\(program.identifier)/task"
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return threads.compactMap {
            (try? String(contentsOfFile: "\(folder)/\($0)/comm", encoding: .utf8))?
                .trimmingCharacters(in: .newlines)
        }
    }
}
