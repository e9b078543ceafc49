// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadThreads
import PlayheadUI

/// A low-latency HLS stream whose parts are published in real time, and the latencies of the frames
/// that looks at the rate of a display find.
///
/// A frame is made when its time on the clock of the encoder has come, and its part is published
/// when the last frame of the part has ended.
struct LowLatencyRun {
    let name: String
    /// The time between opening the player and the first visible frame, in milliseconds.
    let openingTime: Double
    /// The latencies from the time at which a frame is made.
    let latencies: Latencies
    /// The number of frames that were served for the time of the run, and of those that were seen.
    let frameCount: Int
    let seenCount: Int
    let isInOrder: Bool
    /// The longest time for which the same frame was visible, in milliseconds.
    let longestStand: Double
    let stallCount: Int

    private static let vsync = 1.0 / 60
    /// The duration of the stream before the player opens it.
    private static let lead = 6.0

    /// - Parameter losesPart: A Boolean value that indicates whether the server lacks the last part
    ///   of a segment in the middle of the run.
    init(losesPart: Bool, seconds: Double) throws {
        name = "low-latency HLS" + (losesPart ? ", a part lost" : "")
        Progress.show(name)
        let server = try LowLatencyServer(seconds: Int64(seconds + Self.lead) + 12)
        defer { server.stop() }
        let framesInPart = LowLatencyServer.framesInPart
        let frame = 1e9 / Double(LowLatencyServer.framesPerSecond)
        // The stream has been running for a while.
        let zero = HostClock.nanoseconds - Int64(Self.lead * 1e9)
        @Sendable func publishedCount() -> Int {
            Int(Double(HostClock.nanoseconds - zero) / frame) / framesInPart
        }
        server.publish(publishedCount())
        // The last part of a segment: later frames of the segment would need it.
        let middle = Int((Self.lead + seconds / 2) * 1e9 / frame) / framesInPart
        let partsInSegment = LowLatencyServer.partsInSegment
        let lost = losesPart ? (middle / partsInSegment + 1) * partsInSegment - 1 : nil
        if let lost { server.lose(lost) }
        let isOver = Monitor(false)
        let encoder = WorkerThread(name: "prove-encoder") {
            var count = publishedCount()
            while count < server.partCount, !isOver.withLock({ $0 }) {
                let due = zero + Int64(Double((count + 1) * framesInPart) * frame)
                usleep(UInt32(max(due - HostClock.nanoseconds, 0) / 1000))
                count += 1
                server.publish(count)
            }
        }
        defer {
            isOver.change { $0 = true }
            encoder.join()
        }

        guard let url = URL(string: server.url) else { throw CannotProve("latency: no address") }
        let opening = HostClock.nanoseconds
        let output = PlayerItemVideoOutput()
        let item = PlayerItem(asset: URLAsset(url: url))
        item.add(output)
        let player = Player(playerItem: item, audioSink: nil)
        defer { player.replaceCurrentItem(with: nil) }
        player.play()
        func number() -> Int? {
            output.copyPixelBuffer(forItemTime: item.currentTime)
                .flatMap { FrameNumberStrip.read(from: $0.0) }
        }
        try eventually("the first frame") { item.timebase.rate != 0 && number() != nil }
        let start = HostClock.nanoseconds
        openingTime = Double(start - opening) / 1e6

        let end = start + Int64(seconds * 1e9)
        var latencies = Latencies(from: start, to: end)
        var seen: [Int] = []
        var (change, stand, tick) = (start, Int64(0), start)
        while HostClock.nanoseconds < end {
            tick += Int64(Self.vsync * 1e9)
            usleep(UInt32(max(tick - HostClock.nanoseconds, 0) / 1000))
            let now = HostClock.nanoseconds
            guard let found = number(), found != seen.last else { continue }
            if !seen.isEmpty { stand = max(stand, now - change) }
            change = now
            seen.append(found)
            latencies.add(sentAt: zero + Int64(Double(found) * frame), seenAt: now)
        }
        stallCount = item.statistics.stalls
        longestStand = Double(max(stand, end - change)) / 1e6
        seenCount = Set(seen).count
        isInOrder = zip(seen, seen.dropFirst()).allSatisfy { $0 < $1 }
        let served = (seen.first ?? 0)...max(seen.last ?? 0, seen.first ?? 0)
        frameCount = served.count { lost != $0 / framesInPart }
        self.latencies = latencies
    }
}
