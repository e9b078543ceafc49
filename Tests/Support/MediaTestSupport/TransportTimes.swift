// SPDX-License-Identifier: Apache-2.0

/// Changes to the timestamps of MPEG transport streams.
public enum TransportTimes {
    /// The elementary streams whose timestamps are changed.
    public enum Kind: Sendable { case video, audio }

    /// Returns a transport stream without the timestamps of the first packets of its video or its
    /// audio (ISO/IEC 13818-1, 2.4.3.6).
    public static func removed(
        from stream: [UInt8], first count: Int, of kind: Kind = .video
    ) -> [UInt8] {
        let (mask, value): (UInt8, UInt8) = kind == .video ? (0xF0, 0xE0) : (0xE0, 0xC0)
        var stream = stream
        var number = 0
        for start in stride(from: 0, to: stream.count, by: 188) where number < count {
            let isStart = stream[start + 1] & 0x40 != 0
            let hasField = stream[start + 3] & 0x20 != 0
            let packet = start + 4 + (hasField ? Int(stream[start + 4]) + 1 : 0)
            guard isStart, packet + 14 < start + 188,
                stream[packet..<packet + 3].elementsEqual([0, 0, 1]),
                stream[packet + 3] & mask == value
            else { continue }
            number += 1
            stream[packet + 7] &= 0x3F
            let size = Int(stream[packet + 8])
            for index in 0..<size { stream[packet + 9 + index] = 0xFF }
        }
        return stream
    }
}
