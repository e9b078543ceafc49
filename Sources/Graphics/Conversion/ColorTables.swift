// SPDX-License-Identifier: Apache-2.0

import CPlayheadKernels
import PlayheadBuffers

/// The conversion of a frame's samples to a target's code values through linear light. It applies
/// `YCbCrConversion` and `ColorTransform`, and uses a lookup table for each curve.
///
/// A shader computes five powers for a pixel. Here each power is looked up in a table whose steps
/// are finer than the eye can see. Tables of signals are indexed by the signal, and tables of light
/// by the square root of the light, because a display's curve is nearly a straight line over that
/// root. Only the two matrices are computed. The error is less than a third of an 8-bit code value.
///
/// - Corresponds to: `pictureColor` of `picture.glsl` and `targetColor` of `colorimetry.glsl`.
final class ColorTables: @unchecked Sendable {
    // Unchecked: written in init only.

    /// The range of the signals in `decoded`. It extends beyond 0 to 1, because limited range has
    /// values below black and above white.
    private static let signals = -0.25...1.25
    /// The number of entries of `decoded` for signals from 0 to 1: sixteen for each 8-bit code
    /// value.
    private static let decodedSteps = 4080.0
    /// The number of entries of the light tables for light from 0 to 1.
    private static let lightSteps: Float = 4096
    /// The largest light in the tables of gains. PQ reaches at most 1, and HLG reaches a tenth at a
    /// signal of 1.
    private static let mostLight = 2.0
    private static let mostRoot = Float(mostLight.squareRoot() * Double(lightSteps))
    /// The number of fraction bits of the values in `encoded`.
    private static let fractionBits = 5
    /// A constant for rounding. If it is added to a smaller float, the last bits of the sum are the
    /// nearest integer.
    private static let wholeNumbers = Float(1 << 23)

    /// The four terms whose sum is the index into `decoded`: the terms for luma, for the chroma of
    /// the third channel and for the chroma of the first channel, and the constant term.
    private let luma: SIMD4<Float>
    private let third: SIMD4<Float>
    private let first: SIMD4<Float>
    private let offset: SIMD4<Float>
    private let lastPlace: SIMD4<Float>
    /// The linear light of each signal.
    private let decoded: UnsafeMutablePointer<Float>
    /// The contribution of each of the frame's channels, in linear light, to the target's channels.
    private let columns: (SIMD4<Float>, SIMD4<Float>, SIMD4<Float>)
    /// For HLG, the weights of the frame's channels in the brightness of a pixel, and a table of
    /// the gain that is applied to light, indexed by that brightness; nil for other curves.
    private let system: (weights: SIMD4<Float>, gains: UnsafeMutablePointer<Float>)?
    /// The gain that is applied to light for tone mapping and for the target's scale, indexed by
    /// the largest channel.
    private let gains: UnsafeMutablePointer<Float>
    /// The target's code value for each light, with fraction bits.
    private let encoded: UnsafeMutablePointer<Int32>
    /// For each row of the Bayer matrix, the dither of its pixels, plus half a code value for
    /// rounding.
    private let dither: UnsafeMutablePointer<Int32>
    /// These tables as a C structure, for the loops in C.
    private let vectors: UnsafeMutablePointer<ph_kernels_tables>
    /// A Boolean value that indicates whether rows are converted by the loops in C.
    let usesKernels: Bool

    /// Returns whether a transform can be computed with tables. This is possible if the target is a
    /// display of standard range, whose output is at most 1.
    static func canMake(_ transform: ColorTransform) -> Bool {
        !transform.isIdentity && transform.encoding.isStandardRange
    }

