// SPDX-License-Identifier: Apache-2.0

/// The bits of a NAL unit without the emulation prevention bytes.
struct NALBits {
    private let bytes: [UInt8]
    private var position = 0

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
        self.bytes = bytes
    }

    private mutating func bit() -> Int? {
        guard position < bytes.count * 8 else { return nil }
        defer { position += 1 }
        return Int(bytes[position / 8] >> UInt8(7 - position % 8) & 1)
    }

    /// Reads an Exp-Golomb code, ue(v) (ITU-T H.264, 9.1). Returns nil at the end.
    mutating func exponentialGolomb() -> Int? {
        var zeros = 0
        while let bit = bit() {
            if bit == 1 { break }
            zeros += 1
            guard zeros < 32 else { return nil }
        }
        var value = 1
        for _ in 0..<zeros {
            guard let bit = bit() else { return nil }
            value = value << 1 | bit
        }
        return position <= bytes.count * 8 && !bytes.isEmpty ? value - 1 : nil
    }
}
