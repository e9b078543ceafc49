// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadBuffers
import PlayheadThreads
import PlayheadUI
import Testing

@testable import PlayheadPlayback

/// A player of a file on a manual clock, with an output for each of its first video tracks.
struct VideoTracksRig {
    let clock = ManualClock(time: MediaTime(value: 100, timescale: 1))
    let item: PlayerItem
    let player: Player
    let outputs: [PlayerItemVideoOutput]

    init(_ url: URL, showing count: Int) throws {
        item = PlayerItem(asset: URLAsset(url.path))
        outputs = (0..<count).map { PlayerItemVideoOutput(trackID: $0) }
        for output in outputs { item.add(output) }
        player = Player(playerItem: item, audioSink: nil, masterClock: clock)
        try settle()
    }

    /// Waits until everything is decoded that the present time needs.
    func settle() throws { try eventually("frames") { player.isAhead } }

    func play(_ rate: Double = 1) throws {
        player.rate = rate
        try eventually("the start") {
            item.pipeline.control.withLock { $0.isRunning }
        }
        try settle()
    }

    /// Advances by a number of hundredths of a second.
    func advance(_ hundredths: Int64) throws {
        clock.advance(by: MediaTime(value: hundredths, timescale: 100))
        try settle()
    }

    func seek(to time: MediaTime, toleranceBefore: MediaTime = .zero) throws {
        let landed = Monitor<Bool?>(nil)
        item.seek(to: time, toleranceBefore: toleranceBefore, toleranceAfter: .zero) {
            isLanded in
            landed.change { $0 = isLanded }
        }
        try #require(landed.wait(nanoseconds: 60_000_000_000) { $0 } == true)
    }

    /// The numbers of the frames that the outputs show now.
    var frames: [Int?] {
        outputs.map { output in
            output.copyPixelBuffer(forItemTime: item.currentTime).flatMap {
                FrameNumberStrip.read(from: $0.0)
            }
        }
    }
}
