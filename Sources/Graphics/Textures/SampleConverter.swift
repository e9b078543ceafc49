// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers

/// Brings samples into a form that an OpenGL ES takes: integers of 16 bits as floats of 16 bits where it
/// has no textures of the former, and any in the processor's order of bytes.
///
/// A float of 16 bits has 11 significant ones: what has 10 bits is kept exactly, of 12 bits the upper half
/// is rounded to 11.
///
/// - Concurrency: render thread.
/// - Lifetime: what it gives is there until it converts others.
final class SampleConverter {
    private let memory = ScratchMemory()

    /// - Parameters:
    ///   - sampleCount: of a row, all channels together.
    ///   - bytesPerSample: 2 or 4.
    ///   - isFloat: whether samples are floats: then only their bytes change places.
    /// - Returns: rows without a gap between them.
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
            // Rows of decoders begin anywhere.
            samples[index] = convert((source + index * size).loadUnaligned(as: Sample.self))
        }
    }

    /// The float of 16 bits (IEEE 754, binary16) nearest to a sample's share of 65536, the bits of which
    /// are the sample's own: off from its share of 65535 by a 65536th of itself.
    @inline(__always)
    static func half(_ sample: UInt16) -> UInt16 {
        // Below 2^-14 there is no leading one that is left out: in units of 2^-24.
        guard sample >= 4 else { return sample << 8 }
        let zeros = UInt32(sample.leadingZeroBitCount)
        // The exponent, biased by 15, then the 16 bits behind the leading one.
        let bits = (14 - zeros) << 16 | (UInt32(sample) << (zeros + 1)) & 0xFFFF
        // To the 10 bits that there are, halves to the even one.
        return UInt16(truncatingIfNeeded: (bits + 31 + (bits >> 6 & 1)) >> 6)
    }
}
