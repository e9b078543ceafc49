// SPDX-License-Identifier: Apache-2.0

import CPlayheadKernels

/// The loops over pixels. They process sixteen pixels at a time with AVX2 and NEON, and eight
/// otherwise.
///
/// The loops here are written with Swift's vectors so that they compile to SSE2, which every x86-64
/// has. The machine code of every operation was checked. If the processor has AVX2 or NEON, loops
/// in C compute the same result, bit for bit; with AVX2 they take half the time. The lines that the
/// loops exchange have 16 bits a sample.
///
/// - Precondition: counts are multiples of `ConversionVectors.padding`, and memory reaches that
///   far.
enum ConversionKernels {
    /// The number of pixels that the loops here process at a time.
    private static let lanes = 8

    private typealias Lanes = SIMD8<UInt16>

    @inline(__always)
    private static func load(_ address: UnsafeRawPointer, _ index: Int) -> Lanes {
        address.loadUnaligned(fromByteOffset: index &* 2, as: Lanes.self)
    }

    /// Returns the upper halves of the products.
    @inline(__always)
    private static func upperProduct(_ left: SIMD8<Int16>, _ right: SIMD8<Int16>) -> SIMD8<Int16> {
        SIMD8<Int16>(
            truncatingIfNeeded: (SIMD8<Int32>(truncatingIfNeeded: left)
                &* SIMD8<Int32>(truncatingIfNeeded: right)) &>> 16)
    }

    // MARK: Along a row

    /// Filters a row of 8-bit samples. Each output sample is `a + (w * (b - a) + 128) >> 8`. Mesa's
    /// software rasteriser uses the same formula, so both draw identical frames.
    static func filterRow(
        _ samples: UnsafeRawPointer, _ axis: SampleAxis, into line: UnsafeMutableRawPointer
    ) {
        if let groups = axis.groups {
            ph_kernels_filter_row(
                samples.assumingMemoryBound(to: UInt8.self), groups.bases, groups.places,
                axis.weights, axis.paddedCount, line.assumingMemoryBound(to: UInt16.self))
            return
        }
        var pixel = 0
        // Where each pixel is exactly one sample, samples are copied.
        let run = axis.runLength & ~(lanes - 1)
        let first = samples + Int(axis.indices[0])
        while pixel < run {
            let values = first.loadUnaligned(fromByteOffset: pixel, as: SIMD8<UInt8>.self)
            line.storeBytes(
                of: Lanes(truncatingIfNeeded: values), toByteOffset: pixel &* 2, as: Lanes.self)
            pixel &+= lanes
        }
        let indices = axis.indices
        let weights = UnsafeRawPointer(axis.weights)
        let count = axis.paddedCount
        @inline(__always) func pair(_ pixel: Int) -> UInt16 {
            samples.loadUnaligned(fromByteOffset: Int(indices[pixel]), as: UInt16.self)
        }
        while pixel < count {
            let pairs = Lanes(
                pair(pixel), pair(pixel &+ 1), pair(pixel &+ 2), pair(pixel &+ 3),
                pair(pixel &+ 4), pair(pixel &+ 5), pair(pixel &+ 6), pair(pixel &+ 7))
            let left = pairs & 0xFF
            let right = pairs &>> 8
            let weight = load(weights, pixel)
            let value = (left &+ ((weight &* (right &- left) &+ 128) &>> 8)) & 0xFF
            line.storeBytes(of: value, toByteOffset: pixel &* 2, as: Lanes.self)
            pixel &+= lanes
        }
    }

    /// Filters a row of samples of 9 to 14 bits. The output has 14 bits.
    ///
    /// - Parameter shift: the number of bits of a sample plus the number of bits of a weight, minus
    ///   14.
    static func filterDeepRow(
        _ samples: UnsafeRawPointer, _ axis: SampleAxis, shift: Int32,
        into line: UnsafeMutableRawPointer
    ) {
        if let groups = axis.groups {
            ph_kernels_filter_deep_row(
                samples.assumingMemoryBound(to: UInt16.self), groups.bases, groups.places,
                groups.weights, axis.paddedCount, shift,
                line.assumingMemoryBound(to: UInt16.self))
            return
        }
        let indices = axis.indices
        let weights = UnsafeRawPointer(axis.weights)
        let count = axis.paddedCount
        let unit = SIMD4<Int32>(repeating: Int32(axis.unit))
        let shifts = SIMD4<Int32>(repeating: shift)
        let half = SIMD4<Int32>(repeating: 1 &<< (shift &- 1))
        @inline(__always) func pair(_ pixel: Int) -> Int32 {
            samples.loadUnaligned(fromByteOffset: Int(indices[pixel]) &* 2, as: Int32.self)
        }
        var pixel = 0
        while pixel < count {
            let pairs = SIMD4<Int32>(
                pair(pixel), pair(pixel &+ 1), pair(pixel &+ 2), pair(pixel &+ 3))
            // Masks the bits that such samples do not have. This also shows the compiler that
            // 16-bit products suffice.
            let left = pairs & 0x3FFF
            let right = (pairs &>> 16) & 0x3FFF
            let weight = SIMD4<Int32>(
                truncatingIfNeeded: weights.loadUnaligned(
                    fromByteOffset: pixel &* 2, as: SIMD4<Int16>.self))
            let sum = left &* (unit &- weight) &+ right &* weight
            let value = SIMD4<UInt16>(truncatingIfNeeded: (sum &+ half) &>> shifts)
            line.storeBytes(of: value, toByteOffset: pixel &* 2, as: SIMD4<UInt16>.self)
            pixel &+= 4
        }
    }

