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
        // While the processors are too busy for the sender or the player, datagrams come late or
        // are lost, and playback rightly stalls.
        for attempt in 1...5 {
            let faults = try play(scheme)
            if faults.isEmpty { break }
            #expect(attempt < 5, "\(faults)")
        }
    }

    /// Plays three seconds of a stream, and returns what was wrong with it.
    private func play(_ scheme: String) throws -> [String] {
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
        #expect(!item.duration.isNumeric)
        var faults = item.errorLog?.events.map { "\($0)" } ?? []
        let stallCount = item.pipeline.control.withLock { $0.buffering.stallCount }
        if stallCount > 0 { faults.append("\(stallCount) stalls") }
        if faults.isEmpty { #expect(zip(seen, seen.dropFirst()).allSatisfy { $0 < $1 }) }
        return faults
    }
}
