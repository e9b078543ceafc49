// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import Testing

/// Sound from a server of the tests' own.
@Suite(
    .serialized, .enabled(if: SoundServer.isAvailable, SoundServer.absence),
    .enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
struct SoundTests {
    private let folder = TemporaryFolder()

    @Test func `a sound server that dies does not stop the film`() throws {
        let server = try SoundServer()
        let stats = folder.appending("stats.json")
        let program = try Tool.start(
            [
                "play", try Films.film(seconds: 12), "--headless", "--duration", "4",
                "--stats-json", stats.path,
            ], environment: ["PULSE_SERVER": server.address])
        // Its death is to come in the midst of play.
        #expect(program.wait(.seconds(2)) == nil)
        server.kill()
        #expect(program.wait(patience) == 0, "\(program.standardError)")
        let data = try Data(contentsOf: stats)
        let report = try #require(
            try JSONSerialization.jsonObject(with: data) as? [String: Any])
        print("sound server killed:", program.standardError)
        // None, while nothing else keeps the processors busy; other tests do.
        let dropped = try #require(report["dropped"] as? Int)
        #expect(dropped <= 12)
        let presented = try #require(report["presented"] as? Int)
        #expect((105...125).contains(presented))
    }
}
