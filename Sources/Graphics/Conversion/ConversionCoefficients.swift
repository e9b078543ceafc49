// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers

/// Y'CbCr to R'G'B' in fixed point, for vectors of eight 16-bit lanes.
///
/// Luma comes in from 0 to 32767 and chroma from -32768 to 32767 with 0 for grey, so that the upper
/// halves of 16-bit products keep all that there is; what goes out has 5 bits below the point. The
/// error is less than a tenth of a code value of 8 bits.
///
/// The vectors lie in memory, and Swift's loops load them anew for each eight pixels: held in a
/// register, the compiler would widen them to 32 bits outside of the loop, and no longer see that
/// `pmulhw` (SSE2's product of 16 bits, upper half) is what is meant.
final class ConversionCoefficients: @unchecked Sendable {
    // Unchecked: written in init only.

    /// What luma adds to each channel.
    static let luma = 0
    /// What the first chroma adds to the third channel, and to green.
    static let third = 16
    static let firstInGreen = 32
    /// What the second chroma adds to the first channel, and to green.
    static let first = 48
    static let secondInGreen = 64
    /// The constant part of the first channel, of green, and of the third.
    static let firstOffset = 80
    static let greenOffset = 96
    static let thirdOffset = 112
    private static let byteCount = 128
    /// Bits below the point of what goes out.
    static let fractionBits = 5

    let memory: UnsafeMutableRawPointer
    /// Whether rows are made with AVX2.
    let hasAVX2: Bool

    /// - Parameters:
    ///   - depth: bits of a sample.
    ///   - swapsRedAndBlue: makes blue the first channel; the caller swaps the chroma planes.
    init(
        _ conversion: YCbCrConversion, depth: Int, swapsRedAndBlue: Bool,
        hasAVX2: Bool = ConversionKernels.hasAVX2
    ) {
        self.hasAVX2 = hasAVX2
        memory = .allocate(byteCount: Self.byteCount, alignment: 64)
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: Self.byteCount)
        // Texture samples of 1 in the units of the lanes; chroma has one bit more.
        let lumaUnits = depth <= 8 ? 255.0 * 128 : 65535 * Double(1 << (15 - depth))
        let chromaUnits = lumaUnits * 2
        let scale = 255 * Double(1 << Self.fractionBits)
        func factor(_ value: Double, _ units: Double) -> Double {
            (value * scale / units * 65536).rounded()
        }
        func offset(_ channel: Int, productCount: Int) -> Double {
            let grey = 32768 / chromaUnits
            let value =
                conversion.offset[channel]
                + (conversion.second[channel] + conversion.third[channel]) * grey
            // Half a code value to round, and half a unit for each product, as they round down.
            return
                (value * scale + Double(1 << (Self.fractionBits - 1))
                + Double(productCount) / 2).rounded()
        }
        let red = (factor(conversion.third.x, chromaUnits), offset(0, productCount: 2))
        let blue = (factor(conversion.second.z, chromaUnits), offset(2, productCount: 2))
        let green = (
            factor(conversion.second.y, chromaUnits), factor(conversion.third.y, chromaUnits)
        )
        store(factor(conversion.first.x, lumaUnits), at: Self.luma)
        store(swapsRedAndBlue ? blue.0 : red.0, at: Self.first)
        store(swapsRedAndBlue ? red.0 : blue.0, at: Self.third)
        store(swapsRedAndBlue ? green.1 : green.0, at: Self.firstInGreen)
        store(swapsRedAndBlue ? green.0 : green.1, at: Self.secondInGreen)
        store(swapsRedAndBlue ? blue.1 : red.1, at: Self.firstOffset)
        store(swapsRedAndBlue ? red.1 : blue.1, at: Self.thirdOffset)
        store(offset(1, productCount: 3), at: Self.greenOffset)
    }

    deinit { memory.deallocate() }

    private func store(_ value: Double, at byteOffset: Int) {
        let value = Int16(min(max(value, -32768), 32767))
        memory.storeBytes(
            of: SIMD8<Int16>(repeating: value), toByteOffset: byteOffset, as: SIMD8<Int16>.self)
    }
}
