// SPDX-License-Identifier: Apache-2.0

/// Reads bits, the most significant one of each byte first.
struct BitReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Reads the next bit. Returns nil at the end.
    mutating func bit() -> Int? {
        guard position < bytes.count * 8 else { return nil }
        defer { position += 1 }
        return Int(bytes[position / 8] >> UInt8(7 - position % 8) & 1)
    }
}
