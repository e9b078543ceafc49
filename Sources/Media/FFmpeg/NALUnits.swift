// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg

/// The NAL units in a packet of H.264 or HEVC, without their start codes or lengths.
///
/// - Concurrency: one thread at a time.
/// - Ownership: the units refer to the packet's memory.
struct NALUnits: Sequence, IteratorProtocol {
    private let bytes: UnsafeRawBufferPointer
    /// The size of the length field before each unit, in bytes; nil if the units have start codes.
    private let lengthSize: Int?
    private var index = 0

    init(_ bytes: UnsafeRawBufferPointer, lengthSize: Int?) {
        self.bytes = bytes
        self.lengthSize = lengthSize
    }

    /// Returns the size of the length fields; nil if the units have start codes. The size is stored
    /// in the lowest two bits of a byte in the configuration record of MP4 and Matroska (ISO/IEC
    /// 14496-15, 5.3.3.1 and 8.3.3.1).
    static func lengthSize(of codec: AVCodecParameters, at offset: Int) -> Int? {
        guard let record = codec.extradata, codec.extradata_size > offset, record[0] == 1 else {
            return nil
        }
        return Int(record[offset] & 3) + 1
    }

    mutating func next() -> UnsafeRawBufferPointer? {
        lengthSize.map { nextByLength($0) } ?? nextByStartCode()
    }

    private mutating func nextByLength(_ size: Int) -> UnsafeRawBufferPointer? {
        while index + size < bytes.count {
            let length = bytes[index..<index + size].reduce(0) { $0 << 8 | Int($1) }
            index += size
            guard length <= bytes.count - index else { return nil }
            defer { index += length }
            if length > 0 { return UnsafeRawBufferPointer(rebasing: bytes[index..<index + length]) }
        }
        return nil
    }

    private mutating func nextByStartCode() -> UnsafeRawBufferPointer? {
        guard let start = startCode(from: index) else { return nil }
        let end = startCode(from: start) ?? bytes.count + 3
        index = start
        guard end - 3 > start else { return nil }
        return UnsafeRawBufferPointer(rebasing: bytes[start..<end - 3])
    }

    /// Returns the index after the next start code.
    private func startCode(from place: Int) -> Int? {
        var index = place
        while index + 3 < bytes.count {
            if bytes[index] == 0, bytes[index + 1] == 0, bytes[index + 2] == 1 { return index + 3 }
            index += 1
        }
        return nil
    }
}
