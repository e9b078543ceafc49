// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadThreads
import PlayheadUI
import Testing

@testable import PlayheadPlayback

/// Dates of streams: a player, and a web server whose playlist has a discontinuity between clips.
@Suite(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
struct DateTests {
    /// Returns videos of 10 frames a second with a keyframe every second, and audio.
    private static func clips(seconds: [Int64]) -> [SyntheticClip] {
        seconds.map { seconds in
            var media = SyntheticMedia(
                frameTimes: SyntheticFrameTimes(
                    framesPerSecond: 10, duration: MediaTime(value: seconds, timescale: 1)))
            (media.height, media.keyframeInterval) = (240, 10)
            return SyntheticClip(media, container: "ts")
        }
    }

    private static let midnight = 1_796_083_200.0

    private final class Rig {
        let server: LiveServer
        let item: PlayerItem
        let player: Player
        let output = PlayerItemVideoOutput()

        init(
            _ clips: [SyntheticClip], _ range: Range<Int>, dates: [Double?], hasEnded: Bool = false
        ) throws {
            server = try LiveServer(clips)
            server.list(range, hasEnded: hasEnded)
            server.setDates(dates)
            item = PlayerItem(asset: URLAsset(url: try #require(URL(string: server.url))))
            item.add(output)
            player = Player(
                playerItem: item, audioSink: nil,
                masterClock: ManualClock(time: MediaTime(value: 100, timescale: 1)))
            waitUntil { if case .ready = $0.phase { $0.seek == nil && $0.hasVideo } else { false } }
        }

        deinit {
            player.replaceCurrentItem(with: nil)
            server.stop()
        }

        func waitUntil(_ condition: (ItemPipeline.Control) -> Bool) {
            item.pipeline.control.wait { control -> Bool? in
                if case .failed = control.phase { return true }
                return condition(control) ? true : nil
            }
        }

        /// The date at the playhead, in seconds after the first one.
        var date: Double? {
            item.currentDate.map { $0.timeIntervalSince1970 - DateTests.midnight }
        }

        /// Seeks to a number of seconds after the first date. Returns the number in the frame
        /// there; nil if the stream does not have this date.
        func seek(toDate seconds: Double) -> Int? {
            let landed = Monitor<Bool?>(nil)
            let date = Date(timeIntervalSince1970: DateTests.midnight + seconds)
            let isKnown = item.seek(to: date) { done in landed.change { $0 = done } }
            let hasLanded = landed.wait { $0 }
            #expect(hasLanded == isKnown)
            guard isKnown else { return nil }
            return output.copyPixelBuffer(forItemTime: item.currentTime).flatMap {
                FrameNumberStrip.read(from: $0.0)
            }
        }
    }

    private static func isNear(_ date: Double?, _ expected: Double) -> Bool {
        date.map { abs($0 - expected) < 0.05 } ?? false
    }

    @Test func `dates of a stream with an end restart at discontinuities`() throws {
        // The second clip was recorded an hour later; the third one states no date.
        let rig = try Rig(
            Self.clips(seconds: [4, 4, 3]), 0..<11, dates: [Self.midnight, Self.midnight + 3600],
            hasEnded: true)
        #expect(Self.isNear(rig.date, 0))
        #expect(rig.seek(toDate: 2) == 20)
        #expect(Self.isNear(rig.date, 2))
        #expect(rig.seek(toDate: -1) == nil)
        #expect(rig.seek(toDate: 3605) == nil)
        #expect(rig.seek(toDate: 3602) == 20)
        #expect(Self.isNear(rig.date, 3602))
        #expect(abs(rig.item.currentTime.seconds - 6) < 0.05)
        #expect(rig.seek(toDate: 2) == 20)
        #expect(Self.isNear(rig.date, 2))
        // Nothing was recorded at this date.
        #expect(rig.seek(toDate: 100) == 0)
        #expect(Self.isNear(rig.date, 3600))
    }

    @Test func `a date that occurs twice stands for its first occurrence`() throws {
        let rig = try Rig(
            Self.clips(seconds: [4, 4]), 0..<8, dates: [Self.midnight, Self.midnight + 2],
            hasEnded: true)
        #expect(rig.seek(toDate: 3) == 30)
        #expect(abs(rig.item.currentTime.seconds - 3) < 0.05)
        #expect(Self.isNear(rig.date, 3))
        #expect(rig.seek(toDate: 5) == 30)
    }

    @Test func `dates of a live stream stay the same while its window moves`() throws {
        let rig = try Rig(
            Self.clips(seconds: [6, 20]), 0..<10, dates: [Self.midnight, Self.midnight + 600])
        #expect(Self.isNear(rig.date, 601))
        for first in [2, 7] {
            rig.server.list(first..<(first + 10))
            rig.waitUntil { control in
                let range = control.transport.live.window?.range
                return range.map { abs($0.start.seconds - Double(first)) < 0.01 } ?? false
            }
            #expect(rig.seek(toDate: 605) == 50)
            #expect(Self.isNear(rig.date, 605))
            #expect(abs(rig.item.currentTime.seconds - 11) < 0.05)
            #expect(rig.seek(toDate: 4) == (first == 2 ? 40 : nil))
        }
    }

    @Test func `a stream without dates has none`() throws {
        let rig = try Rig(Self.clips(seconds: [3]), 0..<3, dates: [], hasEnded: true)
        #expect(rig.item.currentDate == nil)
        #expect(rig.seek(toDate: 0) == nil)
    }
}