    /// Creates the tables.
    ///
    /// - Parameters:
    ///   - depth: the number of bits of a sample.
    ///   - swapsRedAndBlue: true to make blue the first channel. The caller then swaps the chroma
    ///     planes.
    init(
        _ conversion: YCbCrConversion, _ transform: ColorTransform, depth: Int,
        swapsRedAndBlue: Bool, usesKernels: Bool = ConversionVectors.haveKernels
    ) {
        self.usesKernels = usesKernels
        /// Returns a value's components in the order of the output channels.
        func ordered(_ value: SIMD3<Double>) -> SIMD4<Float> {
            let value = SIMD3<Float>(value)
            return swapsRedAndBlue
                ? SIMD4(value.z, value.y, value.x, 0) : SIMD4(value.x, value.y, value.z, 0)
        }
        let (lumaUnits, chromaUnits) = ConversionCoefficients.units(depth: depth)
        let steps = Self.decodedSteps
        luma = ordered(conversion.first * steps / lumaUnits)
        let second = ordered(conversion.second * steps / chromaUnits)
        let last = ordered(conversion.third * steps / chromaUnits)
        (third, first) = swapsRedAndBlue ? (last, second) : (second, last)
        let grey = 32768 / chromaUnits
        offset = ordered(
            (conversion.offset + (conversion.second + conversion.third) * grey
                - Self.signals.lowerBound) * steps)
        let signalCount = Int((Self.signals.upperBound - Self.signals.lowerBound) * steps) + 1
        lastPlace = SIMD4(repeating: Float(signalCount - 1))
        let isHLG = transform.decoding == .hlg
        decoded = Self.table(count: signalCount) { place in
            let signal = Self.signals.lowerBound + Double(place) / steps
            return Float(
                isHLG
                    ? TransferCurve.hlgScene(signal)
                    : transform.decoding.light(SIMD3(repeating: signal)).x)
        }
        let matrix = transform.matrix
        let (red, blue) = (ordered(matrix.first), ordered(matrix.third))
        columns =
            swapsRedAndBlue
            ? (blue, ordered(matrix.second), red) : (red, ordered(matrix.second), blue)
        system =
            isHLG
            ? (
                ordered(TransferCurve.hlgLuma),
                Self.lightTable(to: Self.mostLight) { Float(TransferCurve.hlgGain($0)) }
            ) : nil
        gains = Self.lightTable(to: Self.mostLight) { light in
            guard let toneMapping = transform.toneMapping, light > 0 else {
                return Float(transform.encodingScale)
            }
            return Float(toneMapping(light) / light * transform.encodingScale)
        }
        let unit = Double(1 << Self.fractionBits)
        encoded = Self.lightTable(to: 1) { light in
            Int32((transform.encoding.signal(SIMD3(repeating: light)).x * 255 * unit).rounded())
        }
        dither = .allocate(capacity: BayerMatrix.rowCount * 8)
        for row in 0..<BayerMatrix.rowCount {
            let values = depth > 8 ? BayerMatrix.row(row) : SIMD8<Double>()
            for pixel in 0..<8 {
                (dither + row * 8 + pixel).initialize(
                    to: Int32((values[pixel] * unit + unit / 2).rounded()))
            }
        }
        func channels(_ value: SIMD4<Float>) -> (Float, Float, Float) {
            (value.x, value.y, value.z)
        }
        vectors = .allocate(capacity: 1)
        vectors.initialize(
            to: ph_kernels_tables(
                luma: channels(luma), third: channels(third), first: channels(first),
                offset: channels(offset), last_place: lastPlace.x, decoded: decoded,
                columns: (channels(columns.0), channels(columns.1), channels(columns.2)),
                weights: channels(system?.weights ?? .zero), system_gains: system?.gains,
                gains: gains, light_steps: Self.lightSteps, most_root: Self.mostRoot,
                encoded: encoded, fraction_bits: Int32(Self.fractionBits)))
    }

    deinit {
        vectors.deallocate()
        decoded.deallocate()
        system?.gains.deallocate()
        gains.deallocate()
        encoded.deallocate()
        dither.deallocate()
    }

    private static func table<Value>(
        count: Int, _ value: (Int) -> Value
    ) -> UnsafeMutablePointer<Value> {
        let table = UnsafeMutablePointer<Value>.allocate(capacity: count)
        for place in 0..<count { (table + place).initialize(to: value(place)) }
        return table
    }

