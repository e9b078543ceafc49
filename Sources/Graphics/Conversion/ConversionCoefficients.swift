// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers

/// The coefficients that convert Y'CbCr to R'G'B' in fixed point, for vectors of eight 16-bit
/// lanes.
///
/// Luma ranges from 0 to 32767 and chroma from -32768 to 32767 with 0 for grey, so that the upper
/// halves of 16-bit products keep the full precision. The output has 5 fraction bits. The error is
/// less than a tenth of an 8-bit code value.
///
/// Samples of more than 8 bits are dithered: the rounding constants include Bayer's 8 x 8 matrix. A
/// row of the matrix is as long as a vector, so there is one set of vectors for each row of the
/// matrix.
///
/// The vectors are in memory, and Swift's loops load them again for every eight pixels. If they
/// were kept in registers, the compiler would widen them to 32 bits outside of the loop, and would
/// no longer use `pmulhw` (SSE2's 16-bit product, upper half).
final class ConversionCoefficients: @unchecked Sendable {
    // Unchecked: written in init only.

    /// The offset of the vector with the factor of luma. The factor is the same for each channel.
    static let luma = 0
    /// The offsets of the vectors with the factors of the first chroma: the factors for the third
    /// channel, and the factors for green.
    static let third = 16
    static let firstInGreen = 32
    /// The offsets of the vectors with the factors of the second chroma: the factors for the first
    /// channel, and the factors for green.
    static let first = 48
    static let secondInGreen = 64
    /// The offsets of the vectors with the constant terms of the first channel, of green, and of
    /// the third channel.
    static let firstOffset = 80
    static let greenOffset = 96
    static let thirdOffset = 112
    private static let byteCount = 128
    /// The number of fraction bits of the output.
    static let fractionBits = 5

    private let memory: UnsafeMutableRawPointer
    /// The distance from the vectors of one row to the vectors of the next, in bytes; 0 if all rows
    /// share the same vectors.
    private let bytesPerRow: Int
    /// A Boolean value that indicates whether rows are converted by the loops in C.
    let usesKernels: Bool

    /// Creates the coefficients.
    ///
    /// - Parameters:
    ///   - depth: the number of bits of a sample.
    ///   - swapsRedAndBlue: true to make blue the first channel. The caller then swaps the chroma
    ///     planes.
    init(
        _ conversion: YCbCrConversion, depth: Int, swapsRedAndBlue: Bool,
        usesKernels: Bool = ConversionVectors.haveKernels
    ) {
        self.usesKernels = usesKernels
        bytesPerRow = depth > 8 ? Self.byteCount : 0
        let rowCount = depth > 8 ? BayerMatrix.rowCount : 1
        let byteCount = Self.byteCount * rowCount
        memory = .allocate(byteCount: byteCount, alignment: 64)
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
        let (lumaUnits, chromaUnits) = Self.units(depth: depth)
        let scale = 255 * Double(1 << Self.fractionBits)
        func factor(_ value: Double, _ units: Double) -> Double {
            (value * scale / units * 65536).rounded()
        }
        func offset(_ channel: Int, productCount: Int) -> Double {
            let grey = 32768 / chromaUnits
            let value =
                conversion.offset[channel]
                + (conversion.second[channel] + conversion.third[channel]) * grey
            // Adds half a code value for rounding, and half a unit for each product, because
            // products are rounded down.
            return value * scale + Double(1 << (Self.fractionBits - 1)) + Double(productCount) / 2
        }
        let red = (factor(conversion.third.x, chromaUnits), offset(0, productCount: 2))
        let blue = (factor(conversion.second.z, chromaUnits), offset(2, productCount: 2))
        let green = (
            factor(conversion.second.y, chromaUnits), factor(conversion.third.y, chromaUnits),
            offset(1, productCount: 3)
        )
        let offsets = [
            (swapsRedAndBlue ? blue.1 : red.1, Self.firstOffset), (green.2, Self.greenOffset),
            (swapsRedAndBlue ? red.1 : blue.1, Self.thirdOffset),
        ]
        for row in 0..<rowCount {
            let dither =
                depth > 8
                ? BayerMatrix.row(row) * Double(1 << Self.fractionBits) : SIMD8<Double>()
            store(factor(conversion.first.x, lumaUnits), row, at: Self.luma)
            store(swapsRedAndBlue ? blue.0 : red.0, row, at: Self.first)
            store(swapsRedAndBlue ? red.0 : blue.0, row, at: Self.third)
            store(swapsRedAndBlue ? green.1 : green.0, row, at: Self.firstInGreen)
            store(swapsRedAndBlue ? green.0 : green.1, row, at: Self.secondInGreen)
            for (offset, place) in offsets { store(offset, row, at: place, plus: dither) }
        }
    }

    /// Returns the values in a vector lane that stand for a texture sample of 1. Chroma has one bit
    /// more than luma.
    static func units(depth: Int) -> (luma: Double, chroma: Double) {
        let luma = depth <= 8 ? 255.0 * 128 : 65535 * Double(1 << (15 - depth))
        return (luma, luma * 2)
    }

    /// Returns the vectors for a row of pixels. Rows may be counted from the top or from the
    /// bottom.
    func vectors(forRow row: Int) -> UnsafeRawPointer {
        UnsafeRawPointer(memory + (row & (BayerMatrix.rowCount - 1)) * bytesPerRow)
    }

    deinit { memory.deallocate() }

    private func store(
        _ value: Double, _ row: Int, at place: Int, plus lanes: SIMD8<Double> = .zero
    ) {
        let values = (lanes + value).rounded(.toNearestOrAwayFromZero)
            .clamped(lowerBound: SIMD8(repeating: -32768), upperBound: SIMD8(repeating: 32767))
        memory.storeBytes(
            of: SIMD8<Int16>(values), toByteOffset: row * Self.byteCount + place,
            as: SIMD8<Int16>.self)
    }
}
