// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers

/// Interleaves the samples of two planes in pairs, for one texture with two channels.
///
/// - Concurrency: render thread.
/// - Lifetime: the result is valid until the next call.
final class ChromaJoiner {
    private let memory = ScratchMemory()

    /// Interleaves two planes.
    ///
    /// - Parameter bytesPerSample: 1 or 2.
    /// - Returns: the rows, without gaps between them.
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
            // A decoder's rows may start at any address.
            let first = (left + index * size).loadUnaligned(as: Sample.self)
            let second = (right + index * size).loadUnaligned(as: Sample.self)
            // The sample of the first plane comes first in memory, regardless of the CPU's byte
            // order.
            let pair =
                Pair(truncatingIfNeeded: Sample(littleEndian: first))
                | Pair(truncatingIfNeeded: Sample(littleEndian: second)) << Pair(size * 8)
            pairs[index] = Pair(littleEndian: pair)
        }
    }
}
