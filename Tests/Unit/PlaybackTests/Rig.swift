// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadBuffers
import PlayheadThreads
import PlayheadTime

@testable import PlayheadPlayback

/// A player of a synthetic video on a manual clock.
struct Rig {
    let clock = ManualClock()
    let item: PlayerItem
    let player: Player
    let output = PlayerItemVideoOutput()

    init(_ media: SyntheticMedia, isPlaying: Bool = true) {
        self.init(PlayerItem(media), isPlaying: isPlaying)
    }

    init(_ item: PlayerItem, isPlaying: Bool = true) {
        self.item = item
        item.add(output)
        player = Player(playerItem: item, audioSink: nil, masterClock: clock)
        if isPlaying {
            player.play()
            waitUntil { $0.isRunning }
        } else {
            waitUntil { $0.hasVideo || $0.videoEnd != nil }
        }
    }

    /// Waits until the item's state satisfies a condition, or it has failed.
    func waitUntil(_ condition: @escaping (ItemPipeline.Control) -> Bool) {
        item.pipeline.control.wait { control -> Bool? in
            if case .failed = control.phase { return true }
            return condition(control) ? true : nil
        }
    }

    /// Advances the clock, and with it the item if it plays, and waits until its frame is decided.
    func advance(to time: MediaTime) {
        clock.advance(to: time)
        _ = output.waitForPixelBuffer(after: item.currentTime)
    }

    /// Takes the frame that is visible now from the output, and returns its number.
    func takeFrame() -> Int? {
        output.copyPixelBuffer(forItemTime: item.currentTime).flatMap {
            FrameNumberStrip.read(from: $0.0)
        }
    }

    /// Seeks and waits for the completion.
    @discardableResult
    func seek(
        to time: MediaTime, toleranceBefore: MediaTime = .zero, toleranceAfter: MediaTime = .zero
    ) -> Bool {
        let landed = Monitor<Bool?>(nil)
        item.seek(to: time, toleranceBefore: toleranceBefore, toleranceAfter: toleranceAfter) {
            finished in
            landed.change { $0 = finished }
        }
        return landed.wait { $0 }
    }
}

extension SyntheticMedia {
    /// Returns a video without audio.
    static func silent(
        framesPerSecond: Double = 30, seconds: Int64 = 2, keyframeInterval: Int = 1,
        bidirectionalFrames: Int = 0
    ) -> SyntheticMedia {
        var media = SyntheticMedia(
            frameTimes: SyntheticFrameTimes(
                frameDuration: MediaTime(
                    value: 1000, timescale: Int32((framesPerSecond * 1000).rounded())),
                count: Int(framesPerSecond * Double(seconds))), sounds: [])
        media.keyframeInterval = keyframeInterval
        media.bidirectionalFrames = bidirectionalFrames
        return media
    }
}
