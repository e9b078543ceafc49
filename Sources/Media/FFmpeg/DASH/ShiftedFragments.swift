// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets

/// A header or a segment of MP4 whose timestamps are moved while it is read.
///
/// - Concurrency: one thread at a time, because reads of one reader are not concurrent.
final class ShiftedFragments: MediaDataSource, @unchecked Sendable {
    // Unchecked: only one thread at a time reads, and only reads access mutable state.

    private let source: any MediaDataSource
    private let shift: FragmentShift
    private var times = FragmentTimes()
    /// The bytes that have been moved, and the number of those that have been returned.
    private var ready: ArraySlice<UInt8> = []
    /// The bytes that have been read and are not moved yet.
    private var rest: [UInt8] = []
    /// The offset of the first byte that has not been returned, and of the first one that has not
    /// been read.
    private var position: Int64
    private var end: Int64

    private static let blockSize = 1 << 16

    /// - Parameter offset: The offset at which reading begins, which is that of a box.
    init(_ source: any MediaDataSource, by shift: FragmentShift, from offset: Int64) {
        (self.source, self.shift) = (source, shift)
        (position, end) = (offset, offset)
    }

    var byteCount: Int64? { source.byteCount }
    var isSeekable: Bool { source.isSeekable }

    func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: Int64, isCancelled: () -> Bool
    ) throws(MediaError) -> Int {
        if offset != position {
            (times, ready, rest) = (FragmentTimes(), [], [])
            (position, end) = (offset, offset)
        }
        while ready.isEmpty {
            guard try readBlock(isCancelled) else { break }
        }
        let part = ready.prefix(buffer.count)
        buffer.copyBytes(from: part)
        ready = ready.dropFirst(part.count)
        position += Int64(part.count)
        return part.count
    }

    /// Reads and moves the next bytes. Returns false at the end.
    private func readBlock(_ isCancelled: () -> Bool) throws(MediaError) -> Bool {
        let block = UnsafeMutableRawBufferPointer.allocate(
            byteCount: Self.blockSize, alignment: 16)
        defer { block.deallocate() }
        let count = try source.read(into: block, at: end, isCancelled: isCancelled)
        end += Int64(count)
        guard count > 0 else {
            // A box that is cut off stays as it is.
            (ready, rest) = (rest[...], [])
            return !ready.isEmpty
        }
        rest.append(contentsOf: block.prefix(count))
        let final = times.move(&rest, by: shift)
        ready = rest[..<final]
        rest = Array(rest[final...])
        return true
    }
}
