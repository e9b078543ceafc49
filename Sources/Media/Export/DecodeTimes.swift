// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// Determines the decode times of the first packets of a video if the container does not store
/// them, as in Matroska. The computed times precede the first stored decode time, at intervals of
/// one frame.
struct DecodeTimes {
    private var waiting: [MediaPacket] = []
    private var last: MediaTime?
    private let period: MediaTime
    private let unit: MediaTime

    /// The maximum number of packets at the beginning without a decode time. It is more than any
    /// codec reorders.
    private static let maximumCount = 64

    init(_ track: AssetTrack) {
        unit = MediaTime(value: 1, timescale: max(track.timeUnit.timescale, 1))
        let period = track.frameDuration
        self.period = period.isNumeric && period > unit ? period : unit
    }

    /// Adds a packet, and returns the packets whose decode times are now known. Returns nil if the
    /// track has no decode times.
    mutating func add(_ packet: MediaPacket) -> [MediaPacket]? {
        var packet = packet
        if packet.decodeTime.isNumeric {
            let earlier = takeWaiting(before: packet.decodeTime)
            last = packet.decodeTime
            return earlier + [packet]
        }
        if let last {
            packet.decodeTime = last + unit
            self.last = packet.decodeTime
            return [packet]
        }
        waiting.append(packet)
        return waiting.count > Self.maximumCount ? nil : []
    }

    /// Returns the remaining packets of a track that ends before a decode time is known.
    mutating func finish() -> [MediaPacket] {
        let times = waiting.map(\.presentationTime).sorted()
        // The maximum delay of a packet's decode time after its presentation time.
        let shift = zip(times, waiting).map { $0 - $1.presentationTime }.max() ?? .zero
        defer { waiting = [] }
        return zip(waiting, times).map { packet, time in
            var packet = packet
            packet.decodeTime = time - max(shift, .zero)
            return packet
        }
    }

    private mutating func takeWaiting(before time: MediaTime) -> [MediaPacket] {
        defer { waiting = [] }
        return waiting.enumerated().map { index, packet in
            var packet = packet
            packet.decodeTime = time - period * Int32(waiting.count - index)
            return packet
        }
    }
}
