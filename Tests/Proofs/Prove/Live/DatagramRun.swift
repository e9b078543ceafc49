// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadThreads
import PlayheadUI

/// An MPEG transport stream that is sent to a player in datagrams, frame by frame, and the latencies
/// of the frames that looks at the rate of a display find.
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
    private static let packetSize = 188
    private static let packetsInDatagram = 7

    /// - Parameters:
    ///   - hasLosses: A Boolean value that indicates whether the network loses 1 % of the datagrams,
    ///     and swaps 2 % of those of RTP with the next one.
    init(isRTP: Bool, framesPerSecond: Int, hasLosses: Bool, seconds: Double) throws {
        name =
            "\(isRTP ? "RTP" : "UDP"), \(framesPerSecond) fps"
            + (hasLosses ? ", 1 % lost" + (isRTP ? ", 2 % swapped" : "") : "")
        Progress.show(name)
        let frames = try Self.frames(
            framesPerSecond: framesPerSecond, seconds: Int64(seconds.rounded(.up)) + 6)
        let port = try DatagramSender.freePort()
        let sender = try DatagramSender(port: port)
        let scheme = isRTP ? "rtp" : "udp"
        guard let url = URL(string: "\(scheme)://127.0.0.1:\(port)") else {
            throw CannotProve("latency: no address")
        }
        let output = PlayerItemVideoOutput()
        let item = PlayerItem(asset: URLAsset(url: url))
        item.add(output)
        let player = Player(playerItem: item, audioSink: nil)
        defer { player.replaceCurrentItem(with: nil) }
        player.play()

        let sent = Monitor<[Int: Int64]>([:])
        let isOver = Monitor(false)
        let thread = WorkerThread(name: "prove-datagrams") {
            var network = Network(isRTP: isRTP, hasLosses: hasLosses)
            sender.waitForReceiver()
            let start = HostClock.nanoseconds
            for (index, frame) in frames.enumerated() {
                let due = start + Int64(index) * 1_000_000_000 / Int64(framesPerSecond)
                usleep(UInt32(max(due - HostClock.nanoseconds, 0) / 1000))
                sent.change { $0[index] = HostClock.nanoseconds }
                for datagram in network.datagrams(of: frame) { sender.send(datagram) }
                if isOver.withLock({ $0 }) { return }
            }
        }
        defer {
            isOver.change { $0 = true }
            thread.join()
        }
        func number() -> Int? {
            output.copyPixelBuffer(forItemTime: item.currentTime)
                .flatMap { FrameNumberStrip.read(from: $0.0) }
        }
        try eventually("the first frame") { number() != nil }
        let start = HostClock.nanoseconds
        openingTime = Double(start - (sent.withLock { $0[0] } ?? start)) / 1e6
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
            if let time = sent.withLock({ $0[found] }) {
                latencies.add(sentAt: time, seenAt: now)
            }
        }
        sentCount = sent.withLock { $0.values.count { (start..<end).contains($0) } }
        longestStand = Double(max(stand, end - change)) / 1e6
        isLossLogged = item.errorLog?.events.contains { $0.error.cause.contains("lost") } ?? false
        self.latencies = latencies
    }

    /// Returns the packets of each frame of a stream, with a keyframe each half second.
    private static func frames(framesPerSecond: Int, seconds: Int64) throws -> [[UInt8]] {
        var media = SyntheticMedia(
            frameTimes: SyntheticFrameTimes(
                framesPerSecond: Int32(framesPerSecond),
                duration: MediaTime(value: seconds, timescale: 1)))
        media.keyframeInterval = framesPerSecond / 2
        media.sounds = []
        let clip = SyntheticClip(
            media, container: "ts",
            options: ["-tune", "zerolatency", "-muxdelay", "0", "-muxpreload", "0"])
        let bytes = [UInt8](try Data(contentsOf: clip.url()))
        var frames: [[UInt8]] = [[]]
        var hasFrame = false
        for start in stride(from: 0, to: bytes.count - packetSize + 1, by: packetSize) {
            let packet = bytes[start..<start + packetSize]
            if beginsFrame(packet) {
                if hasFrame { frames.append([]) }
                hasFrame = true
            }
            frames[frames.count - 1] += packet
        }
        return frames
    }

    /// Returns whether a transport packet begins with the first bytes of a frame: the header of a
    /// PES packet of video (ISO/IEC 13818-1, 2.4.3.6).
    private static func beginsFrame(_ packet: ArraySlice<UInt8>) -> Bool {
        let base = packet.startIndex
        guard packet[base + 1] & 0x40 != 0 else { return false }
        let hasField = packet[base + 3] & 0x20 != 0
        let payload = base + 4 + (hasField ? 1 + Int(packet[base + 4]) : 0)
        return packet[payload...].starts(with: [0, 0, 1, 0xE0])
    }

    /// A network that delivers datagrams.
    private struct Network {
        let isRTP: Bool
        let hasLosses: Bool
        private var sequence: UInt16 = 0
        private var count = 0
        private var random = SplitMix64(seed: 7)

        init(isRTP: Bool, hasLosses: Bool) {
            (self.isRTP, self.hasLosses) = (isRTP, hasLosses)
        }

        mutating func datagrams(of frame: [UInt8]) -> [[UInt8]] {
            let size = packetSize * packetsInDatagram
            var datagrams: [[UInt8]] = []
            for start in stride(from: 0, to: frame.count, by: size) {
                let payload = Array(frame[start..<min(start + size, frame.count)])
                datagrams.append(
                    isRTP ? DatagramSender.rtp(payload, sequence: sequence) : payload)
                sequence &+= 1
            }
            guard hasLosses else { return datagrams }
            // Without sequence numbers, the order of datagrams cannot be restored.
            for index in datagrams.indices.dropFirst()
            where isRTP && Int.random(in: 0..<50, using: &random) == 0 {
                datagrams.swapAt(index - 1, index)
            }
            return datagrams.filter { _ in
                count += 1
                return count % 100 != 50
            }
        }
    }
}
