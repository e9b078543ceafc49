// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadThreads
import PlayheadUI
import Testing

@testable import PlayheadPlayback

/// Transport streams that `ffmpeg` sends in real time, by datagrams or SRT.
@Suite(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
struct DatagramPlaybackTests {
    @Test(arguments: FFmpegCodecs.receivesSRT ? ["udp", "rtp", "srt"] : ["udp", "rtp"])
    func `a stream that another program sends plays as it arrives`(scheme: String) throws {
        let clip = SyntheticClip.stream(keyframeInterval: 25)
        let port = try DatagramSender.freePort()
        let address = "\(scheme)://127.0.0.1:\(port)"
        let sender = try ChildProcess([
            "ffmpeg", "-v", "error", "-nostdin", "-re", "-i", try clip.url().path, "-c", "copy",
            "-f", scheme == "rtp" ? "rtp_mpegts" : "mpegts",
            address + (scheme == "srt" ? "?connect_timeout=60000" : "?pkt_size=1316"),
        ])
        defer { sender.kill() }
        let received = address + (scheme == "srt" ? "?mode=listener" : "")
        let item = PlayerItem(asset: URLAsset(url: try #require(URL(string: received))))
        let output = PlayerItemVideoOutput()
        item.add(output)
        let player = Player(playerItem: item, audioSink: nil)
        defer { player.replaceCurrentItem(with: nil) }
        player.play()
        var seen: [Int] = []
        try eventually("three seconds of frames") {
            let number = output.copyPixelBuffer(forItemTime: item.currentTime)
                .flatMap { FrameNumberStrip.read(from: $0.0) }
            if let number, number != seen.last { seen.append(number) }
            return seen.last.map { $0 - seen[0] > 75 } ?? false || sender.hasEnded
        }
        #expect(!sender.hasEnded)
        #expect(zip(seen, seen.dropFirst()).allSatisfy { $0 < $1 })
        #expect(item.pipeline.control.withLock { $0.buffering.stallCount } == 0)
        #expect(!item.duration.isNumeric)
    }
}
