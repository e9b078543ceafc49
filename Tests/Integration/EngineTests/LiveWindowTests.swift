// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadThreads
import PlayheadUI
import Testing

@testable import PlayheadPlayback

/// The window of live streams: a player, and a web server whose playlist moves by hand.
@Suite(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
struct LiveWindowTests {
    /// Returns a video of 10 frames a second with a keyframe every second, and audio.
    private static func clip(seconds: Int64) -> SyntheticClip {
        let duration = MediaTime(value: seconds, timescale: 1)
        var media = SyntheticMedia(
            frameTimes: SyntheticFrameTimes(framesPerSecond: 10, duration: duration))
        media.height = 240
        media.keyframeInterval = 10
        return SyntheticClip(media, container: "ts")
    }

    private static func seconds(_ value: Double) -> MediaTime {
        MediaTime(value: Int64((value * 1000).rounded()), timescale: 1000)
    }

    /// A player of a live stream on a manual clock.
    private final class Rig {
        let server: LiveServer
        let clock = ManualClock(time: MediaTime(value: 100, timescale: 1))
        let item: PlayerItem
        let player: Player
        let output = PlayerItemVideoOutput()
        /// The number of jumps of the playhead that were reported, and that of stalls.
        let jumps = Monitor(0)
        let stalls = Monitor(0)
        private var token: ObservationToken?

        init(
            _ clip: SyntheticClip, _ range: Range<Int>, tags: [String] = [],
            deltas: DeltaUpdate? = nil, waits: Bool = true,
            configure: (PlayerItem) -> Void = { _ in }
        ) throws {
            server = try LiveServer([clip])
            server.list(range, tags: tags)
            server.setDeltaUpdates(deltas)
            item = PlayerItem(
                asset: URLAsset(url: try #require(URL(string: server.url))))
            item.add(output)
            configure(item)
            player = Player(playerItem: item, audioSink: nil, masterClock: clock)
            player.automaticallyWaitsToMinimizeStalling = false
            token = item.observeEvents { [jumps, stalls] event in
                if event == .timeJumped { jumps.change { $0 += 1 } }
                if event == .playbackStalled { stalls.change { $0 += 1 } }
            }
            if waits { waitUntilReady() }
        }

        deinit {
            token?.cancel()
            player.replaceCurrentItem(with: nil)
            server.stop()
        }

        func waitUntil(_ condition: (ItemPipeline.Control) -> Bool) {
            item.pipeline.control.wait { control -> Bool? in
                if case .failed = control.phase { return true }
                return condition(control) ? true : nil
            }
        }

        /// Waits until the item has a frame and no seek is in progress.
        func waitUntilReady() {
            waitUntil { if case .ready = $0.phase { $0.seek == nil && $0.hasVideo } else { false } }
        }

        /// Waits for a condition that becomes true without a notification.
        func poll(until condition: (ItemPipeline.Control) -> Bool) {
            while item.pipeline.control.wait(
                nanoseconds: 2_000_000, until: { condition($0) ? true : nil }) == nil
            {}
        }

        /// The end of the packets. The last one is complete when the next one begins.
        var loadedEnd: Double { item.pipeline.packets.level.end.seconds }

        /// Plays all that is listed, until playback stalls, and returns the frames that were shown.
        ///
        /// - Parameter end: The live edge.
        func playUntilStall(at end: Double) -> [Int?] {
            let pipeline = item.pipeline
            poll { _ in loadedEnd > end - 0.15 }
            var frames: [Int?] = []
            let count = stalls.withLock { $0 }
            while stalls.wait(nanoseconds: 2_000_000, until: { $0 > count ? true : nil }) == nil {
                poll { control in
                    guard control.isRunning, !pipeline.frames.isPrimed(at: item.currentTime),
                        let track = control.videoTrack
                    else { return true }
                    // The timeline is about to stop at the end of the last frame.
                    return pipeline.packets.level.dryTracks.contains(track.id)
                        && item.currentTime < pipeline.frames.end
                }
                let shown = frame
                if item.timebase.rate != 0, frames.last != shown { frames.append(shown) }
                clock.advance(by: LiveWindowTests.seconds(0.05))
            }
            return frames
        }

        /// Waits until the window is the range.
        func waitForWindow(_ start: Double, _ end: Double) {
            waitUntil { control in
                guard let range = control.transport.live.window?.range else { return false }
                return abs(range.start.seconds - start) < 0.001
                    && abs(range.end.seconds - end) < 0.001
            }
        }

        func seek(to time: MediaTime, isExact: Bool = true) -> Bool {
            let landed = Monitor<Bool?>(nil)
            let tolerance = isExact ? MediaTime.zero : .positiveInfinity
            item.seek(to: time, toleranceBefore: tolerance, toleranceAfter: tolerance) { done in
                landed.change { $0 = done }
            }
            return landed.wait { $0 }
        }

        /// The number in the frame at the playhead.
        var frame: Int? {
            output.copyPixelBuffer(forItemTime: item.currentTime).flatMap {
                FrameNumberStrip.read(from: $0.0)
            }
        }

        var time: Double { item.currentTime.seconds }

        /// The number of jumps of the playhead so far, once all have been reported.
        var jumpCount: Int {
            let isReported = Monitor(false)
            ObservationQueue.background.async { isReported.change { $0 = true } }
            isReported.wait { $0 ? true : nil }
            return jumps.withLock { $0 }
        }
    }

    @Test func `the window is seekable, moves with the playlist, and also during a pause`() throws {
        // After two seconds, the player reads nothing more until it plays.
        let rig = try Rig(Self.clip(seconds: 30), 0..<10) {
            $0.preferredForwardBufferDuration = Self.seconds(2)
        }
        #expect(!rig.item.duration.isNumeric)
        #expect(abs(rig.time - 7) < 0.001, "three target durations before the live edge")
        #expect(rig.frame == 70)
        #expect(rig.item.recommendedTimeOffsetFromLive == Self.seconds(3))
        #expect(!rig.item.configuredTimeOffsetFromLive.isNumeric)
        rig.waitForWindow(0, 10)
        let observed = Monitor<[MediaTimeRange]>([])
        let token = rig.item.observe(\.seekableTimeRanges) { change in
            observed.change { $0 += change.newValue }
        }
        rig.server.list(2..<12)
        rig.waitForWindow(2, 12)
        observed.wait { ranges in
            ranges.contains { abs($0.start.seconds - 2) < 0.001 } ? true : nil
        }
        rig.server.list(4..<30)
        rig.waitForWindow(4, 30)
        #expect(abs(rig.time - 7) < 0.001)
        token.cancel()
    }

    @Test func `segments that playlists leave out stay in the window`() throws {
        let rig = try Rig(Self.clip(seconds: 30), 0..<14, deltas: DeltaUpdate(keptCount: 6))
        rig.waitForWindow(0, 14)
        for first in [2, 3, 5] {
            rig.server.list(first..<(first + 14))
            rig.waitForWindow(Double(first), Double(first + 14))
        }
        #expect(rig.server.requests.count { $0 == "/live.m3u8" } == 1)
        #expect(rig.server.requests.contains { $0 == "/live.m3u8?_HLS_skip=YES" })
        #expect(rig.seek(to: Self.seconds(5.35)))
        #expect(rig.frame == 53)
    }

    @Test func `seeks within the window land on the exact frame, others at its ends`() throws {
        let rig = try Rig(Self.clip(seconds: 30), 0..<12)
        for (target, frame) in [(4.55, 45), (0.0, 0), (10.7, 107), (1.0, 10)] {
            #expect(rig.seek(to: Self.seconds(target)))
            #expect(rig.frame == frame, "\(target)")
            #expect(abs(rig.time - target) < 0.001, "\(target): \(rig.time)")
        }
        rig.server.list(3..<15)
        rig.waitForWindow(3, 15)
        #expect(rig.seek(to: .zero))
        #expect(rig.frame == 30)
        #expect(abs(rig.time - 3) < 0.001)
        for beyond in [Self.seconds(15), Self.seconds(1000), .positiveInfinity] {
            #expect(rig.seek(to: beyond))
            #expect(rig.frame == 120)
            #expect(abs(rig.time - 12) < 0.001)
        }
        #expect(!rig.seek(to: .negativeInfinity))
    }

    @Test func `playback continues at the oldest segment after a pause that was too long`()
        throws
    {
        let rig = try Rig(Self.clip(seconds: 30), 0..<10)
        // Playback holds where the loaded media ends.
        rig.waitUntil { $0.buffering.status.loaded.map { $0.end.seconds > 8 } ?? false }
        rig.player.play()
        rig.waitUntil { $0.isRunning }
        rig.clock.advance(by: Self.seconds(0.5))
        rig.player.pause()
        #expect(abs(rig.time - 7.5) < 0.001)
        // Within the window, nothing jumps.
        rig.server.list(6..<16)
        rig.waitForWindow(6, 16)
        let jumps = rig.jumpCount
        rig.player.play()
        rig.waitUntil { $0.isRunning }
        rig.player.pause()
        #expect(abs(rig.time - 7.5) < 0.001)
        #expect(rig.jumpCount == jumps)
        rig.server.list(12..<22)
        rig.waitForWindow(12, 22)
        #expect(abs(rig.time - 7.5) < 0.001, "a paused playhead stays")
        rig.player.play()
        rig.waitUntil { $0.isRunning }
        #expect(abs(rig.time - 12) < 0.001)
        #expect(rig.frame == 120)
        rig.jumps.wait { $0 > jumps ? true : nil }
        #expect(rig.jumpCount == jumps + 1)
    }

    @Test func `a seek whose target leaves the window in the meantime lands at the oldest segment`()
        throws
    {
        let rig = try Rig(Self.clip(seconds: 30), 0..<10)
        rig.waitForWindow(0, 10)
        // The player still has the old window.
        rig.server.list(5..<15)
        #expect(rig.seek(to: Self.seconds(1.25)))
        rig.waitForWindow(5, 15)
        #expect(rig.frame == 50)
        #expect(abs(rig.time - 5) < 0.001)
    }

    @Test func `the distance from the live edge that was set is where playback begins`() throws {
        let rig = try Rig(Self.clip(seconds: 30), 0..<12) {
            $0.configuredTimeOffsetFromLive = Self.seconds(5.5)
        }
        #expect(abs(rig.time - 6.5) < 0.001)
        #expect(rig.frame == 65)
        rig.server.list(2..<16)
        rig.waitForWindow(2, 16)
        #expect(rig.seek(to: .positiveInfinity))
        #expect(abs(rig.time - 10.5) < 0.001)
        let copy = PlayerItem(copying: rig.item)
        #expect(copy.configuredTimeOffsetFromLive == Self.seconds(5.5))
    }

    @Test func `a playlist states where playback begins, in live streams and in others`() throws {
        let precise = ["#EXT-X-START:TIME-OFFSET=3.55,PRECISE=YES"]
        let live = try Rig(Self.clip(seconds: 30), 0..<12, tags: precise)
        #expect(abs(live.time - 3.55) < 0.001)
        #expect(live.frame == 35)
        let coarse = try Rig(
            Self.clip(seconds: 30), 0..<12, tags: ["#EXT-X-START:TIME-OFFSET=-4.5"])
        #expect(abs(coarse.time - 7) < 0.001)
        #expect(coarse.frame == 70)
        let film = try Rig(
            Self.clip(seconds: 30), 0..<30, tags: precise + ["#EXT-X-ENDLIST"])
        #expect(abs(film.item.duration.seconds - 30) < 0.1)
        #expect(abs(film.time - 3.55) < 0.001)
        #expect(film.frame == 35)
    }

    @Test func `a stream that ends has a duration from then on, and plays to its end`() throws {
        let rig = try Rig(Self.clip(seconds: 14), 0..<10)
        rig.server.list(2..<14, hasEnded: true)
        rig.waitUntil { $0.transport.live.window?.hasEnded == true }
        #expect(abs(rig.item.duration.seconds - 12) < 0.01)
        #expect(abs(rig.item.end.seconds - 14) < 0.01)
        #expect(rig.item.seekableTimeRanges.first?.duration == rig.item.duration)
        #expect(rig.item.livePosition == nil && rig.item.timeBehindLive == nil)
        #expect(rig.seek(to: Self.seconds(12.05)))
        rig.player.play()
        rig.waitUntil { $0.isRunning }
        // The clock moves on only while there is something to play.
        while rig.item.pipeline.control.wait(
            nanoseconds: 2_000_000, until: { $0.hasPlayedToEnd ? true : nil }) == nil
        {
            if rig.item.timebase.rate != 0 { rig.clock.advance(by: Self.seconds(0.1)) }
        }
        #expect(abs(rig.time - 14) < 0.01)
        #expect(rig.seek(to: .zero))
        #expect(rig.frame == 20)
    }

    @Test func `a stream continues when its server comes back`() throws {
        let rig = try Rig(Self.clip(seconds: 30), 0..<10)
        rig.server.setDown(true)
        rig.waitUntil { $0.log.errorCount > 0 }
        rig.server.list(3..<14)
        rig.server.setDown(false)
        rig.waitForWindow(3, 14)
        rig.player.play()
        rig.waitUntil { $0.isRunning }
        var frames: [Int?] = []
        while rig.time < 12 {
            guard
                rig.item.pipeline.control.wait(
                    nanoseconds: 2_000_000, until: { $0.hasPlayedToEnd ? true : nil }) == nil
            else { break }
            guard rig.item.timebase.rate != 0 else { continue }
            rig.item.waitForPicture(at: rig.item.currentTime, nanoseconds: 60_000_000_000)
            if frames.last != rig.frame { frames.append(rig.frame) }
            rig.clock.advance(by: Self.seconds(0.05))
        }
        #expect(frames == (70..<120).map { Optional($0) })
        #expect(rig.item.errorLog?.events.isEmpty == false)
    }

    /// A policy, the time at which playback begins in a window of 10 s, the live edge that this
    /// needs, and the time of the playhead when the window moves to 12 s.
    struct Policy: CustomTestStringConvertible {
        var policy: PlayerItem.LatencyPolicy
        var start: Double
        var edge = 10
        var time: Double

        var testDescription: String { "\(policy)" }

        /// Returns the time at which playback continues after a stall.
        ///
        /// - Parameters:
        ///   - stop: The time of the playhead during the stall.
        ///   - isGone: A Boolean value that indicates whether the window has left it behind.
        ///   - held: The time of the playhead when the window moved to 12 s.
        func target(
            in window: Range<Int>, from stop: Double, held: Double, isGone: Bool
        ) -> Double {
            guard policy == .smooth else { return Double(window.upperBound) - (12 - held) }
            return isGone ? Double(window.lowerBound) : stop
        }
    }

    // All that is newest has been played when the window moves.
    private static let newest = Policy(policy: .newest, start: 10, edge: 11, time: 10.9)
    private static let offset = Policy(policy: .offset(seconds(3)), start: 7, time: 9)
    private static let smooth = Policy(policy: .smooth, start: 7, time: 9)

    // The window of 5 s begins before the playhead, and that of 16 s after it.
    @Test(arguments: [
        (newest, 5..<20, false), (newest, 16..<26, true), (offset, 5..<20, false),
        (smooth, 5..<20, false), (smooth, 16..<26, true),
    ])
    func `the latency policy determines where playback continues after a stall`(
        _ policy: Policy, _ window: Range<Int>, _ isGone: Bool
    ) throws {
        let rig = try Rig(Self.clip(seconds: 30), 0..<10, waits: false) {
            $0.latencyPolicy = policy.policy
        }
        rig.waitForWindow(0, 10)
        rig.server.list(0..<policy.edge)
        rig.waitUntilReady()
        #expect(abs(rig.time - policy.start) < 0.001, "\(rig.time)")
        rig.poll { _ in rig.loadedEnd > Double(policy.edge) - 0.15 }
        rig.player.play()
        rig.waitUntil { $0.isRunning }
        rig.clock.advance(by: Self.seconds(policy.time - policy.start))
        let isAtEnd = policy.time + 0.15 > Double(policy.edge)
        rig.poll { $0.isRunning != isAtEnd }
        rig.server.list(0..<12)
        rig.waitForWindow(0, 12)
        let held = rig.time
        // At the end, playback may wait a frame before it or after it.
        #expect(abs(held - policy.time) < (isAtEnd ? 0.101 : 0.001), "\(held)")
        // The server lists nothing more.
        #expect(rig.playUntilStall(at: 12).last == 118)
        let stop = rig.time
        #expect(abs(stop - 11.9) < 0.06, "\(stop)")
        let jumps = rig.jumpCount
        rig.server.list(window)
        rig.waitUntil { $0.isRunning && $0.seek == nil }
        let target = policy.target(in: window, from: stop, held: held, isGone: isGone)
        #expect(abs(rig.time - target) < 0.001, "\(rig.time), not \(target)")
        #expect(rig.jumpCount == jumps + (target == stop ? 0 : 1))
        // The frame of that time, and those after it.
        for _ in 0..<3 {
            rig.poll { $0.isRunning && rig.item.pipeline.frames.isPrimed(at: rig.item.currentTime) }
            #expect(rig.frame == Int(rig.time * 10 + 0.001))
            rig.clock.advance(by: Self.seconds(0.1))
        }
        #expect(rig.stalls.withLock { $0 } == 1)
    }

    @Test func `an event stream is seekable from its beginning`() throws {
        let tags = ["#EXT-X-PLAYLIST-TYPE:EVENT"]
        let rig = try Rig(Self.clip(seconds: 30), 0..<8, tags: tags)
        #expect(abs(rig.time - 5) < 0.001)
        rig.server.list(0..<14, tags: tags)
        rig.waitForWindow(0, 14)
        #expect(rig.seek(to: Self.seconds(0.3)))
        #expect(rig.frame == 3)
    }
}
