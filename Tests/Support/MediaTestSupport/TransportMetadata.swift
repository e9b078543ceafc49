// SPDX-License-Identifier: Apache-2.0

public import PlayheadTime

/// An MPEG transport stream of one programme that `ffmpeg` has written, to which streams of
/// metadata are added.
///
///     var stream = TransportMetadata(bytes)
///     stream.add(.id3, [(time: second, bytes: TransportMetadata.tag([("TIT2", "Title")]))])
///     try Data(stream.bytes).write(to: file)
///
/// Times are relative to the first timestamp of the stream. The tables and packets are those of
/// ISO/IEC 13818-1, and the sections those of SCTE 35.
public struct TransportMetadata {
    public enum Kind: Sendable {
        /// ID3 in packets with timestamps.
        case id3
        /// Sections of SCTE 35, whose time is that of the clock reference before them.
        case splices
    }

    public private(set) var bytes: [UInt8]
    private let tablePID: Int
    /// The first timestamp of the stream, in ticks of 90 kHz.
    public let firstTimestamp: Int64
    private var addedCount = 0

    private static let packetSize = 188
    private static let firstPID = 0x200

    /// - Parameter firstTimestamp: The timestamp to which times are relative, for a part of a
    ///   stream; nil for the first one.
    public init(_ bytes: [UInt8], firstTimestamp: Int64? = nil) {
        self.bytes = bytes
        var (table, first) = (0, Int64.max)
        for start in stride(from: 0, to: bytes.count, by: Self.packetSize) {
            let packet = bytes[start..<start + Self.packetSize]
            if Self.pid(packet) == 0, let section = Self.section(packet) {
                table = Int(section[10] & 0x1F) << 8 | Int(section[11])
            }
            if let timestamp = Self.timestamp(packet) { first = min(first, timestamp) }
        }
        (tablePID, self.firstTimestamp) = (table, firstTimestamp ?? first)
    }

