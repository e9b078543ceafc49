// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadTime
import Testing

@testable import PlayheadFFmpeg

/// Fragments of MP4 whose times are moved while they are read.
@Suite struct FragmentTimesTests {
    /// Bytes that a test hands out in blocks of any size.
    private final class Blocks: MediaDataSource, @unchecked Sendable {
        // Unchecked: one thread at a time reads.
        private let bytes: [UInt8]
        private let size: Int

        init(_ bytes: [UInt8], of size: Int) { (self.bytes, self.size) = (bytes, size) }

        var byteCount: Int64? { Int64(bytes.count) }
        var isSeekable: Bool { true }

        func read(
            into buffer: UnsafeMutableRawBufferPointer, at offset: Int64, isCancelled: () -> Bool
        ) throws(MediaError) -> Int {
            let part = bytes.dropFirst(Int(offset)).prefix(min(buffer.count, size))
            buffer.copyBytes(from: part)
            return part.count
        }
    }

    private static func number(_ value: Int64, _ count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }

    private static func box(_ type: String, _ contents: [UInt8]...) -> [UInt8] {
        let bytes = contents.flatMap { $0 }
        return number(Int64(bytes.count + 8), 4) + Array(type.utf8) + bytes
    }

    /// A file of two tracks with a thousand and 48,000 units in a second.
    private static func file(_ times: (long: Int64, short: Int64, index: Int64)) -> [UInt8] {
        func track(_ id: Int64, _ scale: Int64) -> [UInt8] {
            box(
                "trak", box("tkhd", number(0, 12), number(id, 4), number(0, 16)),
                box("mdia", box("mdhd", number(1 << 56, 8), number(0, 12), number(scale, 4))))
        }
        func fragment(_ id: Int64, _ time: [UInt8]) -> [UInt8] {
            box(
                "moof", box("mfhd", number(0, 8)),
                box(
                    "traf", box("tfhd", number(0, 4), number(id, 4)), box("tfdt", time),
                    box("trun", number(0, 8))))
        }
        var bytes = box("ftyp", Array("iso6tfdt".utf8))
        bytes += box("moov", track(1, 1000), track(2, 48_000))
        bytes += box("sidx", number(0, 8), number(90_000, 4), number(times.index, 4), number(0, 8))
        bytes += fragment(1, number(1 << 24, 4) + number(times.long, 8))
        // A box with a size of eight bytes, whose contents look like a fragment.
        let contents = fragment(1, number(0, 4) + number(7, 4))
        bytes += number(1, 4) + Array("mdat".utf8) + number(Int64(contents.count + 16), 8)
        bytes += contents
        bytes += fragment(2, number(0, 4) + number(times.short, 4))
        // The last box extends to the end of the file.
        return bytes + number(0, 4) + Array("mdat".utf8) + contents
    }

    private static func read(_ source: any MediaDataSource, by count: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        let block = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
        defer { block.deallocate() }
        while true {
            let read = try source.read(
                into: block, at: Int64(bytes.count), isCancelled: { false })
            if read == 0 { return bytes }
            bytes += block.prefix(read)
        }
    }

    @Test(arguments: [1, 2, 3, 5, 7, 8, 11, 16, 1 << 16], [1, 4096])
    func `all times are moved, however the bytes are split`(size: Int, count: Int) throws {
        let bytes = Self.file((1 << 40, 100, 0))
        let shift = FragmentShift(MediaTime(value: 5, timescale: 2))
        let moved = ShiftedFragments(Blocks(bytes, of: size), by: shift, from: 0)
        #expect(
            try Self.read(moved, by: count)
                == Self.file(((1 << 40) + 2500, 100 + 120_000, 225_000)))
    }

    @Test func `bytes that are not fragments stay as they are`() throws {
        var bytes = Self.file((1, 2, 3))
        var random = SplitMix64(seed: 7)
        for _ in 0..<200 {
            let place = Int(random.next() % UInt64(bytes.count))
            bytes[place] = UInt8(truncatingIfNeeded: random.next())
            let shift = FragmentShift(MediaTime(value: 1, timescale: 1))
            let source = ShiftedFragments(Blocks(bytes, of: 13), by: shift, from: 0)
            // Damaged files are read to their end too.
            #expect(try Self.read(source, by: 64).count == bytes.count)
        }
        let text = Array("#EXTM3U, and other text that is not made of boxes".utf8)
        let shift = FragmentShift(MediaTime(value: 1, timescale: 1))
        #expect(
            try Self.read(ShiftedFragments(Blocks(text, of: 7), by: shift, from: 0), by: 9) == text)
    }
}