    /// Separates a row of interleaved chroma (NV12).
    static func separate(
        _ samples: UnsafeRawPointer, count: Int, into first: UnsafeMutableRawPointer,
        _ second: UnsafeMutableRawPointer
    ) {
        var index = 0
        while index &+ lanes <= count {
            let pairs = load(samples, index)
            first.storeBytes(
                of: SIMD8<UInt8>(truncatingIfNeeded: pairs), toByteOffset: index,
                as: SIMD8<UInt8>.self)
            second.storeBytes(
                of: SIMD8<UInt8>(truncatingIfNeeded: pairs &>> 8), toByteOffset: index,
                as: SIMD8<UInt8>.self)
            index &+= lanes
        }
        while index < count {
            let pair = samples.loadUnaligned(fromByteOffset: index &* 2, as: UInt16.self)
            first.storeBytes(
                of: UInt8(truncatingIfNeeded: pair), toByteOffset: index, as: UInt8.self)
            second.storeBytes(
                of: UInt8(truncatingIfNeeded: pair &>> 8), toByteOffset: index, as: UInt8.self)
            index &+= 1
        }
    }

    // MARK: From row to row

    /// Two lines of a plane, and the weight of the second line.
    struct LinePair {
        var upper: UnsafeRawPointer
        var lower: UnsafeRawPointer
        /// The weight of the second line: 256 stands for 1 in lines of 8 bits, and 32768 in lines
        /// of 14.
        var weight: UInt16

        fileprivate var vectors: ph_kernels_lines {
            ph_kernels_lines(
                upper: upper.assumingMemoryBound(to: UInt16.self),
                lower: lower.assumingMemoryBound(to: UInt16.self), weight: weight)
        }
    }

    /// The lines that a row of pixels is mixed from.
    struct Lines {
        var luma: LinePair
        /// The chroma for the third channel, and the chroma for the first channel.
        var third: LinePair
        var first: LinePair
    }

    /// Converts lines of 8-bit values to a row of pixels.
    static func makeRow(
        _ lines: Lines, _ coefficients: ConversionCoefficients, count: Int,
        into row: UnsafeMutableRawPointer
    ) {
        let memory = coefficients.vectors(forRow: 0)
        if coefficients.usesKernels {
            ph_kernels_make_row(
                lines.luma.vectors, lines.third.vectors, lines.first.vectors, memory, count,
                row.assumingMemoryBound(to: UInt8.self))
            return
        }
        forEachLanes(of: lines, count: count) {
            store(luma: $1, third: $2, first: $3, memory, into: row + $0 &* 4)
        }
    }

    /// Converts lines of 14-bit values to a row of pixels.
    ///
    /// - Parameters:
    ///   - index: the index of the row, which selects its dither.
    ///   - weights: memory for two vectors. They are in memory for the same reason as the
    ///     coefficients: see `ConversionCoefficients`.
    static func makeDeepRow(
        _ lines: Lines, _ coefficients: ConversionCoefficients, index: Int, count: Int,
        weights: UnsafeMutableRawPointer, into row: UnsafeMutableRawPointer
    ) {
        let memory = coefficients.vectors(forRow: index)
        if coefficients.usesKernels {
            ph_kernels_make_deep_row(
                lines.luma.vectors, lines.third.vectors, lines.first.vectors, memory, count,
                row.assumingMemoryBound(to: UInt8.self))
            return
        }
        forEachLanes(ofDeep: lines, count: count, weights: weights) {
            store(luma: $1, third: $2, first: $3, memory, into: row + $0 &* 4)
        }
    }

    /// Mixes the lines of a row of pixels to signals: luma from 0 to 32767, chroma from -32768 to
    /// 32767 with 0 for grey.
    ///
    /// - Parameters:
    ///   - isDeep: true for lines of 14 bits, false for lines of 8.
    ///   - weights: memory for two vectors, as in `makeDeepRow`.
    ///   - signals: memory for three lines: luma, the chroma for the third channel, and the chroma
    ///     for the first channel.
    ///   - stride: the distance from one of these lines to the next, in bytes.
    static func mixRow(
        _ lines: Lines, isDeep: Bool, count: Int, weights: UnsafeMutableRawPointer,
        into signals: UnsafeMutableRawPointer, stride: Int
    ) {
        @inline(__always) func store(_ pixel: Int, _ luma: Lanes, _ third: Lanes, _ first: Lanes) {
            let place = signals + pixel &* 2
            place.storeBytes(of: luma, as: Lanes.self)
            place.storeBytes(of: third, toByteOffset: stride, as: Lanes.self)
            place.storeBytes(of: first, toByteOffset: stride &* 2, as: Lanes.self)
        }
        if isDeep {
            forEachLanes(ofDeep: lines, count: count, weights: weights, store)
        } else {
            forEachLanes(of: lines, count: count, store)
        }
    }