    /// Adds a stream with a list of entries in the order of their times.
    public mutating func add(_ kind: Kind, _ entries: [(time: MediaTime, bytes: [UInt8])]) {
        let pid = Self.firstPID + addedCount
        addedCount += 1
        var counter = 0
        var rest = entries[...]
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count + entries.count * Self.packetSize)
        for start in stride(from: 0, to: bytes.count, by: Self.packetSize) {
            let packet = bytes[start..<start + Self.packetSize]
            if let timestamp = Self.timestamp(packet) {
                while let entry = rest.first, ticks(entry.time) <= timestamp {
                    rest.removeFirst()
                    result += Self.packets(of: entry, kind, pid, ticks(entry.time), &counter)
                }
            }
            if Self.pid(packet) == tablePID, let section = Self.section(packet) {
                result += Self.tablePacket(packet, Self.adding(kind, pid, to: section))
            } else {
                result += packet
            }
        }
        for entry in rest {
            result += Self.packets(of: entry, kind, pid, ticks(entry.time), &counter)
        }
        bytes = result
    }

    private func ticks(_ time: MediaTime) -> Int64 {
        firstTimestamp + time.converted(toTimescale: 90_000).value
    }

    // MARK: - Contents

    /// Returns an ID3 tag of version 2.4 with text frames.
    public static func tag(_ frames: [(name: String, text: String)]) -> [UInt8] {
        tag(
            of: frames.flatMap { frame in
                let text = Array(frame.text.utf8)
                return Array(frame.name.utf8) + size(text.count + 1) + [0, 0, 3] + text
            })
    }

    /// Returns an ID3 tag around frames.
    public static func tag(of frames: [UInt8]) -> [UInt8] {
        Array("ID3".utf8) + [4, 0, 0] + size(frames.count) + frames
    }

    /// Returns a number in four bytes of seven bits.
    public static func size(_ count: Int) -> [UInt8] {
        [21, 14, 7, 0].map { UInt8(count >> $0 & 0x7F) }
    }

    /// Returns a section of SCTE 35 without a command, with a number in its adjustment.
    public static func splice(_ number: UInt8) -> [UInt8] {
        withChecksum([
            0xFC, 0x30, 17, 0, 0, 0, 0, 0, number, 0, 0xFF, 0xF0, 0, 0, 0, 0,
        ])
    }

    // MARK: - Packets

    private static func pid(_ packet: ArraySlice<UInt8>) -> Int {
        let start = packet.startIndex
        return Int(packet[start + 1] & 0x1F) << 8 | Int(packet[start + 2])
    }

    /// Returns the payload of a packet at which a unit begins; nil for other packets.
    private static func beginning(_ packet: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let start = packet.startIndex
        guard packet[start + 1] & 0x40 != 0, packet[start + 3] & 0x10 != 0 else { return nil }
        let hasField = packet[start + 3] & 0x20 != 0
        return packet.dropFirst(4 + (hasField ? Int(packet[start + 4]) + 1 : 0))
    }

    private static func section(_ packet: ArraySlice<UInt8>) -> [UInt8]? {
        guard let payload = beginning(packet), let pointer = payload.first else { return nil }
        let section = Array(payload.dropFirst(Int(pointer) + 1))
        return Array(section.prefix(3 + (Int(section[1] & 0x0F) << 8 | Int(section[2]))))
    }

    /// Returns the presentation timestamp of the packet of media that begins here.
    private static func timestamp(_ packet: ArraySlice<UInt8>) -> Int64? {
        guard let payload = beginning(packet).map({ Array($0) }), payload.count > 14,
            payload.starts(with: [0, 0, 1]), payload[3] >= 0xC0, payload[3] < 0xF0,
            payload[7] & 0x80 != 0
        else { return nil }
        let field = payload[9..<14].map { Int64($0) }
        return (field[0] >> 1 & 7) << 30 | field[1] << 22 | (field[2] >> 1) << 15
            | field[3] << 7 | field[4] >> 1
    }

    private static func packets(
        of entry: (time: MediaTime, bytes: [UInt8]), _ kind: Kind, _ pid: Int, _ ticks: Int64,
        _ counter: inout Int
    ) -> [UInt8] {
        var unit = [0] + entry.bytes
        if kind == .id3 {
            let pts = UInt64(bitPattern: ticks)
            let stamp: [UInt8] = [
                0x21 | UInt8(pts >> 29 & 0x0E), UInt8(pts >> 22 & 0xFF),
                1 | UInt8(pts >> 14 & 0xFE), UInt8(pts >> 7 & 0xFF), 1 | UInt8(pts << 1 & 0xFE),
            ]
            let length = entry.bytes.count + 8
            unit =
                [0, 0, 1, 0xBD, UInt8(length >> 8 & 0xFF), UInt8(length & 0xFF), 0x84, 0x80, 5]
                + stamp + entry.bytes
        }
        var result: [UInt8] = []
        var isFirst = true
        while !unit.isEmpty {
            let part = Array(unit.prefix(packetSize - 4))
            unit.removeFirst(part.count)
            let room = packetSize - 4 - part.count
            let fills = room > 0 && kind == .id3
            result += [
                0x47, UInt8(pid >> 8) | (isFirst ? 0x40 : 0), UInt8(pid & 0xFF),
                (fills ? 0x30 : 0x10) | UInt8(counter & 0x0F),
            ]
            if fills {
                result.append(UInt8(room - 1))
                if room > 1 { result += [0] + [UInt8](repeating: 0xFF, count: room - 2) }
            }
            result += part
            if room > 0, !fills { result += [UInt8](repeating: 0xFF, count: room) }
            counter += 1
            isFirst = false
        }
        return result
    }

    // MARK: - Tables

    /// Returns the table of the programme with another stream.
    private static func adding(_ kind: Kind, _ pid: Int, to section: [UInt8]) -> [UInt8] {
        let stream: [UInt8] =
            switch kind {
            case .id3:
                [0x15, 0xE0 | UInt8(pid >> 8), UInt8(pid & 0xFF), 0xF0, 15, 0x26, 13, 0xFF, 0xFF]
                    + Array("ID3 ".utf8) + [0xFF] + Array("ID3 ".utf8) + [0, 0x0F]
            case .splices: [0x86, 0xE0 | UInt8(pid >> 8), UInt8(pid & 0xFF), 0xF0, 0]
            }
        var table = Array(section.dropLast(4))
        if kind == .splices {
            let length = Int(table[10] & 0x0F) << 8 | Int(table[11])
            table.insert(contentsOf: [5, 4] + Array("CUEI".utf8), at: 12 + length)
            (table[10], table[11]) = (0xF0 | UInt8((length + 6) >> 8), UInt8((length + 6) & 0xFF))
        }
        table += stream
        let length = table.count + 4 - 3
        (table[1], table[2]) = (0xB0 | UInt8(length >> 8), UInt8(length & 0xFF))
        return withChecksum(table)
    }

    private static func tablePacket(
        _ packet: ArraySlice<UInt8>, _ section: [UInt8]
    ) -> [UInt8] {
        var result = Array(packet.prefix(4))
        result[3] = 0x10 | result[3] & 0x0F
        result += [0] + section
        return result + [UInt8](repeating: 0xFF, count: packetSize - result.count)
    }

    /// Appends the CRC of MPEG (ISO/IEC 13818-1, annex A).
    private static func withChecksum(_ bytes: [UInt8]) -> [UInt8] {
        var value: UInt32 = 0xFFFF_FFFF
        for byte in bytes {
            value ^= UInt32(byte) << 24
            for _ in 0..<8 { value = value << 1 ^ (value & 0x8000_0000 != 0 ? 0x04C1_1DB7 : 0) }
        }
        return bytes + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }
}
