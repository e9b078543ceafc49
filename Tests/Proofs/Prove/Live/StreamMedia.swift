// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadThreads
import PlayheadUI

/// A video for a route, with a keyframe each half second.
struct StreamMedia {
    private let route: StreamRoute
    private let framesPerSecond: Int
    /// The video, if it is sent as packets of RTP; nil for a transport stream.
    private let video: RTPVideo?
    /// The packets of each frame of a transport stream.
    private let frames: [[UInt8]]

    private static let packetSize = 188
    private static let packetsInDatagram = 7

    init(_ route: StreamRoute, framesPerSecond: Int, seconds: Int) throws {
        (self.route, self.framesPerSecond) = (route, framesPerSecond)
        if route == .rtsp {
            video = try RTPVideo(
                framesPerSecond: framesPerSecond, seconds: seconds, height: 480,
                keyframeInterval: framesPerSecond / 2)
            frames = []
        } else {
            video = nil
            frames = try Self.frames(
                framesPerSecond: framesPerSecond, seconds: Int64(seconds))
        }
    }

    /// Sends the video in real time, once a player is there.
    ///
    /// - Parameters:
    ///   - first: The number of the first frame.
    ///   - hasLosses: A Boolean value that indicates whether the network loses and swaps datagrams.
    func feed(
        from first: Int = 0, to source: StreamSource, hasLosses: Bool = false
    ) throws -> StreamFeed {
        if let video, let server = source.server {
            return StreamFeed(RTSPFeed(video, from: first, to: server))
        }
        let network = Monitor(Network(isRTP: route == .rtp, hasLosses: hasLosses))
        let frames = frames
        return try StreamFeed(
            first..<frames.count, framesPerSecond: framesPerSecond, to: source.port
        ) { number in
            network.change { $0.datagrams(of: frames[number]) }
        }
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
