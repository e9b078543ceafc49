// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadThreads
import PlayheadTime
import PlayheadUI
import Testing

@testable import PlayheadPlayback

/// The distance between the arrival of a live source and the display.
@Suite(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
struct LiveOffsetTests {
    @Test func `frames are shown at the offset that is set, and a change takes effect`() throws {
        let server = try RTSPServer(description: RTPVideo.description)
        let video = try RTPVideo(framesPerSecond: 25, seconds: 60, keyframeInterval: 10)
        let item = PlayerItem(asset: URLAsset(url: try #require(URL(string: server.url()))))
        let output = PlayerItemVideoOutput()
        item.add(output)
        item.configuredTimeOffsetFromLive = MediaTime(value: 8, timescale: 10)
        let player = Player(playerItem: item, audioSink: nil)
        defer { player.replaceCurrentItem(with: nil) }
        player.play()
        let feed = RTSPFeed(video, to: server)
        defer {
            feed.stop()
            server.stop()
        }
        var number: Int?
        var hasShown = false
        /// Returns the time in seconds from sending a frame to showing it, if another one is shown.
        func delay() -> Double? {
            guard let (buffer, _) = output.copyPixelBuffer(forItemTime: item.currentTime),
                let found = FrameNumberStrip.read(from: buffer), found != number,
                let sent = feed.time(of: found)
            else { return nil }
            number = found
            // At the beginning of the timeline, a frame is shown as soon as it is decoded.
            guard hasShown else {
                hasShown = true
                return nil
            }
            return Double(HostClock.nanoseconds - sent) / 1e9
        }
        var delays: [Double] = []
        try eventually("a second of frames") {
            if let delay = delay() { delays.append(delay) }
            return delays.count >= 25
        }
        // Nothing is shown earlier, but for the distance between looks and the variation of arrival.
        #expect(delays.allSatisfy { $0 > 0.7 }, "\(delays)")
        #expect(item.recommendedTimeOffsetFromLive == MediaTime(value: 1, timescale: 20))
        // Half a second less takes ten seconds at a rate of 1.05.
        item.configuredTimeOffsetFromLive = MediaTime(value: 3, timescale: 10)
        var rates: Set<Double> = []
        try eventually("a smaller offset") {
            rates.insert(item.timebase.rate)
            return delay().map { $0 < 0.45 } ?? false
        }
        #expect(rates.contains(1.05))
        // On a machine that is busy for longer than the offset, the timeline also holds.
        #expect(rates.allSatisfy { $0 == 0 || (0.95...1.05).contains($0) }, "\(rates)")
    }
}
