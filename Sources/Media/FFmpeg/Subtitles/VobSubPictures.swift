// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets

/// The bitmap file of a VobSub pair. It consists of packs of an MPEG program stream (ISO/IEC
/// 13818-1, 2.5.3). Each subtitle is split into private packets of its substream.
///
/// The file is parsed here, because only the offsets in the index show which subtitles exist.
/// FFmpeg's demuxer of program streams does not detect tracks that begin late.
///
/// - Concurrency: one thread at a time.
struct VobSubPictures {
    let source: any MediaDataSource
    let cancellation: Cancellation
    /// The data that was read last, and its offset.
    private var window: [UInt8] = []
    private var windowStart: Int64 = 0

    private static let windowBytes = 1 << 16
    /// The maximum number of packets for one subtitle. The largest subtitle has 64 KiB and takes
    /// about a hundred packets.
    private static let maximumParts = 1024
    /// The number of the first subtitle substream.
    private static let firstSubstream: UInt8 = 0x20

    init(_ source: any MediaDataSource, cancellation: Cancellation) {
        self.source = source
        self.cancellation = cancellation
    }

    /// Returns whether a file begins with a pack.
    static func isPack(_ head: [UInt8]) -> Bool { head.starts(with: [0, 0, 1, 0xBA]) }

    /// Returns the data of the subtitle whose pack begins at an offset; nil if there is no complete
    /// subtitle.
    ///
    /// - Parameter number: The number of the substream, from 0.
    mutating func unit(at position: Int64, of number: UInt8) throws(MediaError) -> [UInt8]? {
        var position = position
        var unit: [UInt8] = []
        for _ in 0..<Self.maximumParts {
            let head = try bytes(at: position, count: 14)
            guard head.count == 14, head.starts(with: [0, 0, 1]) else { return nil }
            let length = Int(head[4]) << 8 | Int(head[5])
            switch head[3] {
            case 0xBA:
                // The pack header of MPEG-1 is shorter, and has no stuffing.
                position += head[4] & 0xC0 == 0x40 ? 14 + Int64(head[13] & 7) : 12
                continue
            case 0xBD where head[6] & 0xC0 == 0x80:
                // The packet has a header with its length, followed by the number of the substream.
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

    /// Returns a range of bytes. At the end of the file, fewer bytes are returned.
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
