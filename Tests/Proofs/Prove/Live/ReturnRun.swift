// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadUI

/// A stream whose source stops while it plays, and comes back.
struct ReturnRun {
    let name: String
    /// A Boolean value that indicates whether the outage is in the log of errors.
    let isReported: Bool
    /// A Boolean value that indicates whether the last frame stayed visible during the outage.
    let staysVisible: Bool
    /// The number of frames that became visible later than they could have been on their way: those
    /// whose end is only known when the silence counts as an outage.
    let lateFrames: Int
    /// The time between the return of the source and its first visible frame, in milliseconds.
    let returnTime: Double
    /// A Boolean value that indicates whether that frame is one that was sent after the return.
    let isNew: Bool

    private static let framesPerSecond = 30
    /// The duration of the outage, in seconds. libsrt counts a silent connection as lost only after
    /// 5 s, so its own loss does not help.
    private static let outage = 4.0
    /// The time after which no frame of the stopped source is on its way, in seconds.
    private static let settling = 0.5
    /// The number of the first frame that is sent after the return. It is no keyframe.
    private static let firstAfterReturn = 5

    init(_ route: StreamRoute) throws {
        name = "\(route.rawValue), \(Int(Self.outage)) s of outage"
        Progress.show(name)
        let media = try StreamMedia(route, framesPerSecond: Self.framesPerSecond, seconds: 40)
        var source = try StreamSource(route)
        guard let url = URL(string: source.url) else { throw CannotProve("latency: no address") }
        // Silence is an outage after this time.
        let options = AssetOptions(timeout: MediaTime(value: 2, timescale: 1))
        let output = PlayerItemVideoOutput()
        let item = PlayerItem(asset: URLAsset(url: url, options: options))
        item.add(output)
        let player = Player(playerItem: item, audioSink: nil)
        defer { player.replaceCurrentItem(with: nil) }
        player.play()
        var feed = try media.feed(to: source)
        func number() -> Int? {
            output.copyPixelBuffer(forItemTime: item.currentTime)
                .flatMap { FrameNumberStrip.read(from: $0.0) }
        }
        try eventually("two seconds") { number() ?? 0 > 2 * Self.framesPerSecond }
        feed.stop()
        source.stop()
        usleep(UInt32(Self.settling * 1e6))
        let (settled, end) = (
            number(), HostClock.nanoseconds + Int64((Self.outage - Self.settling) * 1e9)
        )
        var (last, stays) = (settled ?? -1, settled != nil)
        while HostClock.nanoseconds < end {
            usleep(20_000)
            let now = number() ?? -1
            stays = stays && now >= last
            last = now
        }
        staysVisible = stays
        lateFrames = last - (settled ?? -1)
        isReported = item.errorLog?.events.isEmpty == false
        let start = HostClock.nanoseconds
        source = try StreamSource(route, after: source)
        feed = try media.feed(from: Self.firstAfterReturn, to: source)
        defer {
            feed.stop()
            source.stop()
        }
        // The numbers begin again.
        var first: Int?
        try eventually("the first frame") {
            first = number()
            return first.map { $0 < last } ?? false
        }
        isNew = first ?? -1 >= Self.firstAfterReturn
        returnTime = Double(HostClock.nanoseconds - start) / 1e6
    }
}
