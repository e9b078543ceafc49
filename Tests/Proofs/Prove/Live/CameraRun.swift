// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadThreads
import PlayheadUI

/// A camera that sends images at given rates to a player, and the latencies of the frames that
/// looks at the rate of a display find.
struct CameraRun {
    let name: String
    let latencies: Latencies
    let sentCount: Int

    private static let vsync = 1.0 / 60

    /// - Parameter rates: The rates, in images per second, each for the same share of the time.
    init(_ framing: CameraServer.Framing, rates: [Double], seconds: Double) throws {
        name =
            "camera, \(framing.rawValue), "
            + rates.map { "\(Int($0))" }.joined(separator: "-") + " fps"
        Progress.show(name)
        let camera = try CameraServer(framing)
        defer { camera.stop() }
        let output = PlayerItemVideoOutput()
        guard let url = URL(string: camera.url) else { throw CannotProve("latency: no address") }
        let item = PlayerItem(asset: URLAsset(url: url))
        item.add(output)
        let player = Player(playerItem: item, audioSink: nil)
        defer { player.replaceCurrentItem(with: nil) }
        camera.send(0...1)
        player.play()
        func number() -> Int? {
            output.copyPixelBuffer(forItemTime: item.currentTime)
                .flatMap { FrameNumberStrip.read(from: $0.0) }
        }
        try eventually("the first frame") { number() != nil }

        let sent = Monitor<[Int: Int64]>([:])
        let total = Monitor(0)
        let start = HostClock.nanoseconds
        let end = start + Int64(seconds * 1e9)
        let sender = WorkerThread(name: "prove-camera") {
            var (index, due) = (2, start)
            while due < end {
                let share = Double(due - start) / Double(end - start)
                let rate = rates[min(Int(share * Double(rates.count)), rates.count - 1)]
                due += Int64(1e9 / rate)
                usleep(UInt32(max(due - HostClock.nanoseconds, 0) / 1000))
                let image = index % CameraServer.imageCount
                sent.change { $0[image] = HostClock.nanoseconds }
                camera.send(image...image)
                index += 1
            }
            total.change { $0 = index - 2 }
        }
        var latencies = Latencies(from: start, to: end)
        var shown = number()
        var tick = start
        while HostClock.nanoseconds < end {
            tick += Int64(Self.vsync * 1e9)
            usleep(UInt32(max(tick - HostClock.nanoseconds, 0) / 1000))
            let now = HostClock.nanoseconds
            guard let found = number(), found != shown else { continue }
            shown = found
            if let time = sent.withLock({ $0[found] }) {
                latencies.add(sentAt: time, seenAt: now)
            }
        }
        sender.join()
        sentCount = total.withLock { $0 }
        self.latencies = latencies
    }
}
