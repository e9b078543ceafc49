// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg

/// The sequence header at the beginning of a packet of Dirac or VC-2.
struct DiracHeader {
    /// A Boolean value that indicates whether each picture is a field. FFmpeg decodes frames only.
    let codesFields: Bool

    /// The numbers of the header.
    private struct Numbers {
        var bits: BitReader

        mutating func bit() -> Int? { bits.bit() }

        /// Reads an unsigned number, `read_uint` (SMPTE ST 2042-1, A.4.3). Returns nil at the end.
        mutating func number() -> Int? {
            var value = 1
            while let isLast = bit() {
                if isLast == 1 { return value - 1 }
                guard value < 1 << 32, let next = bit() else { return nil }
                value = value << 1 | next
            }
            return nil
        }

        mutating func skip(_ count: Int) { for _ in 0..<count { _ = number() } }

        /// Skips a custom value: an index, and numbers in its place if it is 0.
        mutating func skipPreset(numbers: Int) {
            if bit() == 1, number() == 0 { skip(numbers) }
        }
    }

    /// The size of the parse info: "BBCD", the kind of data, and two offsets (SMPTE ST 2042-1,
    /// 10.5.1).
    private static let parseInfo = 13
    /// The maximum size of a header that is read.
    private static let limit = 256

    /// Returns nil if a packet does not begin with a sequence header.
    init?(_ packet: AVPacket) {
        guard let data = packet.data, packet.size > Self.parseInfo else { return nil }
        let bytes = UnsafeBufferPointer(
            start: data, count: min(Int(packet.size), Self.limit))
        guard bytes.starts(with: "BBCD".utf8), bytes[4] == 0 else { return nil }
        var bits = Numbers(bits: BitReader(Array(bytes[Self.parseInfo...])))
        // SMPTE ST 2042-1, 11: the versions, the profile, the level, and the base video format.
        bits.skip(5)
        // The size, the chroma format, and the scan format.
        for numbers in [2, 1, 1] where bits.bit() == 1 { bits.skip(numbers) }
        // The frame rate, and the pixel aspect ratio.
        for _ in 0..<2 { bits.skipPreset(numbers: 2) }
        // The clean area.
        if bits.bit() == 1 { bits.skip(4) }
        // The signal range.
        bits.skipPreset(numbers: 4)
        // The colour: primaries, matrix and transfer function.
        if bits.bit() == 1, bits.number() == 0 {
            for _ in 0..<3 where bits.bit() == 1 { bits.skip(1) }
        }
        guard let mode = bits.number() else { return nil }
        codesFields = mode == 1
    }
}
