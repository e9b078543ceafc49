// SPDX-License-Identifier: Apache-2.0

/// Two bytes of caption data and their kind, as transmitted with a frame.
///
/// - Concurrency: a value; any thread.
/// - Corresponds to: a `cc_data` construct of ATSC A/53 Part 4, 6.2.3.1; CEA-708-E, 4.3.
package struct CaptionPair: Sendable, Hashable {
    /// The kinds of data.
    package enum Kind: UInt8, Sendable {
        /// Line 21 of the first field: CC1 and CC2.
        case firstField
        /// Line 21 of the second field: CC3, CC4 and programme data.
        case secondField
        /// The continuation of a packet of CEA-708.
        case packetData
        /// The beginning of a packet of CEA-708.
        case packetStart
    }

    package var kind: Kind
    package var first: UInt8
    package var second: UInt8

    package init(_ kind: Kind, _ first: UInt8, _ second: UInt8) {
        (self.kind, self.first, self.second) = (kind, first, second)
    }

    /// Returns the pairs in `bytes`, which has three bytes for each pair: first a byte with marker
    /// bits, the validity and the kind, then the pair itself. Invalid pairs are left out.
    package static func pairs(_ bytes: some Collection<UInt8>) -> [CaptionPair] {
        var pairs: [CaptionPair] = []
        pairs.reserveCapacity(bytes.count / 3)
        var rest = bytes[...]
        while rest.count >= 3 {
            let head = rest.removeFirst()
            let (first, second) = (rest.removeFirst(), rest.removeFirst())
            guard head & 4 != 0, let kind = Kind(rawValue: head & 3) else { continue }
            pairs.append(CaptionPair(kind, first, second))
        }
        return pairs
    }

    /// A Boolean value that indicates whether the pair fills line 21 without data.
    package var isPadding: Bool {
        switch kind {
        case .firstField, .secondField: first & 0x7F == 0 && second & 0x7F == 0
        case .packetStart, .packetData: false
        }
    }
}
