// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import MediaTestSupport
import PlayheadAssets
import Testing

/// The program after the graphics driver has lost its context.
@Suite(
    .serialized, .enabled(if: XServer.isAvailable, XServer.absence),
    .enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"), .timeLimit(.minutes(20)))
struct ContextLossTests {
    @Test func `after a context loss playback continues at the same position in a new window`()
        throws
    {
        let session = try PlayerSession(
            try Films.silent(seconds: 60), environment: ["PLAYHEAD_LOSE_CONTEXT": "30,90"])
        var last = 0
        for _ in 0..<3 {
            last = try session.waitForFrame("frame after frame") { $0 > last + 40 }
        }
        try session.findWindow()
        try session.press("space")
        let standing = try session.standingFrame()
        // The frame on the screen was a vsync ahead of the time at which playback stopped.
        #expect(standing >= last - 1)
        #expect(try session.size() == [PlayerSession.width, PlayerSession.height])
        try session.quit()
    }
}

/// Files written after a lost context.
@Suite(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
struct ContextLossFileTests {
    private static let output = TemporaryFolder()

    @Test(arguments: [
        ["frames", "--hash"], ["snapshot", "-o", output.appending("a.png").path],
        ["render", "--effect", "exposure", "-o", output.appending("a.mkv").path],
        ["atlas", "build", "-o", output.appending("b.mkv").path],
    ])
    func `frames that were not drawn are not written to files`(command: [String]) throws {
        let film = try Films.silent(seconds: 1)
        let place = command[0] == "atlas" ? 2 : 1
        let arguments = Array(command[..<place]) + [film] + Array(command[place...])
        let result = try Tool.run(
            arguments,
            environment: ["PLAYHEAD_LOSE_CONTEXT": command[0] == "snapshot" ? "1" : "3"])
        #expect(result.status == 3)
        #expect(result.standardError.contains("context"))
        // The frames before it are right.
        let lines = result.standardOutput.split(separator: UInt8(ascii: "\n"))
        #expect(lines.count == (command[0] == "frames" ? 2 : 0))
    }
}
