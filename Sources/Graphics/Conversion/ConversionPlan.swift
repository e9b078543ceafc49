// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers

/// The tables and coefficients that are computed once for all frames of one format and size.
final class ConversionPlan: Sendable {
    /// The values that a plan is computed from.
    struct Key: Equatable, Sendable {
        var format: PixelFormat
        var width: Int
        var height: Int
        var color: ColorAttachments
        var part: ConversionPart
        var byteOrder: PixelByteOrder
        /// The transform; nil if the frame's values need no conversion for the target.
        var transform: ColorTransform?

        /// Returns whether two keys have the same colour conversion. Sizes are not compared.
        func hasColors(of other: Self) -> Bool {
            format == other.format && color == other.color && byteOrder == other.byteOrder
                && transform == other.transform
        }
    }

    /// The last step, from lines to pixels.
    enum Finish: Sendable {
        /// A matrix, if the frame's values need no conversion for the target.
        case matrix(ConversionCoefficients)
        /// A conversion through linear light.
        case tables(ColorTables)
    }

    let key: Key
    let lumaX: SampleAxis
    let lumaY: SampleAxis
    let chromaX: SampleAxis
    let chromaY: SampleAxis
    let finish: Finish
    /// A Boolean value that indicates whether samples have more than 8 bits.
    let isDeep: Bool
    /// The `shift` parameter of `filterDeepRow`.
    let shift: Int32
    /// A Boolean value that indicates whether Cb and Cr share a plane, as in NV12.
    let isInterleaved: Bool
    let chromaWidth: Int

    /// The number of bits of a weight along a row, and of a weight across rows: `plain` for samples
    /// of 8 bits, `deep` for deeper samples.
    private static let fractionBits = (plain: (8, 8), deep: (12, 15))
    /// The number of bits of the output of `filterDeepRow`.
    private static let lineBits = 14

    /// Creates a plan.
    ///
    /// - Parameter former: an earlier plan whose tables are shared if the colours are the same.
    init(
        _ key: Key, former: ConversionPlan? = nil, usesKernels: Bool = ConversionVectors.haveKernels
    ) {
        self.key = key
        let format = key.format
        let part = key.part
        let depth = format.bitDepth
        isDeep = depth > 8
        isInterleaved = format.components[1].plane == format.components[2].plane
        let bits = isDeep ? Self.fractionBits.deep : Self.fractionBits.plain
        let sampleSize = isDeep ? 2 : 1
        shift = Int32(depth + bits.0 - Self.lineBits)
        let siting = ChromaSiting(
            format: format, width: key.width, height: key.height,
            location: key.color.chromaLocation)
        let chroma = format.planeSize(1, width: key.width, height: key.height)
        chromaWidth = chroma.width
        lumaX = SampleAxis(
            count: part.outputWidth, sampleCount: key.width, start: part.x, length: part.width,
            fractionBits: bits.0, sampleSize: sampleSize, usesKernels: usesKernels)
        lumaY = SampleAxis(
            count: part.outputHeight, sampleCount: key.height, start: part.y,
            length: part.height, fractionBits: bits.1)
        chromaX = SampleAxis(
            count: part.outputWidth, sampleCount: chroma.width,
            start: part.x * siting.scale.x + siting.offset.x, length: part.width * siting.scale.x,
            fractionBits: bits.0, sampleSize: sampleSize, usesKernels: usesKernels)
        chromaY = SampleAxis(
            count: part.outputHeight, sampleCount: chroma.height,
            start: part.y * siting.scale.y + siting.offset.y,
            length: part.height * siting.scale.y, fractionBits: bits.1)
        if let former {
            finish = former.finish
            return
        }
        let conversion = YCbCrConversion(format: format, color: key.color)
        let swapsRedAndBlue = key.byteOrder == .bgra
        if let transform = key.transform {
            finish = .tables(
                ColorTables(
                    conversion, transform, depth: depth, swapsRedAndBlue: swapsRedAndBlue,
                    usesKernels: usesKernels))
        } else {
            finish = .matrix(
                ConversionCoefficients(
                    conversion, depth: depth, swapsRedAndBlue: swapsRedAndBlue,
                    usesKernels: usesKernels))
        }
    }
}
