// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import Testing

/// Streams by RTSP in the tool.
@Suite(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
struct StreamToolTests {
    private let folder = TemporaryFolder()

    @Test func `a stream is described and played, and its password is in no text`() throws {
        let video = try RTPVideo(framesPerSecond: 25, seconds: 60, keyframeInterval: 10)
        let server = try RTSPServer(description: RTPVideo.description)
        defer { server.stop() }
        let url = server.url(user: "user:secret@")
        /// Runs the program while the camera sends from its beginning, since the video would end
        /// before a slow machine has run all of them.
        func run(_ arguments: String...) throws -> ProcessRunner.Result {
            let feed = RTSPFeed(video, to: server)
            defer { feed.stop() }
            return try Tool.run(arguments)
        }
        let text = try run("inspect", url)
        text.expectSuccess()
        #expect(text.text.contains("rtsp"))
        let report = try run("inspect", "--json", url)
        report.expectSuccess()
        #expect(report.text.contains("\"h264\""))
        let played = try run("play", "--headless", "--mute", "--frames", "25", url)
        played.expectSuccess()
        let output = folder.appending("statistics.json").path
        let measured = try run(
            "play", "--headless", "--mute", "--frames", "5", "--stats-json", output, url)
        measured.expectSuccess()
        #expect(try !String(contentsOfFile: output, encoding: .utf8).contains("secret"))
        let cut = try Tool.run("cut", "\(url)[1-2]", "-o", output + ".mp4")
        cut.expectError(1, saying: ["rtsp://127.0.0.1", "read only once"])
        for result in [text, report, played, measured, cut] {
            #expect(!result.text.contains("secret") && !result.standardError.contains("secret"))
        }
        server.stop()
        let gone = try Tool.run("play", "--headless", url)
        gone.expectError(2, saying: ["rtsp://127.0.0.1", "does not accept connections"])
        #expect(!gone.standardError.contains("secret"))
    }
}
