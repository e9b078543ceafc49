// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport
import PlayheadThreads
import PlayheadUI
import Testing

@testable import PlayheadPlayback

/// Videos behind a web server that is too slow for them.
@Suite(.enabled(if: SyntheticClip.isAvailable, "ffmpeg is missing")) struct StreamStallTests {
    @Test func `a server that stops halfway ends the video, and nothing is lost`() throws {
        let rig = try StreamRig(StreamRig.clip(seconds: 6), share: 0.5)
        rig.player.play()
        rig.waitUntil { $0.isRunning }
        rig.advance(milliseconds: 4000)
        let stop = rig.item.currentTime
        #expect(stop > MediaTime(value: 2, timescale: 1))
        #expect(stop < MediaTime(value: 7, timescale: 2))
        #expect(rig.player.timeControlStatus == .waitingToPlayAtSpecifiedRate)
        #expect(rig.player.reasonForWaitingToPlay == .toMinimizeStalls)
        #expect(rig.item.statistics.stalls == 1)
        // The notification comes when the item next checks its packets.
        rig.waitUntil { $0.buffering.status.isEmpty }
        #expect(rig.item.isPlaybackBufferEmpty)

        rig.allow(share: 1)
        rig.waitUntil { $0.isRunning }
        rig.advance(milliseconds: 4000)
        rig.waitUntil { $0.hasPlayedToEnd }
        #expect(rig.item.statistics.stalls == 1)
        #expect(rig.wrongFrames == [])
        // The last block of the device may not have been played yet.
        #expect(rig.countHeard() > 6 * 48_000 - 4_000)
        #expect(rig.wrongSamples == [])
    }

    @Test func `a file that arrives slowly plays as it arrives if the player does not wait`() throws
    {
        let rig = try StreamRig(StreamRig.clip(seconds: 6), share: 0.2)
        rig.player.automaticallyWaitsToMinimizeStalling = false
        rig.player.play()
        for share in [0.4, 0.6, 0.8, 1] {
            rig.waitUntil { $0.isRunning }
            rig.advance(milliseconds: 2000)
            rig.waitUntil { !$0.isPlaying }
            rig.allow(share: share)
        }
        rig.waitUntil { $0.isRunning }
        rig.advance(milliseconds: 2000)
        rig.waitUntil { $0.hasPlayedToEnd }
        #expect(rig.item.statistics.stalls == 4)
        #expect(rig.wrongFrames == [])
        #expect(rig.countHeard() > 6 * 48_000 - 4_000)
        #expect(rig.wrongSamples == [])
    }

    @Test func `a file whose audio is stored eight seconds behind its video plays whole`() throws {
        let clip = StreamRig.clip(
            seconds: 12, container: "mkv", soundDelay: MediaTime(value: 8, timescale: 1),
            // Packets are written as they arrive, and not sorted by their times.
            options: ["-max_interleave_delta", "1", "-b:v", "1M"])
        // Less than the frames of eight seconds take.
        let rig = try StreamRig(fileOf: clip, limits: MediaLimits(queuedBytes: 1 << 18))
        rig.player.play()
        rig.waitUntil { $0.isRunning }
        rig.advance(milliseconds: 12_500)
        rig.waitUntil { $0.hasPlayedToEnd }
        #expect(rig.item.statistics.stalls == 0)
        #expect(rig.wrongFrames == [])
        #expect(rig.countHeard() > 12 * 48_000 - 4_000)
        #expect(rig.wrongSamples == [])
    }

    /// Neither the source nor the item keeps what was read elsewhere, so there is nothing that a
    /// second range could report.
    @Test func `after a seek back everything is requested again, and one range is loaded`() throws {
        let rig = try StreamRig(StreamRig.clip(seconds: 6), share: 1)
        rig.waitForTransfer(of: rig.film.count * 9 / 10)
        for seconds in [5, 0] {
            let landed = Monitor<Bool?>(nil)
            rig.item.seek(
                to: MediaTime(value: Int64(seconds), timescale: 1), toleranceBefore: .zero,
                toleranceAfter: .zero
            ) { isDone in landed.change { $0 = isDone } }
            #expect(landed.wait { $0 } == true)
            #expect(rig.item.loadedTimeRanges.count <= 1)
        }
        rig.waitForTransfer(of: rig.film.count * 18 / 10)
        #expect(rig.item.loadedTimeRanges.map(\.start) == [.zero])
    }
}
