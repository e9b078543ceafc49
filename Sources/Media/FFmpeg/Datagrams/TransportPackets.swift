// SPDX-License-Identifier: Apache-2.0

/// The packets of an MPEG transport stream (ISO/IEC 13818-1, section 2.4.3), as far as their
/// headers show whether they are complete.
///
/// - Concurrency: a value.
struct TransportPackets {
    /// The size of a packet, in bytes.
    static let size = 188
    private static let sync: UInt8 = 0x47
    private static let nullStream: UInt16 = 0x1FFF

    /// The number of packets that never arrived. Sixteen in a row are not noticed.
    private(set) var lostCount = 0
    /// The last continuity counter of each stream.
    private var counters: [UInt16: UInt8] = [:]

    /// Returns whether a datagram consists of packets.
    static func isValid(_ datagram: some RandomAccessCollection<UInt8>) -> Bool {
        guard !datagram.isEmpty, datagram.count.isMultiple(of: size) else { return false }
        return stride(from: 0, to: datagram.count, by: size).allSatisfy {
            datagram[datagram.index(datagram.startIndex, offsetBy: $0)] == sync
        }
    }

    /// The beginning of a packet whose rest is in the next datagram. Some senders, such as ffmpeg
    /// without `pkt_size`, cut packets.
    var beginning: [UInt8] = []
    /// The number of sync bytes that are required of a datagram that consists of parts of packets:
    /// if packets may begin anywhere in it, and if it continues the one before it.
    private static let (evidence, continuedEvidence) = (3, 2)

    /// Returns the complete packets of a datagram, together with the beginning from the one before
    /// it, and the beginning of the packet that the datagram cuts; nil if the datagram is not a
    /// part of a transport stream.
    func completed(by datagram: [UInt8]) -> (packets: [UInt8], beginning: [UInt8])? {
        if Self.isValid(datagram) { return (datagram, []) }
        let joined = beginning + datagram
        for (bytes, offsets, count) in [
            (joined, 0..<1, Self.continuedEvidence), (datagram, 0..<Self.size, Self.evidence),
        ] {
            for offset in offsets {
                let starts = stride(from: offset, to: bytes.count, by: Self.size)
                guard bytes.count - offset > (count - 1) * Self.size,
                    starts.allSatisfy({ bytes[$0] == Self.sync })
                else { continue }
                let end = bytes.count - (bytes.count - offset) % Self.size
                return (Array(bytes[offset..<end]), Array(bytes[end...]))
            }
        }
        return nil
    }

    /// Counts the packets that are missing before and in a valid datagram.
    mutating func count(_ datagram: [UInt8]) {
        for start in stride(from: 0, to: datagram.count, by: Self.size) {
            let stream = UInt16(datagram[start + 1] & 0x1F) << 8 | UInt16(datagram[start + 2])
            let flags = datagram[start + 3]
            let counter = flags & 0x0F
            // Packets without payload do not count.
            guard stream != Self.nullStream, flags & 0x10 != 0 else { continue }
            defer { counters[stream] = counter }
            let hasField = flags & 0x20 != 0 && datagram[start + 4] > 0
            if hasField, datagram[start + 5] & 0x80 != 0 { continue }
            // A packet may be sent twice.
            guard let last = counters[stream], last != counter else { continue }
            lostCount += Int((counter &- last &- 1) & 0x0F)
        }
    }

    /// Forgets the counters, because another sender follows.
    mutating func restart() { (counters, beginning) = ([:], []) }
}
