// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadUI

/// A file that `ffmpeg` writes in real time while it plays.
struct GrowingRun {
    let frameCount: Int
    /// The number of frames that were decoded in time to be shown.
    let decodedCount: Int
    /// The number of frames that looks every few milliseconds have seen.
    let seenCount: Int
    let isInOrder: Bool
    /// The time between the end of the writer and the moment at which the end is known, in
    /// milliseconds.
    let endDelay: Double

    private static let framesPerSecond = 25

    init(container: String, seconds: Int64) throws {
        Progress.show("\(container), written while it plays")
        let times = SyntheticFrameTimes(
            framesPerSecond: Int32(Self.framesPerSecond),
            duration: MediaTime(value: seconds, timescale: 1))
        var media = SyntheticMedia(frameTimes: times)
        media.keyframeInterval = Self.framesPerSecond
        let clip = SyntheticClip(media, container: "mkv")
        let folder = TemporaryFolder()
        let url = folder.appending("recording.\(container)")
        var options = ["-c", "copy", "-flush_packets", "1"]
        switch container {
        case "mkv": options += ["-cluster_time_limit", "500"]
        case "mp4": options += ["-movflags", "frag_keyframe+empty_moov+default_base_moof"]
        default: break
        }
        let writer = try ChildProcess(
            ["ffmpeg", "-v", "error", "-nostdin", "-re", "-i", try clip.url().path] + options
                + [url.path])
        defer { writer.kill() }
        try eventually("the first seconds") {
            var status = stat()
            return stat(url.path, &status) == 0 && status.st_size > 0
        }
        usleep(2_500_000)
        let item = PlayerItem(asset: URLAsset(url: url))
        let output = PlayerItemVideoOutput()
        item.add(output)
        let player = Player(playerItem: item, audioSink: nil)
        defer { player.replaceCurrentItem(with: nil) }
        player.play()
        var seen: [Int] = []
        var (writerEnd, knownEnd): (Int64?, Int64?)
        let deadline = HostClock.nanoseconds + (seconds + 30) * 1_000_000_000
        while !item.hasPlayedToEnd, HostClock.nanoseconds < deadline {
            let now = HostClock.nanoseconds
            if writerEnd == nil, writer.hasEnded { writerEnd = now }
            if writerEnd != nil, knownEnd == nil, item.livePosition == nil { knownEnd = now }
            let number = output.copyPixelBuffer(forItemTime: item.currentTime)
                .flatMap { FrameNumberStrip.read(from: $0.0) }
            if let number, number != seen.last { seen.append(number) }
            usleep(4000)
        }
        frameCount = Int(seconds) * Self.framesPerSecond
        decodedCount = item.statistics.decodedFrames
        seenCount = Set(seen).count
        isInOrder = zip(seen, seen.dropFirst()).allSatisfy { $0 < $1 }
        endDelay =
            knownEnd.map { Double($0 - (writerEnd ?? $0)) / 1e6 } ?? .infinity
    }
}
