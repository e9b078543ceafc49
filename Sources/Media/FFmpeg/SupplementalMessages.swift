// SPDX-License-Identifier: Apache-2.0

/// The messages in a NAL unit of supplemental enhancement information (ISO/IEC 14496-10,
/// 7.3.2.3.1).
///
/// - Concurrency: any thread.
struct SupplementalMessages: Sequence, IteratorProtocol {
    private var rest: ArraySlice<UInt8>

    /// - Parameter header: The size of the unit's header in bytes: 1 in H.264, 2 in HEVC.
    init(_ unit: UnsafeRawBufferPointer, header: Int) {
        rest = Self.withoutEmulation(unit.dropFirst(header))[...]
    }

    mutating func next() -> (type: Int, payload: ArraySlice<UInt8>)? {
        guard rest.count > 2, let type = number(), let size = number(), size <= rest.count else {
            rest = []
            return nil
        }
        defer { rest = rest.dropFirst(size) }
        return (type, rest.prefix(size))
    }

    /// Reads a number, which is the sum of all bytes up to the first one that is not 255.
    private mutating func number() -> Int? {
        var value = 0
        while let byte = rest.popFirst() {
            value += Int(byte)
            if byte != 255 { return value }
        }
        return nil
    }

    /// Returns the bytes of a unit without emulation_prevention_three_byte.
    private static func withoutEmulation(_ unit: Slice<UnsafeRawBufferPointer>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(unit.count)
        var zeros = 0
        for byte in unit {
            if zeros >= 2, byte == 3 {
                zeros = 0
                continue
            }
            zeros = byte == 0 ? zeros + 1 : 0
            bytes.append(byte)
        }
        return bytes
    }
}
