// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import PlayheadAssets
import PlayheadTime

/// A video of H.264 as packets of RTP (RFC 6184), frame by frame. Frames carry their number.
///
///     let video = try RTPVideo(framesPerSecond: 25, seconds: 10)
///     for packet in video.packets(of: 0) { server.send(packet, channel: 0) }
///
/// - Concurrency: a value.
public struct RTPVideo: Sendable {
    public let framesPerSecond: Int
    public var frameCount: Int { frames.count }

    /// The units of each frame (NAL units).
    private let frames: [[[UInt8]]]
    /// The number of the first packet of each frame.
    private let sequences: [Int]

    /// The description of a session with this video.
    public static let description = """
        v=0\r
        o=- 1 1 IN IP4 127.0.0.1\r
        s=Test\r
        t=0 0\r
        a=control:*\r
        m=video 0 RTP/AVP 96\r
        a=rtpmap:96 H264/90000\r
        a=fmtp:96 packetization-mode=1\r
        a=control:track1\r

        """

    /// The number of ticks of its timestamps in a second.
    public static let timescale = 90_000
    /// The identifier of the source of its packets.
    public static let source: UInt32 = 0x1234_5678

    private static let payloadType: UInt8 = 96
    private static let payloadSize = 1200

    /// Encodes a video.
    ///
    /// - Parameter keyframeInterval: The number of frames from one keyframe to the next one.
    public init(
        framesPerSecond: Int, seconds: Int, height: Int = 240, keyframeInterval: Int
    ) throws {
        self.framesPerSecond = framesPerSecond
        var media = SyntheticMedia(
            frameTimes: SyntheticFrameTimes(
                framesPerSecond: Int32(framesPerSecond),
                duration: MediaTime(value: Int64(seconds), timescale: 1)))
        media.height = height
        media.keyframeInterval = keyframeInterval
        media.sounds = []
        let clip = SyntheticClip(media, container: "h264", options: ["-tune", "zerolatency"])
        frames = Self.frames(of: [UInt8](try Data(contentsOf: clip.url())))
        var sequences: [Int] = []
        var count = 0
        for frame in frames {
            sequences.append(count)
            count += frame.map { Self.payloads(of: $0).count }.reduce(0, +)
        }
        self.sequences = sequences
    }

    /// Returns the packets of a frame.
    ///
    /// - Parameter start: The timestamp of the first frame.
    public func packets(of number: Int, start: UInt32 = 0) -> [[UInt8]] {
        let payloads = frames[number].flatMap { Self.payloads(of: $0) }
        return payloads.indices.map { index in
            Self.packet(
                payloads[index], type: Self.payloadType, isLast: index == payloads.count - 1,
                sequence: UInt16(truncatingIfNeeded: sequences[number] + index),
                timestamp: start &+ timestamp(of: number), source: Self.source)
        }
    }

    /// The timestamp of a frame, without that of the first one.
    public func timestamp(of number: Int) -> UInt32 {
        UInt32(truncatingIfNeeded: number * Self.timescale / framesPerSecond)
    }

    /// Returns a packet (RFC 3550, section 5.1).
    public static func packet(
        _ payload: [UInt8], type: UInt8, isLast: Bool, sequence: UInt16, timestamp: UInt32,
        source: UInt32
    ) -> [UInt8] {
        let head: [UInt8] = [
            0x80, type | (isLast ? 0x80 : 0), UInt8(sequence >> 8), UInt8(sequence & 0xFF),
        ]
        return head + bytes(timestamp) + bytes(source) + payload
    }

    /// Returns a report of a sender, which relates a timestamp to a time (RFC 3550, section 6.4.1).
    ///
    /// - Parameter seconds: The time, in seconds since 1900.
    public static func report(
        seconds: UInt32, timestamp: UInt32, source: UInt32
    ) -> [UInt8] {
        let words = [source, seconds, 0, timestamp, 0, 0]
        return [0x80, 200, 0, 6] + words.flatMap { bytes($0) }
    }

    private static func bytes(_ number: UInt32) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }

    /// Returns the units of each frame of a stream with start codes.
    private static func frames(of stream: [UInt8]) -> [[[UInt8]]] {
        var starts: [Int] = []
        for index in stream.indices.dropLast(2)
        where stream[index] == 0 && stream[index + 1] == 0 && stream[index + 2] == 1 {
            starts.append(index + 3)
        }
        var frames: [[[UInt8]]] = [[]]
        var hasPicture = false
        for (number, start) in starts.enumerated() {
            let end = number + 1 < starts.count ? starts[number + 1] - 3 : stream.count
            var unit = Array(stream[start..<end])
            while unit.last == 0 { unit.removeLast() }
            guard let first = unit.first, unit.count > 1 else { continue }
            let isPicture = [1, 5].contains(first & 0x1F)
            // The first slice of a picture begins with the number 0, which is a single bit.
            if hasPicture, !isPicture || unit[1] & 0x80 != 0 {
                frames.append([])
                hasPicture = false
            }
            if isPicture { hasPicture = true }
            frames[frames.count - 1].append(unit)
        }
        return frames
    }

    /// Returns a unit as the payload of one packet, or in fragments (FU-A).
    private static func payloads(of unit: [UInt8]) -> [[UInt8]] {
        guard unit.count > payloadSize else { return [unit] }
        let body = unit.dropFirst()
        return stride(from: body.startIndex, to: body.endIndex, by: payloadSize).map { start in
            let end = min(start + payloadSize, body.endIndex)
            let marks: UInt8 =
                (start == body.startIndex ? 0x80 : 0) | (end == body.endIndex ? 0x40 : 0)
            let head: [UInt8] = [unit[0] & 0xE0 | 28, marks | unit[0] & 0x1F]
            return head + body[start..<end]
        }
    }
}
