// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadThreads
import PlayheadUI

/// A stream that is sent to a player as it is made, frame by frame, and the latencies of the frames
/// that looks at the rate of a display find.
struct DatagramRun {
    let name: String
    /// The time between the first datagram and the first visible frame, in milliseconds.
    let openingTime: Double
    let latencies: Latencies
    let sentCount: Int
    /// The longest time for which the same frame was visible, in milliseconds.
    let longestStand: Double
    /// A Boolean value that indicates whether the log of errors states that packets were lost.
    let isLossLogged: Bool

    private static let vsync = 1.0 / 60

    /// - Parameters:
    ///   - hasLosses: A Boolean value that indicates whether the network loses 1 % of the datagrams,
    ///     and swaps 2 % of those of RTP with the next one.
    init(_ route: StreamRoute, framesPerSecond: Int, hasLosses: Bool, seconds: Double) throws {
        name =
            "\(route.rawValue), \(framesPerSecond) fps"
            + (hasLosses ? ", 1 % lost" + (route == .rtp ? ", 2 % swapped" : "") : "")
        Progress.show(name)
        let source = try StreamSource(route)
        defer { source.stop() }
        guard let url = URL(string: source.url) else { throw CannotProve("latency: no address") }
        let media = try StreamMedia(
            route, framesPerSecond: framesPerSecond, seconds: Int(seconds.rounded(.up)) + 6)
        let output = PlayerItemVideoOutput()
        let item = PlayerItem(asset: URLAsset(url: url))
        item.add(output)
        let player = Player(playerItem: item, audioSink: nil)
        defer { player.replaceCurrentItem(with: nil) }
        player.play()

        let feed = try media.feed(to: source, hasLosses: hasLosses)
        defer { feed.stop() }
        func number() -> Int? {
            output.copyPixelBuffer(forItemTime: item.currentTime)
                .flatMap { FrameNumberStrip.read(from: $0.0) }
        }
        try eventually("the first frame") { number() != nil }
        let start = HostClock.nanoseconds
        openingTime = Double(start - (feed.time(0) ?? start)) / 1e6
        let end = start + Int64(seconds * 1e9)
        var latencies = Latencies(from: start, to: end)
        var (shown, change, stand) = (number(), start, Int64(0))
        var tick = start
        while HostClock.nanoseconds < end {
            tick += Int64(Self.vsync * 1e9)
            usleep(UInt32(max(tick - HostClock.nanoseconds, 0) / 1000))
            let now = HostClock.nanoseconds
            guard let found = number(), found != shown else { continue }
            (shown, stand, change) = (found, max(stand, now - change), now)
            if let time = feed.time(found) {
                latencies.add(sentAt: time, seenAt: now)
            }
        }
        sentCount = feed.times().count { (start..<end).contains($0) }
        longestStand = Double(max(stand, end - change)) / 1e6
        isLossLogged = item.errorLog?.events.contains { $0.error.cause.contains("lost") } ?? false
        self.latencies = latencies
    }
}
