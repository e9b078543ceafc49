// SPDX-License-Identifier: Apache-2.0

import Foundation
import Playhead

// The Swift code of Documentation/Embedding.md; a test compares the two.

private struct EmbeddingPrograms {
    // document begins
    struct Host {
        static func main() throws {
            // The host's own OpenGL. In a game it is the context of the window, which is current.
            let hosts = try HeadlessContext()

            // Playhead in that context.
            let context = try GLHostContext()
            let state = GLHostState(mode: .restoreAll, unitBase: 0)
            state.enter()
            let framebuffer = try GLFramebuffer(width: 640, height: 360, context: context)
            let renderer = VideoRenderer(context: context)
            state.leave()

            // A player without audio, on a clock that the host advances, and an output of its item.
            let item = PlayerItem(asset: URLAsset(CommandLine.arguments[1]))
            let output = PlayerItemVideoOutput()
            item.add(output)
            let clock = ManualClock()
            let player = Player(playerItem: item, audioSink: nil, masterClock: clock)

            // Two layers on one output: each frame is decoded and uploaded once.
            let vignette = EffectInstance(try EffectLibrary.load("vignette"))
            var inset = Layer(.video(output))
            inset.frame = .pixels(LayerRect(x: 20, y: 20, width: 160, height: 90))
            let scene = Scene(layers: [Layer(.video(output), effects: [vignette]), inset])

            player.play()
            while player.timeControlStatus != .playing {
                if let error = item.error { throw error }
                usleep(500)
            }
            for frame in 0..<30 {
                if frame > 0 { clock.advance(by: MediaTime(value: 1, timescale: 30)) }
                // Only for offline rendering: a game draws the frames that are ready.
                _ = output.waitForPixelBuffer(after: output.itemTime(forHostTime: clock.time))
                state.enter()
                let report = renderer.render(
                    scene, hostTime: clock.time, into: RenderTarget(framebuffer))
                state.leave()
                for problem in report.problems { print(problem) }
            }
            state.enter()
            try ImageFile.writePNG(framebuffer.image(), to: "frame.png")
            state.leave()
            withExtendedLifetime(hosts) {}
        }
    }
    // document ends

    // document begins
    /// An output for reading frames while a renderer draws another output of the same item.
    func readerOutput(of item: PlayerItem) -> PlayerItemVideoOutput {
        let output = PlayerItemVideoOutput()
        item.add(output)
        return output
    }
    // document ends
}
