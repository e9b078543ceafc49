// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadThreads
import PlayheadUI
import Testing

@testable import PlayheadPlayback

/// The logs of items that play from a web server.
@Suite(.enabled(if: SyntheticClip.isAvailable, "ffmpeg is missing")) struct AccessLogTests {
    @Test func `the log of a film with a stall has its bytes, its stall and the time watched`()
        throws
    {
        let rig = try StreamRig(StreamRig.clip(seconds: 6), share: 0.5)
        let began = Monitor(0)
        let token = rig.item.observeEvents { event in
            if event == .newAccessLogEntry { began.change { $0 += 1 } }
        }
        rig.player.play()
        rig.waitUntil { $0.isRunning }
        rig.advance(milliseconds: 4000)
        rig.allow(share: 1)
        rig.waitUntil { $0.isRunning }
        rig.advance(milliseconds: 4000)
        rig.waitUntil { $0.hasPlayedToEnd }
        #expect(began.wait { $0 > 0 ? $0 : nil } == 1)
        let log = try #require(rig.item.accessLog)
        let event = try #require(log.events.first)
        #expect(log.events.count == 1)
        #expect(event.playbackType == "FILE")
        #expect(event.numberOfStalls == 1)
        #expect(event.numberOfMediaRequests >= 1)
        #expect(event.numberOfBytesTransferred >= Int64(rig.film.count))
        #expect(abs(event.durationWatched - 6) < 0.1)
        #expect(event.startupTime > 0)
        #expect(event.observedBitrate > 0)
        #expect(event.indicatedBitrate == -1)
        #expect(event.playbackStartOffset == 0)
        #expect(abs(event.playbackStartDate.timeIntervalSinceNow) < 3600)
        #expect(UUID(uuidString: event.playbackSessionID) != nil)
        #expect(rig.item.errorLog == nil)
        #expect(log.extendedLogText.split(separator: "\n").count == 4)
        token.cancel()
    }

    @Test func `a film that the server does not have is in the error log with its status`() throws {
        let server = try LoopbackServer { _ in .status(404) }
        let url = try #require(URL(string: server.url("/film.mp4")))
        let item = PlayerItem(asset: URLAsset(url: url))
        let player = Player(playerItem: item, audioSink: nil)
        item.pipeline.control.wait { $0.log.errorCount > 0 ? true : nil }
        let event = try #require(item.errorLog?.events.first)
        #expect(event.errorStatusCode == 404)
        #expect(event.uri == server.url("/film.mp4"))
        #expect(abs(event.date.timeIntervalSinceNow) < 3600)
        player.replaceCurrentItem(with: nil)
    }
}
