// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import PlayheadAssets
import PlayheadTime

/// The packets that a decoder has taken since a keyframe. They determine which frames it will
/// return next.
struct PacketLog {
    private struct Entry {
        var time: MediaTime
        var end: MediaTime
        var decodeTime: MediaTime
        var byteCount: Int
        var checksum: UInt64
        /// A Boolean value that indicates whether the frame may have been skipped.
        var isSkipped: Bool
    }

    /// The maximum number of packets. A group of pictures that is longer is not recorded.
    private static let limit = 4096

    private var entries: [Entry] = []
    /// A Boolean value that indicates whether a packet was damaged or cannot be identified.
    private var isBroken = false
    /// The number of packets since the last flush, and of those whose frames are shown.
    private(set) var packetCount = 0
    private(set) var neededCount = 0

    var count: Int { entries.count }

    /// A Boolean value that indicates whether the packets determine the state of the decoder.
    var isComplete: Bool { !isBroken && !entries.isEmpty }

    /// Records a packet that the decoder takes.
    mutating func append(_ packet: MediaPacket, isSkipped: Bool) {
        packetCount += 1
        if !isSkipped { neededCount += 1 }
        guard !isBroken else { return }
        if packet.isKeyframe { entries.removeAll(keepingCapacity: true) }
        guard packet.isKeyframe || !entries.isEmpty, entries.count < Self.limit,
            let entry = Self.entry(packet, isSkipped: isSkipped)
        else { return breakOff() }
        entries.append(entry)
    }

    /// Records that a packet could not be decoded, or that the decoder is at the end of the stream.
    mutating func breakOff() {
        isBroken = true
        entries.removeAll()
    }

    /// Returns whether a packet equals the one at an index.
    func matches(_ packet: MediaPacket, at index: Int) -> Bool {
        guard entries.indices.contains(index),
            packet.presentationTime == entries[index].time,
            packet.byteCount == entries[index].byteCount,
            index > 0 || packet.isKeyframe,
            let entry = Self.entry(packet, isSkipped: false)
        else { return false }
        return entry.end == entries[index].end && entry.decodeTime == entries[index].decodeTime
            && entry.checksum == entries[index].checksum
    }

    /// Returns whether the frame of a packet will not be returned any more, because it was skipped
    /// or is not after `time`, the beginning of the last frame that the decoder has returned.
    func isPast(_ index: Int, _ time: MediaTime) -> Bool {
        entries[index].isSkipped || entries[index].time <= time
    }

    /// Returns whether all frames that will not be returned any more end at or before a time.
    func isPast(_ time: MediaTime, before limit: MediaTime) -> Bool {
        entries.indices.allSatisfy { !isPast($0, time) || entries[$0].end <= limit }
    }

    /// Returns nil if a packet has no times, or changes the configuration of the decoder.
    private static func entry(_ packet: MediaPacket, isSkipped: Bool) -> Entry? {
        guard packet.presentationTime.isNumeric, packet.duration.isNumeric,
            let values = (packet.payload as? PacketBox)?.pointer.pointee,
            let data = values.data, values.size > 0
        else { return nil }
        for index in 0..<Int(values.side_data_elems) {
            let kind = values.side_data[index].type
            if kind == AV_PKT_DATA_NEW_EXTRADATA || kind == AV_PKT_DATA_PARAM_CHANGE { return nil }
        }
        let bytes = UnsafeRawBufferPointer(start: data, count: Int(values.size))
        return Entry(
            time: packet.presentationTime, end: packet.end, decodeTime: packet.decodeTime,
            byteCount: packet.byteCount, checksum: checksum(of: bytes), isSkipped: isSkipped)
    }

    /// Returns the FNV-1a hash of the words at both ends. Packets of one time and size differ
    /// there, if they differ at all: the variants of a stream are compressed separately.
    private static func checksum(of bytes: UnsafeRawBufferPointer) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        func add(_ range: Range<Int>) {
            var offset = range.lowerBound
            while offset + 8 <= range.upperBound {
                let word = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                hash = (hash ^ word) &* 0x100_0000_01B3
                offset += 8
            }
            for offset in offset..<range.upperBound {
                hash = (hash ^ UInt64(bytes[offset])) &* 0x100_0000_01B3
            }
        }
        add(0..<min(bytes.count, endSize))
        add(max(0, bytes.count - endSize)..<bytes.count)
        return hash
    }

    private static let endSize = 512
}
