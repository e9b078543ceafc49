// SPDX-License-Identifier: Apache-2.0

/// The index of the parts of an MP4 file that can be requested by themselves.
///
/// - Concurrency: a value.
/// - Corresponds to: `sidx` of ISO/IEC 14496-12, 8.16.3.
struct SegmentIndex {
    struct Part: Hashable {
        var bytes: ByteSpan
        /// The times in units of the timescale.
        var start: Int64
        var end: Int64
    }

    private(set) var timescale: Int64
    private(set) var parts: [Part] = []
    /// The offset of the index in the file. Everything before it is the header.
    private(set) var offset: Int64

    /// Finds the index in a part of a file.
    ///
    /// - Parameter offset: The offset of the bytes in the file.
    /// - Returns: nil if there is no index, or if it is damaged or refers to further indexes.
    init?(_ bytes: [UInt8], at offset: Int64) {
        var reader = Reader(bytes: bytes)
        while true {
            let start = reader.position
            guard let short = reader.number(4), let type = reader.number(4) else { return nil }
            var size = short
            if size == 1 {
                guard let long = reader.number(8) else { return nil }
                size = long
            }
            guard size >= 8, size <= Int64(bytes.count - start) || type != Self.type else {
                return nil
            }
            if type == Self.type {
                self.offset = offset + Int64(start)
                timescale = 0
                guard read(&reader, end: offset + Int64(start) + size) else { return nil }
                return
            }
            guard size < Int64(bytes.count - start) else { return nil }
            reader.position = start + Int(size)
        }
    }

    /// The four characters `sidx`.
    private static let type: Int64 = 0x7369_6478

    private mutating func read(_ reader: inout Reader, end: Int64) -> Bool {
        guard let version = reader.number(1), reader.number(3) != nil, reader.number(4) != nil,
            let scale = reader.number(4), scale > 0, scale <= Int64(Int32.max),
            let earliest = reader.number(version == 0 ? 4 : 8),
            let first = reader.number(version == 0 ? 4 : 8), reader.number(2) != nil,
            let count = reader.number(2)
        else { return false }
        timescale = scale
        var (place, overflows) = end.addingReportingOverflow(first)
        guard !overflows, place >= 0, earliest >= 0 else { return false }
        var time = earliest
        for _ in 0..<count {
            guard let reference = reader.number(4), let duration = reader.number(4),
                reader.number(4) != nil, reference & 0x8000_0000 == 0
            else { return false }
            let (end, isTooLate) = time.addingReportingOverflow(duration)
            let bytes = ByteSpan(first: place, count: reference)
            (place, overflows) = place.addingReportingOverflow(reference)
            guard !overflows, !isTooLate else { return false }
            parts.append(Part(bytes: bytes, start: time, end: end))
            time = end
        }
        parts.removeAll { $0.bytes.count == 0 }
        return !parts.isEmpty
    }

    private struct Reader {
        let bytes: [UInt8]
        var position = 0

        /// Returns a big-endian number; nil at the end of the bytes.
        mutating func number(_ count: Int) -> Int64? {
            guard bytes.count - position >= count else { return nil }
            defer { position += count }
            let value = bytes[position..<position + count].reduce(UInt64(0)) {
                $0 << 8 | UInt64($1)
            }
            return Int64(exactly: value)
        }
    }
}
