// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers

/// Lays the samples of two planes beside each other, pair by pair, for one texture of two channels.
///
/// - Concurrency: render thread.
/// - Lifetime: what it gives is there until it joins others.
final class ChromaJoiner {
    private let memory = ScratchMemory()

    /// - Parameter bytesPerSample: 1 or 2.
    /// - Returns: rows without a gap between them.
    func join(
        _ first: PixelBuffer.Plane, _ second: PixelBuffer.Plane, width: Int, height: Int,
        bytesPerSample: Int
    ) -> UnsafeRawPointer? {
        let bytesPerRow = width * bytesPerSample * 2
        guard let start = memory.makeRoom(bytesPerRow * height) else { return nil }
        for row in 0..<height {
            let target = start + row * bytesPerRow
            let left = first.baseAddress + row * first.bytesPerRow
            let right = second.baseAddress + row * second.bytesPerRow
            if bytesPerSample == 1 {
                Self.join(left, right, UInt8.self, as: UInt16.self, target, count: width)
            } else {
                Self.join(left, right, UInt16.self, as: UInt32.self, target, count: width)
            }
        }
        return UnsafeRawPointer(start)
    }

    @inline(__always)
    private static func join<Sample: FixedWidthInteger, Pair: FixedWidthInteger>(
        _ left: UnsafeRawPointer, _ right: UnsafeRawPointer, _: Sample.Type, as _: Pair.Type,
        _ target: UnsafeMutableRawPointer, count: Int
    ) where Sample: BitwiseCopyable, Pair: BitwiseCopyable {
        let pairs = target.bindMemory(to: Pair.self, capacity: count)
        let size = MemoryLayout<Sample>.size
        for index in 0..<count {
            // Rows of decoders begin anywhere.
            let first = (left + index * size).loadUnaligned(as: Sample.self)
            let second = (right + index * size).loadUnaligned(as: Sample.self)
            // The first is to come first in memory, whatever the processor's order.
            let pair =
                Pair(truncatingIfNeeded: Sample(littleEndian: first))
                | Pair(truncatingIfNeeded: Sample(littleEndian: second)) << Pair(size * 8)
            pairs[index] = Pair(littleEndian: pair)
        }
    }
}
