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
    mutating func restart() { counters = [:] }
}
