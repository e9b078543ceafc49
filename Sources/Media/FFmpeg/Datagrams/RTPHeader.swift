// SPDX-License-Identifier: Apache-2.0

/// The header of an RTP packet (RFC 3550, section 5.1).
struct RTPHeader: Hashable {
    var payloadType: UInt8
    var sequence: UInt16
    var timestamp: UInt32
    var source: UInt32
    /// The range of the payload in the datagram.
    var payload: Range<Int>

    private static let size = 12

    /// Parses a datagram. Fails if it is not an RTP packet.
    init?(_ datagram: some RandomAccessCollection<UInt8>) {
        let bytes = Array(datagram.prefix(Self.size + 15 * 4 + 4))
        guard bytes.count >= Self.size, bytes[0] >> 6 == 2 else { return nil }
        func number(at index: Int, _ count: Int) -> UInt32 {
            bytes[index..<index + count].reduce(0) { $0 << 8 | UInt32($1) }
        }
        payloadType = bytes[1] & 0x7F
        sequence = UInt16(number(at: 2, 2))
        timestamp = number(at: 4, 4)
        source = number(at: 8, 4)
        var start = Self.size + Int(bytes[0] & 0x0F) * 4
        if bytes[0] & 0x10 != 0 {
            // An extension states its length in words, without its own header.
            guard bytes.count >= start + 4 else { return nil }
            start += 4 + Int(number(at: start + 2, 2)) * 4
        }
        var end = datagram.count
        if bytes[0] & 0x20 != 0, let padding = datagram.last { end -= Int(padding) }
        guard start <= end else { return nil }
        payload = start..<end
    }
}