    /// Mixes lines of 8-bit values. Calls the body for every eight pixels with the index of the
    /// first one, their luma, their chroma for the third channel, and their chroma for the first
    /// channel.
    @inline(__always)
    private static func forEachLanes(
        of lines: Lines, count: Int, _ body: (Int, Lanes, Lanes, Lanes) -> Void
    ) {
        let (luma, third, first) = (lines.luma, lines.third, lines.first)
        let lumaWeight = Lanes(repeating: luma.weight)
        let chromaWeight = Lanes(repeating: third.weight)
        @inline(__always) func mix(_ pair: LinePair, _ pixel: Int, _ weight: Lanes) -> Lanes {
            let upper = load(pair.upper, pixel)
            let lower = load(pair.lower, pixel)
            return upper &+ ((weight &* (lower &- upper) &+ 128) &>> 8)
        }
        var pixel = 0
        while pixel < count {
            // Shifting the low byte up discards the bits that the subtraction borrowed.
            body(
                pixel, (mix(luma, pixel, lumaWeight) & 0xFF) &<< 7,
                (mix(third, pixel, chromaWeight) &<< 8) ^ 0x8000,
                (mix(first, pixel, chromaWeight) &<< 8) ^ 0x8000)
            pixel &+= lanes
        }
    }

    /// Mixes lines of 14-bit values, and calls the body with the same arguments as
    /// `forEachLanes(of:count:_:)`.
    @inline(__always)
    private static func forEachLanes(
        ofDeep lines: Lines, count: Int, weights: UnsafeMutableRawPointer,
        _ body: (Int, Lanes, Lanes, Lanes) -> Void
    ) {
        let (luma, third, first) = (lines.luma, lines.third, lines.first)
        weights.storeBytes(of: Lanes(repeating: luma.weight), as: Lanes.self)
        weights.storeBytes(of: Lanes(repeating: third.weight), toByteOffset: 16, as: Lanes.self)
        let constWeights = UnsafeRawPointer(weights)
        @inline(__always) func mix(_ pair: LinePair, _ pixel: Int, _ weight: Int) -> Lanes {
            let upper = load(pair.upper, pixel)
            let difference = SIMD8<Int16>(
                truncatingIfNeeded: (load(pair.lower, pixel) &- upper) &<< 1)
            let weight = constWeights.loadUnaligned(fromByteOffset: weight, as: SIMD8<Int16>.self)
            return upper &+ Lanes(truncatingIfNeeded: upperProduct(difference, weight))
        }
        var pixel = 0
        while pixel < count {
            body(
                pixel, mix(luma, pixel, 0) &<< 1, (mix(third, pixel, 16) &<< 2) ^ 0x8000,
                (mix(first, pixel, 16) &<< 2) ^ 0x8000)
            pixel &+= lanes
        }
    }

    /// Converts eight pixels of signals: applies the matrix, rounds, clamps, and stores four bytes
    /// for each.
    @inline(__always)
    private static func store(
        luma: Lanes, third: Lanes, first: Lanes, _ coefficients: UnsafeRawPointer,
        into row: UnsafeMutableRawPointer
    ) {
        @inline(__always) func coefficient(_ offset: Int) -> SIMD8<Int16> {
            coefficients.loadUnaligned(fromByteOffset: offset, as: SIMD8<Int16>.self)
        }
        @inline(__always) func product(_ value: Lanes, _ offset: Int) -> SIMD8<Int16> {
            upperProduct(SIMD8<Int16>(truncatingIfNeeded: value), coefficient(offset))
        }
        @inline(__always) func byte(_ value: SIMD8<Int16>) -> Lanes {
            Lanes(
                truncatingIfNeeded: (value &>> Int16(ConversionCoefficients.fractionBits))
                    .clamped(
                        lowerBound: SIMD8(repeating: 0), upperBound: SIMD8(repeating: 255)))
        }
        typealias Place = ConversionCoefficients
        let base = product(luma, Place.luma)
        let one = byte(base &+ product(first, Place.first) &+ coefficient(Place.firstOffset))
        let two = byte(
            base &+ product(third, Place.firstInGreen) &+ product(first, Place.secondInGreen)
                &+ coefficient(Place.greenOffset))
        let three = byte(base &+ product(third, Place.third) &+ coefficient(Place.thirdOffset))
        var pixels = SIMD16<UInt16>()
        pixels.evenHalf = one | (two &<< 8)
        pixels.oddHalf = three | 0xFF00
        row.storeBytes(of: pixels, as: SIMD16<UInt16>.self)
    }
}
