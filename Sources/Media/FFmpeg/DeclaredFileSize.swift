// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg

/// The size of a file according to its header. It is needed because FFmpeg reads a truncated file
/// without an error.
enum DeclaredFileSize {
    /// Returns the size that the beginning of a file declares; nil if it declares no size.
    static func byteCount(head: some Collection<UInt8>) -> Int64? {
        let head = Array(head.prefix(64))
        return riff(head) ?? matroska(head)
    }

    /// The tolerance of the size, in bytes. Programs differ in whether they include the header and
    /// the padding byte of an odd length.
    static let tolerance: Int64 = 16

    /// The largest RIFF length that counts as a size. Programs that write to a pipe cannot update
    /// the header, and store the maximum length: 2³¹ or 2³² bytes, or a little less.
    private static let longestRIFF: UInt32 = 0x7F00_0000

    /// Parses AVI and WAVE. In a long AVI, the header contains only the size of the first part.
    private static func riff(_ head: [UInt8]) -> Int64? {
        guard head.count >= 12, head.starts(with: "RIFF".utf8),
            head[8..<12].elementsEqual("AVI ".utf8) || head[8..<12].elementsEqual("WAVE".utf8)
        else { return nil }
        let length = head[4..<8].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return length > 0 && length < longestRIFF ? Int64(length) + 8 : nil
    }

    /// Parses Matroska: a header, then a segment with everything else (RFC 9559, section 4.5).
    private static func matroska(_ head: [UInt8]) -> Int64? {
        var rest = head[...]
        guard rest.starts(with: [0x1A, 0x45, 0xDF, 0xA3]) else { return nil }
        rest = rest.dropFirst(4)
        guard let header = length(&rest), header <= rest.count else { return nil }
        rest = rest.dropFirst(Int(header))
        guard rest.starts(with: [0x18, 0x53, 0x80, 0x67]) else { return nil }
        rest = rest.dropFirst(4)
        guard let segment = length(&rest) else { return nil }
        return Int64(head.count - rest.count) + segment
    }

    /// Parses an EBML length (RFC 8794, section 4). The number of bytes is one more than the number
    /// of leading zero bits. Returns nil if all bits are set, which marks an unknown length.
    private static func length(_ bytes: inout ArraySlice<UInt8>) -> Int64? {
        guard let first = bytes.first, first > 0 else { return nil }
        let count = first.leadingZeroBitCount + 1
        guard bytes.count >= count else { return nil }
        let bits = bytes.prefix(count).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        bytes = bytes.dropFirst(count)
        let mask = UInt64(1) << UInt64(7 * count) - 1
        let value = bits & mask
        return value == mask ? nil : Int64(value)
    }
}

extension FormatContext {
    /// The number of bytes missing at the end of the file; 0 if no bytes are known to be missing.
    var missingByteCount: Int64 {
        guard let input = pointer.pointee.pb else { return 0 }
        let size = avio_size(input)
        let stated = max(declaredByteCount ?? 0, indexedByteCount)
        return size > 0 && stated - size > DeclaredFileSize.tolerance ? stated - size : 0
    }

    /// The end of the last sample in the index of an MP4. The indexes of other formats contain no
    /// sizes.
    private var indexedByteCount: Int64 {
        let format = String(cString: pointer.pointee.iformat.pointee.name)
        guard format.hasPrefix("mov,") else { return 0 }
        var end: Int64 = 0
        // In FFmpeg 5.1, the index of AVIF is invalid. In AVIF, no track has a duration.
        for case let stream? in streams where stream.pointee.duration > 0 {
            for index in 0..<avformat_index_get_entries_count(stream) {
                guard let entry = avformat_index_get_entry(stream, index)?.pointee else { continue }
                let (last, isTooFar) = entry.pos.addingReportingOverflow(Int64(entry.size))
                if !isTooFar { end = max(end, last) }
            }
        }
        return end
    }
}