    /// Returns a table that is indexed by the square root of the light.
    private static func lightTable<Value>(
        to most: Double, _ value: (Double) -> Value
    ) -> UnsafeMutablePointer<Value> {
        table(count: Int((most.squareRoot() * Double(lightSteps)).rounded(.up)) + 1) { place in
            let root = Double(place) / Double(lightSteps)
            return value(root * root)
        }
    }

    /// Converts a row of signals to pixels.
    ///
    /// - Parameters:
    ///   - signals: three lines, as `ConversionKernels.mixRow` writes them.
    ///   - stride: the distance from one line to the next, in bytes.
    ///   - index: the index of the row, which selects its dither.
    ///   - count: the number of pixels, a multiple of eight.
    func makeRow(
        _ signals: UnsafeRawPointer, stride: Int, index: Int, count: Int,
        into row: UnsafeMutableRawPointer
    ) {
        let dither = dither + (index & (BayerMatrix.rowCount - 1)) * 8
        if usesKernels {
            ph_kernels_make_row_by_light(
                vectors, signals, stride, dither, count,
                row.assumingMemoryBound(to: UInt32.self))
            return
        }
        @inline(__always) func lane(_ line: Int, _ pixel: Int) -> SIMD4<Float> {
            SIMD4(
                repeating: Float(
                    signals.loadUnaligned(
                        fromByteOffset: line &* stride &+ pixel &* 2, as: Int16.self)))
        }
        let system = system
        var pixel = 0
        while pixel < count {
            var place = offset + luma * lane(0, pixel)
            place += third * lane(1, pixel)
            place += first * lane(2, pixel)
            let places = Self.whole(Self.clamped(place, lastPlace))
            let (x, y, z) = (decoded[places.0], decoded[places.1], decoded[places.2])
            let light = columns.0 * x + columns.1 * y + columns.2 * z
            var factor: Float = 1
            if let system {
                let weights = system.weights
                factor = Self.gain(
                    system.gains, weights.x * x + weights.y * y + weights.z * z)
            }
            let largest = max(light.x, max(light.y, light.z)) * factor
            factor *= Self.gain(gains, largest)
            let shown = Self.clamped(light * factor, SIMD4(repeating: 1))
            let roots = Self.whole(shown.squareRoot() * Self.lightSteps)
            // The result is never below 0 or above 255, because half a code value is more than the
            // dither.
            let noise = dither[pixel & 7]
            @inline(__always) func byte(_ root: Int) -> UInt32 {
                UInt32(bitPattern: (encoded[root] &+ noise) &>> Int32(Self.fractionBits))
            }
            row.storeBytes(
                of: byte(roots.0) | byte(roots.1) &<< 8 | byte(roots.2) &<< 16 | 0xFF00_0000,
                toByteOffset: pixel &* 4, as: UInt32.self)
            pixel &+= 1
        }
    }

    @inline(__always)
    private static func clamped(_ value: SIMD4<Float>, _ most: SIMD4<Float>) -> SIMD4<Float> {
        let positive = value.replacing(with: 0, where: value .< 0)
        return positive.replacing(with: most, where: positive .> most)
    }

    /// Returns the nearest integers of the first three lanes.
    @inline(__always)
    private static func whole(_ value: SIMD4<Float>) -> (Int, Int, Int) {
        let bits = unsafeBitCast(value + wholeNumbers, to: SIMD4<UInt32>.self) & 0x007F_FFFF
        return (Int(bits.x), Int(bits.y), Int(bits.z))
    }

    @inline(__always)
    private static func gain(_ table: UnsafeMutablePointer<Float>, _ light: Float) -> Float {
        let root = max(light, 0).squareRoot() * lightSteps
        let place = min(root, mostRoot) + wholeNumbers
        return table[Int(place.bitPattern & 0x007F_FFFF)]
    }
}
