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

/// Live sources that stop, and come back.
@Suite(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
struct ReturningSourceTests {
    /// A source that sends a video from its beginning until it is released.
    private final class Source {
        private let end: () -> Void

        init(_ scheme: String, port: Int) throws {
            if scheme == "rtsp" {
                let video = try RTPVideo(framesPerSecond: 25, seconds: 60, keyframeInterval: 10)
                // The port may be in use until the last connection has ended.
                let server = try eventually("the port") {
                    try? RTSPServer(port: port, description: RTPVideo.description)
                }
                let feed = RTSPFeed(video, to: server)
                end = {
                    server.stop()
                    feed.stop()
                }
                return
            }
            let clip = SyntheticClip.stream(keyframeInterval: 10)
            let option = scheme == "srt" ? "connect_timeout=60000" : "pkt_size=1316"
            let process = try ChildProcess([
                "ffmpeg", "-v", "error", "-nostdin", "-re", "-i", try clip.url().path, "-c",
                "copy", "-f", "mpegts", "\(scheme)://127.0.0.1:\(port)?\(option)",
            ])
            end = {
                process.signal()
                _ = process.wait()
            }
        }

        deinit { end() }
    }

    @Test(arguments: FFmpegCodecs.receivesSRT ? ["rtsp", "udp", "srt"] : ["rtsp", "udp"])
    func `a source that stops is reported, its frame stays, and it plays on when it is back`(
        scheme: String
    ) throws {
        let port = try DatagramSender.freePort()
        var source: Source? = try Source(scheme, port: port)
        defer { withExtendedLifetime(source) {} }
        let address =
            "\(scheme)://127.0.0.1:\(port)"
            + (scheme == "srt" ? "?mode=listener&latency=20000" : "")
        var options = AssetOptions()
        options.timeout = MediaTime(value: 1, timescale: 1)
        options.openingTimeout = MediaTime(value: 60, timescale: 1)
        let url = try #require(URL(string: address))
        let item = PlayerItem(asset: URLAsset(url: url, options: options))
        let output = PlayerItemVideoOutput()
        item.add(output)
        let player = Player(playerItem: item, audioSink: nil)
        defer { player.replaceCurrentItem(with: nil) }
        player.play()
        var (number, changes, time) = (Int?.none, 0, MediaTime.negativeInfinity)
        var isMonotonic = true
        func look() {
            let now = item.currentTime
            if now < time { isMonotonic = false }
            time = now
            let found = output.copyPixelBuffer(forItemTime: now)
                .flatMap { FrameNumberStrip.read(from: $0.0) }
            if let found, found != number { (number, changes) = (found, changes + 1) }
        }
        try eventually("a second of frames") {
            look()
            return changes > 25
        }
        source = nil
        try eventually("the report") {
            look()
            return item.errorLog?.events.isEmpty == false
        }
        #expect(output.copyPixelBuffer(forItemTime: item.currentTime) != nil)
        changes = 0
        source = try Source(scheme, port: port)
        try eventually("another second of frames") {
            look()
            return changes > 25
        }
        #expect(isMonotonic)
        #expect(item.pipeline.control.withLock { $0.readingError } == nil)
    }
}
