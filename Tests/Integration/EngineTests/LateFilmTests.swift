// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadBuffers
import PlayheadThreads
import PlayheadUI
import Testing

@testable import PlayheadPlayback

/// Videos that begin five seconds after 0 and last three: all positions lead into their range.
@Suite(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
struct LateFilmTests {
    private static let containers = ["flv", "mkv", "mp4"]

    private static func asset(_ container: String) throws -> URLAsset {
        let media = SyntheticMedia(
            frameTimes: SyntheticFrameTimes(framesPerSecond: 10, duration: seconds(3)), sounds: [])
        return URLAsset(
            url: try SyntheticClip(
                media, container: container, options: ["-output_ts_offset", "5"]
            ).url())
    }

    private static func seconds(_ count: Int64) -> MediaTime {
        MediaTime(value: count, timescale: 1)
    }

    private func seek(_ item: PlayerItem, to time: MediaTime) -> Bool? {
        let landed = Monitor<Bool?>(nil)
        item.seek(to: time, toleranceBefore: .zero, toleranceAfter: .zero) { done in
            landed.change { $0 = done }
        }
        return landed.wait(nanoseconds: 60_000_000_000) { $0 }
    }

    @Test(arguments: containers)
    func `a seek reaches the frames of a late track, before and after opening`(container: String)
        throws
    {
        let item = PlayerItem(asset: try Self.asset(container))
        let output = PlayerItemVideoOutput()
        item.add(output)
        // Nothing plays, and the start of the video is not known yet.
        let landed = Monitor<Bool?>(nil)
        item.seek(to: .zero, toleranceBefore: .zero, toleranceAfter: .zero) { done in
            landed.change { $0 = done }
        }
        let player = Player(playerItem: item, audioSink: nil, masterClock: ManualClock())
        defer { player.replaceCurrentItem(with: nil) }
        func number() -> Int? {
            output.copyPixelBuffer(forItemTime: item.currentTime).flatMap {
                FrameNumberStrip.read(from: $0.0)
            }
        }
        #expect(landed.wait(nanoseconds: 60_000_000_000) { $0 } == true)
        let start = try #require(item.assetDescription?.startTime)
        #expect(abs(start.seconds - 5) < 0.3)
        #expect(item.currentTime == start)
        #expect(number() == 0)
        let range = try #require(item.seekableTimeRanges.first)
        #expect(range.start == start)
        #expect(abs(range.end.seconds - 8) < 0.3)
        #expect(
            seek(item, to: start + Self.seconds(1) + MediaTime(value: 1, timescale: 20)) == true)
        #expect(number() == 10)
        #expect(seek(item, to: .zero) == true)
        #expect(item.currentTime == start)
        #expect(number() == 0)
        // So do declared starts.
        player.setRate(1, time: .zero)
        #expect(item.currentTime == start)
    }

    @Test(arguments: containers)
    func `a range within the media loops, and one outside of it is refused`(container: String)
        throws
    {
        let asset = try Self.asset(container)
        let ranges: [(Int64, Int64, Bool)] = [
            (6, 7, true), (0, 6, true), (1, 4, false), (9, 10, false),
        ]
        for (start, end, isInside) in ranges {
            let player = QueuePlayer(items: [], audioSink: nil, masterClock: ManualClock())
            let looper = PlayerLooper(
                player: player, templateItem: PlayerItem(asset: asset),
                timeRange: MediaTimeRange(start: Self.seconds(start), end: Self.seconds(end)))
            try eventually("the looper's status") { looper.status != .unknown }
            #expect((looper.status == .ready) == isInside, "\(start) to \(end)")
            #expect((looper.error != nil) == !isInside)
            player.removeAllItems()
        }
    }
}
