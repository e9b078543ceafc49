// SPDX-License-Identifier: Apache-2.0

import CPlayheadKernels

/// A curve of 256 values for each channel of opaque 8-bit pixels.
///
/// On processors with AVX-512 VBMI, a loop in C looks up sixteen pixels at a time.
///
/// - Concurrency: any thread.
package struct ChannelCurves: Sendable {
    /// 256 values of the first byte of a pixel, 256 of the second and 256 of the third.
    private let bytes: [UInt8]
    /// The same values, shifted to the bits of their channel in a pixel of 32 bits.
    private let tables: [UInt32]

    private static let haveKernels = ph_kernels_have_byte_tables()

    /// Creates the curves.
    ///
    /// - Parameter bytes: 256 values of the first byte of a pixel, then those of the second and of
    ///   the third.
    /// - Precondition: there are 768 values.
    package init(_ bytes: [UInt8]) {
        precondition(bytes.count == 768, "\(bytes.count) values of three curves")
        self.bytes = bytes
        tables = bytes.enumerated().map { UInt32($1) << UInt32($0 / 256 * 8) }
    }

    /// Applies the curves to pixels of four bytes. The fourth byte becomes 255.
    ///
    /// - Parameter usesKernels: true to use the loop in C if the processor supports it. The result
    ///   is the same.
    package func apply(to pixels: UnsafeMutableRawBufferPointer, usesKernels: Bool = true) {
        guard usesKernels && Self.haveKernels else { return applyOneByOne(to: pixels) }
        guard let base = pixels.baseAddress else { return }
        bytes.withUnsafeBufferPointer { bytes in
            ph_kernels_apply_curves(
                bytes.baseAddress, pixels.count / 4, base.assumingMemoryBound(to: UInt8.self))
        }
    }

    private func applyOneByOne(to bytes: UnsafeMutableRawBufferPointer) {
        let pixels = bytes.bindMemory(to: UInt32.self)
        guard let base = pixels.baseAddress else { return }
        tables.withUnsafeBufferPointer { tables in
            guard let first = tables.baseAddress else { return }
            let (second, third) = (first + 256, first + 512)
            for index in 0..<pixels.count {
                let pixel = UInt32(littleEndian: base[index])
                base[index] =
                    (first[Int(pixel & 0xff)] | second[Int(pixel >> 8 & 0xff)]
                    | third[Int(pixel >> 16 & 0xff)] | 0xff00_0000).littleEndian
            }
        }
    }
}
