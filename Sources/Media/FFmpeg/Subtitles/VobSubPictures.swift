// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets

/// The file of pictures of a VobSub pair: packs of an MPEG program stream (ISO/IEC 13818-1, 2.5.3),
/// in which a subtitle is spread over the private packets of its sub-stream.
///
/// Read by hand, since the places of the index are all that tells which subtitles there are:
/// FFmpeg's demuxer of such streams does not know tracks that begin late.
///
/// - Concurrency: one thread at a time.
struct VobSubPictures {
    let source: any MediaDataSource
    let cancellation: Cancellation
    /// What was read last, and where it lies.
    private var window: [UInt8] = []
    private var windowStart: Int64 = 0

    private static let windowBytes = 1 << 16
    /// Parts of packs that are looked at for one subtitle: the largest, of 64 KiB, takes a hundred.
    private static let maximumParts = 1024
    /// Sub-streams of subtitles have numbers from this on.
    private static let firstSubstream: UInt8 = 0x20

    init(_ source: any MediaDataSource, cancellation: Cancellation) {
        self.source = source
        self.cancellation = cancellation
    }

    /// Whether a file begins as one of these does.
    static func isPack(_ head: [UInt8]) -> Bool { head.starts(with: [0, 0, 1, 0xBA]) }

    /// What a decoder takes of the subtitle whose pack begins at a place; nil where there is none,
    /// or not all of it.
    ///
    /// - Parameter number: of its sub-stream, counted from 0.
    mutating func unit(at position: Int64, of number: UInt8) throws(MediaError) -> [UInt8]? {
        var position = position
        var unit: [UInt8] = []
        for _ in 0..<Self.maximumParts {
            let head = try bytes(at: position, count: 14)
            guard head.count == 14, head.starts(with: [0, 0, 1]) else { return nil }
            let length = Int(head[4]) << 8 | Int(head[5])
            switch head[3] {
            case 0xBA:
                // MPEG-1's pack headers are shorter, and have no stuffing.
                position += head[4] & 0xC0 == 0x40 ? 14 + Int64(head[13] & 7) : 12
                continue
            case 0xBD where head[6] & 0xC0 == 0x80:
                // The header of the packet, its own length behind it, then the sub-stream's number.
                let payload = try bytes(at: position + 6, count: length)
                let first = 3 + Int(head[8])
                guard payload.count == length, first < length else { return nil }
                if payload[first] == Self.firstSubstream + number {
                    unit += payload[(first + 1)...]
                }
            case 0xBB...0xFF: break
            default: return nil
            }
            position += 6 + Int64(length)
            guard unit.count >= 2 else { continue }
            let size = Int(unit[0]) << 8 | Int(unit[1])
            guard size > 4 else { return nil }
            if unit.count >= size { return Array(unit.prefix(size)) }
        }
        return nil
    }

    /// Fewer at the end of the file.
    private mutating func bytes(
        at position: Int64, count: Int
    ) throws(MediaError) -> [UInt8] {
        let end = position + Int64(count)
        if position < windowStart || end > windowStart + Int64(window.count) {
            try fill(from: position, count: max(count, Self.windowBytes))
        }
        let first = Int(position - windowStart)
        return Array(window[min(first, window.count)..<min(first + count, window.count)])
    }

    private mutating func fill(from position: Int64, count: Int) throws(MediaError) {
        let cancellation = cancellation
        let part = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
        defer { part.deallocate() }
        var filled = 0
        while filled < count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: part[filled...])
            let read = try source.read(into: rest, at: position + Int64(filled)) {
                cancellation.isCancelled
            }
            if read == 0 { break }
            filled += read
        }
        (window, windowStart) = (Array(part[..<filled]), position)
    }
}
