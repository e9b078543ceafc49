// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import MediaTestSupport
import PlayheadThreads
import PlayheadTime
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
        let server = try #require(rig.server)
        #expect(event.numberOfMediaRequests == server.requests.count)
        #expect(event.numberOfBytesTransferred == Int64(server.sentByteCount))
        #expect(server.sentByteCount >= rig.film.count)
        #expect(abs(event.durationWatched - 6) < 0.1)
        #expect(event.startupTime > 0)
        #expect(event.observedBitrate > 0)
        #expect(event.indicatedBitrate == -1)
        #expect(abs(event.segmentsDownloadedDuration - 6) < 0.1)
        let bits = Double(rig.film.count) * 8 / 6
        #expect(event.averageVideoBitrate > 0 && event.averageVideoBitrate < bits * 1.05)
        #expect(event.downloadOverdue == 0 && event.observedBitrateStandardDeviation == -1)
        #expect(event.playbackStartOffset == 0)
        #expect(abs(event.playbackStartDate.timeIntervalSinceNow) < 3600)
        #expect(UUID(uuidString: event.playbackSessionID) != nil)
        #expect(rig.item.errorLog == nil)
        #expect(log.extendedLogText.split(separator: "\n").count == 4)
        token.cancel()
    }

    @Test func `the startup time is the one that a clock beside the player measures`() throws {
        let film = [UInt8](try Data(contentsOf: StreamRig.clip(seconds: 6).url()))
        // A busy machine may delay the thread that looks, so one attempt of many must match.
        var found: [(stated: Double, measured: Double)] = []
        for _ in 0..<40 where !found.contains(where: { abs($0.stated - $0.measured) < 0.05 }) {
            let server = try LoopbackServer { _ in
                usleep(300_000)
                return .bytes(film)
            }
            let url = try #require(URL(string: server.url("/film.mov")))
            let start = HostClock.nanoseconds
            let item = PlayerItem(asset: URLAsset(url: url))
            let player = Player(playerItem: item, audioSink: nil)
            item.pipeline.control.wait { $0.log.startupSeconds == nil ? nil : true }
            let end = HostClock.nanoseconds
            let stated = try #require(item.accessLog?.events.first?.startupTime)
            found.append((stated, Double(end - start) / 1e9))
            player.replaceCurrentItem(with: nil)
        }
        #expect(found.contains { abs($0.stated - $0.measured) < 0.05 }, "\(found)")
        #expect(found.allSatisfy { $0.stated >= 0.3 && $0.stated <= $0.measured }, "\(found)")
    }

    // MARK: - Servers that lie

    /// Plays what a server sends until the end or a failure. Returns the events and what the server
    /// recorded.
    private func events(
        of name: String, _ respond: @escaping @Sendable (String) -> LoopbackServer.Response
    ) throws -> (events: [PlayerItemAccessLogEvent], requests: Int, bytes: Int64) {
        let server = try LoopbackServer { respond(String($0.path.dropFirst())) }
        let url = try #require(URL(string: server.url("/" + name)))
        let item = PlayerItem(asset: URLAsset(url: url))
        let player = Player(playerItem: item, audioSink: nil)
        player.play()
        item.pipeline.control.wait { control -> Bool? in
            if case .failed = control.phase { return true }
            return control.hasPlayedToEnd ? true : nil
        }
        let log = try #require(item.accessLog)
        let text = log.extendedLogText
        #expect(!text.contains("nan") && !text.contains("inf"), "\(text)")
        for event in log.events {
            let numbers = [
                event.playbackStartOffset, event.startupTime, event.durationWatched,
                event.transferDuration, event.observedBitrate, event.indicatedBitrate,
                event.indicatedAverageBitrate, Double(event.numberOfBytesTransferred),
                event.segmentsDownloadedDuration, event.observedBitrateStandardDeviation,
                event.averageVideoBitrate, event.averageAudioBitrate,
            ]
            #expect(numbers.allSatisfy { $0.isFinite && $0 >= -1 }, "\(event)")
        }
        player.replaceCurrentItem(with: nil)
        return (log.events, server.requests.count, Int64(server.sentByteCount))
    }

    /// The bytes beyond a length that is too short are not the response's. If the length is too
    /// long, the rest is requested again beside the end of playback, so that the log that is read
    /// then may not count all of it.
    @Test(arguments: [0.5, 2])
    func `a length that is not that of the body does not count`(share: Double) throws {
        let film = [UInt8](try Data(contentsOf: StreamRig.clip(seconds: 1).url()))
        let length = Int(Double(film.count) * share)
        let head = "HTTP/1.1 200 Test\r\nContent-Length: \(length)\r\n\r\n"
        let found = try events(of: "film.mov") { _ in .raw(Array(head.utf8) + film) }
        #expect(found.events.count == 1)
        let event = try #require(found.events.first)
        let complete = Int64(min(length, film.count))
        #expect(event.numberOfBytesTransferred >= complete)
        #expect(event.numberOfBytesTransferred <= Int64(found.requests) * complete)
        #expect((1...found.requests).contains(event.numberOfMediaRequests))
        if share < 1 {
            #expect(event.numberOfMediaRequests == found.requests)
            #expect(event.numberOfBytesTransferred == Int64(found.requests) * complete)
        }
    }

    @Test(arguments: ["1000000000000000000", "9223372036854775807", "99999999999999999999", "-5"])
    func `a bit rate that cannot be is only what the playlist states`(bandwidth: String) throws {
        let folder = TemporaryFolder()
        try ProcessRunner.check([
            "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=64x64:rate=10:duration=1",
            "-c:v", "libx264", "-f", "hls", folder.appending("media.m3u8").path,
        ])
        let main = """
            #EXTM3U
            #EXT-X-STREAM-INF:BANDWIDTH=\(bandwidth),AVERAGE-BANDWIDTH=\(bandwidth)
            media.m3u8

            """
        let found = try events(of: "main.m3u8") { name in
            if name == "main.m3u8" { return .bytes(Array(main.utf8)) }
            return (try? Data(contentsOf: folder.appending(name))).map { .bytes(Array($0)) }
                ?? .status(404)
        }
        let expected = Int(bandwidth).flatMap { $0 > 0 ? Double($0) : nil } ?? -1
        #expect(found.events.map(\.indicatedBitrate) == [expected])
        #expect(found.events.map(\.indicatedAverageBitrate) == [expected])
        #expect(found.events.map(\.numberOfMediaRequests) == [found.requests])
        #expect(found.events.map(\.numberOfBytesTransferred) == [found.bytes])
    }

    @Test func `a segment that takes longer to arrive than it lasts is overdue`() throws {
        let folder = TemporaryFolder()
        try ProcessRunner.check([
            "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=64x64:rate=10:duration=3",
            "-c:v", "libx264", "-g", "10", "-f", "hls", "-hls_time", "1", "-hls_list_size", "0",
            folder.appending("media.m3u8").path,
        ])
        let found = try events(of: "media.m3u8") { name in
            if name == "media1.ts" { usleep(1_100_000) }
            return (try? Data(contentsOf: folder.appending(name))).map { .bytes(Array($0)) }
                ?? .status(404)
        }
        let event = try #require(found.events.first)
        #expect(found.events.count == 1)
        #expect(event.downloadOverdue >= 1)
        #expect(event.observedBitrateStandardDeviation > 0)
        // FFmpeg may read the first segment twice, to probe it.
        #expect(event.segmentsDownloadedDuration > 2.9)
        #expect(event.averageAudioBitrate == -1 && event.averageVideoBitrate > 0)
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
