// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers

/// Converts samples to a format that an OpenGL ES implementation supports. 16-bit integers become
/// 16-bit floats if there are no textures of 16-bit integers, and samples are converted to the
/// CPU's byte order.
///
/// A 16-bit float has 11 significant bits. Samples of 10 bits are therefore exact, and samples of
/// 12 bits are rounded to 11 bits in the upper half of their range.
///
/// - Concurrency: render thread.
/// - Lifetime: the result is valid until the next call.
final class SampleConverter {
    private let memory = ScratchMemory()

    /// Converts a plane.
    ///
    /// - Parameters:
    ///   - sampleCount: the number of samples in a row, of all channels together.
    ///   - bytesPerSample: 2 or 4.
    ///   - isFloat: true if samples are floats. Only the order of their bytes is then changed.
    /// - Returns: the rows, without gaps between them.
    func convert(
        _ plane: PixelBuffer.Plane, sampleCount: Int, height: Int, bytesPerSample: Int,
        isFloat: Bool, isBigEndian: Bool
    ) -> UnsafeRawPointer? {
        let bytesPerRow = sampleCount * bytesPerSample
        guard let start = memory.makeRoom(bytesPerRow * height) else { return nil }
        for row in 0..<height {
            let target = start + row * bytesPerRow
            let source = plane.baseAddress + row * plane.bytesPerRow
            switch (bytesPerSample, isFloat, isBigEndian) {
            case (2, false, false):
                Self.map(source, target, sampleCount) { Self.half(UInt16(littleEndian: $0)) }
            case (2, false, true):
                Self.map(source, target, sampleCount) { Self.half(UInt16(bigEndian: $0)) }
            case (2, true, _):
                Self.map(source, target, sampleCount) { UInt16(bigEndian: $0) }
            default:
                Self.map(source, target, sampleCount) { UInt32(bigEndian: $0) }
            }
        }
        return UnsafeRawPointer(start)
    }

    @inline(__always)
    private static func map<Sample: FixedWidthInteger & BitwiseCopyable>(
        _ source: UnsafeRawPointer, _ target: UnsafeMutableRawPointer, _ count: Int,
        _ convert: (Sample) -> Sample
    ) {
        let samples = target.bindMemory(to: Sample.self, capacity: count)
        let size = MemoryLayout<Sample>.size
        for index in 0..<count {
            // A decoder's rows may start at any address.
            samples[index] = convert((source + index * size).loadUnaligned(as: Sample.self))
        }
    }

    /// Returns the 16-bit float (IEEE 754, binary16) that is nearest to a sample divided by 65536.
    /// Dividing by a power of two keeps the bits of the sample. The result differs from a division
    /// by 65535 by one part in 65536.
    @inline(__always)
    static func half(_ sample: UInt16) -> UInt16 {
        // Values below 2^-14 have no implied leading one, and are in units of 2^-24.
        guard sample >= 4 else { return sample << 8 }
        let zeros = UInt32(sample.leadingZeroBitCount)
        // The exponent, biased by 15, followed by the 16 bits after the leading one.
        let bits = (14 - zeros) << 16 | (UInt32(sample) << (zeros + 1)) & 0xFFFF
        // Rounds to the 10 bits of the mantissa. Halves are rounded to even.
        return UInt16(truncatingIfNeeded: (bits + 31 + (bits >> 6 & 1)) >> 6)
    }
}
