// SPDX-License-Identifier: Apache-2.0

/// Assembles the packets of CEA-708 and returns the blocks of their services.
///
/// - Concurrency: a value; any thread.
/// - Corresponds to: CEA-708-E, 5 and 6.
package struct CEA708Packets: Sendable {
    /// A part of a service's data.
    package struct Block: Sendable, Hashable {
        /// The number of the service, from 1 to 63.
        package var service: Int
        package var bytes: [UInt8]

        package init(service: Int, bytes: [UInt8]) { (self.service, self.bytes) = (service, bytes) }
    }

    private var packet: [UInt8] = []

    package init() {}

    /// Reads a pair. If the pair completes a packet, returns the packet's blocks. An incomplete
    /// packet is discarded.
    package mutating func read(_ pair: CaptionPair) -> [Block] {
        switch pair.kind {
        case .firstField, .secondField: return []
        case .packetStart: packet = [pair.first, pair.second]
        case .packetData:
            guard !packet.isEmpty else { return [] }
            packet += [pair.first, pair.second]
        }
        let code = Int(packet[0] & 0x3F)
        let size = code == 0 ? 128 : code * 2
        guard packet.count >= size else { return [] }
        defer { packet = [] }
        return Self.blocks(packet[1..<size])
    }

    private static func blocks(_ data: ArraySlice<UInt8>) -> [Block] {
        var blocks: [Block] = []
        var rest = data
        while let header = rest.popFirst() {
            var service = Int(header >> 5)
            let size = Int(header & 31)
            // A null block ends the packet.
            if service == 0 { break }
            if service == 7, size > 0 {
                guard let extended = rest.popFirst() else { break }
                service = Int(extended & 63)
            }
            guard size > 0 else { continue }
            guard size <= rest.count else { break }
            if service > 0 {
                blocks.append(Block(service: service, bytes: Array(rest.prefix(size))))
            }
            rest = rest.dropFirst(size)
        }
        return blocks
    }

    /// Discards an incomplete packet, for a seek.
    package mutating func flush() { packet = [] }
}
