// SPDX-License-Identifier: Apache-2.0

/// The bits of a NAL unit without the emulation prevention bytes.
struct NALBits {
    private var bits: BitReader

    /// The maximum number of bytes that are read. It is small, because headers are short.
    private static let limit = 64

    init(_ unit: UnsafeRawBufferPointer, from start: Int) {
        var (bytes, zeros) = ([UInt8](), 0)
        for byte in unit.dropFirst(start).prefix(Self.limit) {
            // This is an emulation_prevention_three_byte (ITU-T H.264, 7.4.1).
            if zeros >= 2, byte == 3 {
                zeros = 0
                continue
            }
            zeros = byte == 0 ? zeros + 1 : 0
            bytes.append(byte)
        }
        bits = BitReader(bytes)
    }

    /// Reads an Exp-Golomb code, ue(v) (ITU-T H.264, 9.1). Returns nil at the end.
    mutating func exponentialGolomb() -> Int? {
        var zeros = 0
        while true {
            guard let bit = bits.bit() else { return nil }
            if bit == 1 { break }
            zeros += 1
            guard zeros < 32 else { return nil }
        }
        var value = 1
        for _ in 0..<zeros {
            guard let bit = bits.bit() else { return nil }
            value = value << 1 | bit
        }
        return value - 1
    }
}
