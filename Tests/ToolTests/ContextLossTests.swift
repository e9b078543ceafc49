// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport
import PlayheadAssets
import Testing

/// The program, when the graphics driver loses its context.
@Suite(
    .serialized, .enabled(if: XServer.isAvailable, XServer.absence),
    .enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"), .timeLimit(.minutes(5)))
struct ContextLossTests {
    @Test func `a film in a window plays on in another window, in the same place`() throws {
        let session = try PlayerSession(
            try Films.silent(seconds: 60), environment: ["PLAYHEAD_LOSE_CONTEXT": "30,90"])
        var last = 0
        for _ in 0..<3 {
            last = try session.waitForFrame("frame after frame") { $0 > last + 40 }
        }
        try session.findWindow()
        try session.press("space")
        let standing = try session.standingFrame()
        // What was on the screen was a vsync ahead of the time at which it was stopped.
        #expect(standing >= last - 1)
        #expect(try session.size() == [PlayerSession.width, PlayerSession.height])
        try session.quit()
    }
}
