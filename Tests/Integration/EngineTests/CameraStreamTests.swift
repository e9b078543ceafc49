// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadUI
import Testing

@testable import PlayheadPlayback

/// Network cameras, played in real time.
@Suite(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
struct CameraStreamTests {
    private final class Rig {
        let camera: CameraServer
        let item: PlayerItem
        let player: Player
        let output = PlayerItemVideoOutput()

        init(_ framing: CameraServer.Framing) throws {
            camera = try CameraServer(framing)
            item = PlayerItem(asset: URLAsset(url: try #require(URL(string: camera.url))))
            item.add(output)
            player = Player(playerItem: item, audioSink: nil)
        }

        deinit {
            camera.stop()
            player.replaceCurrentItem(with: nil)
        }

        /// The number of the frame that is due.
        var frame: Int? {
            output.copyPixelBuffer(forItemTime: item.currentTime)
                .flatMap { FrameNumberStrip.read(from: $0.0) }
        }
    }

    @Test(arguments: [CameraServer.Framing.lengths, .noLengths])
    func `each frame is shown before the next one arrives, and a pause falls behind by nothing`(
        framing: CameraServer.Framing
    ) throws {
        let rig = try Rig(framing)
        rig.camera.send(0...1)
        rig.player.play()
        try eventually("the first frame") { rig.frame == 1 }
        for number in 2..<8 {
            rig.camera.send(number...number)
            try eventually("frame \(number)") { rig.frame == number }
        }
        rig.player.pause()
        let paused = rig.frame
        rig.camera.send(8...60)
        rig.camera.send(61...61)
        #expect(rig.frame == paused)
        rig.player.play()
        rig.camera.send(62...62)
        try eventually("the newest frame") { rig.frame == 62 }
        #expect(rig.item.lastDecodingError == nil)
    }
}
