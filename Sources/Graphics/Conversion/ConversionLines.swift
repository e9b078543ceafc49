// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers

/// The lines that one thread works on: two of each component, filtered along the row. Rows of
/// pixels are mixed from them.
///
/// Each row of a frame is filtered once, even if several rows of pixels need it. There is one line
/// for even rows and one for odd rows.
final class ConversionLines: @unchecked Sendable {
    // Unchecked: used by one thread at a time, the thread of its participant in the converter's
    // group.

    private var memory = UnsafeMutableRawPointer.allocate(byteCount: 64, alignment: 64)
    private var capacity = 64
    /// The distance from one line to the next, in bytes.
    private var stride = 0
    /// The row of the frame that each line contains: two entries for luma, then two for chroma; -1
    /// for an empty line.
    private var rows = SIMD4<Int>(repeating: -1)

    deinit { memory.deallocate() }

    /// The number of lines: two of luma, two of each chroma, one of separated chroma, and three of
    /// the signals for a row of pixels. The weights follow.
    private static let lineCount = 10

    func prepare(for plan: ConversionPlan) {
        // The line of separated chroma contains two rows of bytes, one after the other.
        let samples = max(plan.lumaX.paddedCount, ConversionVectors.padded(plan.chromaWidth))
        stride = (samples * 2 + 63) / 64 * 64
        let needed = stride * Self.lineCount + 64
        if needed > capacity {
            memory.deallocate()
            memory = .allocate(byteCount: needed, alignment: 64)
            capacity = needed
        }
        rows = SIMD4(repeating: -1)
    }

    /// The memory for the signals of a row of pixels: luma and both chromas.
    private var signals: UnsafeMutableRawPointer { memory + stride * 7 }

    /// The memory for the vectors of `makeDeepRow`.
    private var weights: UnsafeMutableRawPointer { memory + stride * Self.lineCount }

    /// Converts a row of pixels.
    func makeRow(
        _ row: Int, of buffer: PixelBuffer, _ plan: ConversionPlan,
        into pixels: UnsafeMutableRawPointer
    ) {
        let lines = lines(forPixelRow: row, of: buffer, plan)
        let count = plan.lumaX.paddedCount
        switch plan.finish {
        case .matrix(let coefficients) where plan.isDeep:
            ConversionKernels.makeDeepRow(
                lines, coefficients, index: row, count: count, weights: weights, into: pixels)
        case .matrix(let coefficients):
            ConversionKernels.makeRow(lines, coefficients, count: count, into: pixels)
        case .tables(let tables):
            ConversionKernels.mixRow(
                lines, isDeep: plan.isDeep, count: count, weights: weights, into: signals,
                stride: stride)
            tables.makeRow(signals, stride: stride, index: row, count: count, into: pixels)
        }
    }

    private func line(_ component: Int, _ row: Int) -> UnsafeMutableRawPointer {
        memory + (component * 2 + (row & 1)) * stride
    }

    /// Returns the lines directly above and below the centre of a row of pixels.
    private func lines(
        forPixelRow pixelRow: Int, of buffer: PixelBuffer, _ plan: ConversionPlan
    ) -> ConversionKernels.Lines {
        let luma = Self.place(plan.lumaY, pixelRow)
        let chroma = Self.place(plan.chromaY, pixelRow)
        filterLuma(luma.upper, of: buffer, plan)
        filterLuma(luma.lower, of: buffer, plan)
        filterChroma(chroma.upper, of: buffer, plan)
        filterChroma(chroma.lower, of: buffer, plan)
        func pair(
            _ component: Int, _ place: (upper: Int, lower: Int, weight: UInt16)
        ) -> ConversionKernels.LinePair {
            ConversionKernels.LinePair(
                upper: line(component, place.upper), lower: line(component, place.lower),
                weight: place.weight)
        }
        let isSwapped = plan.key.byteOrder == .bgra
        return ConversionKernels.Lines(
            luma: pair(0, luma), third: pair(isSwapped ? 2 : 1, chroma),
            first: pair(isSwapped ? 1 : 2, chroma))
    }

    /// Returns the rows directly above and below the centre of a row of pixels, and the weight of
    /// the lower row.
    private static func place(
        _ axis: SampleAxis, _ pixelRow: Int
    ) -> (upper: Int, lower: Int, weight: UInt16) {
        let index = Int(axis.indices[pixelRow])
        let weight = axis.weights[pixelRow]
        if weight == 0 { return (index, index, 0) }
        if Int(weight) == axis.unit { return (index + 1, index + 1, 0) }
        return (index, index + 1, weight)
    }

    private func filterLuma(_ row: Int, of buffer: PixelBuffer, _ plan: ConversionPlan) {
        guard rows[row & 1] != row else { return }
        rows[row & 1] = row
        filter(
            Self.row(row, buffer.planes[0]), plan.lumaX, plan, into: line(0, row))
    }

    private func filterChroma(_ row: Int, of buffer: PixelBuffer, _ plan: ConversionPlan) {
        guard rows[2 + (row & 1)] != row else { return }
        rows[2 + (row & 1)] = row
        if plan.isInterleaved {
            let apart = memory + 6 * stride
            let samples = Self.row(row, buffer.planes[1])
            let isSwapped = buffer.format.components[1].offset > 0
            let (first, second) = (apart, apart + stride / 2)
            ConversionKernels.separate(
                samples, count: plan.chromaWidth, into: isSwapped ? second : first,
                isSwapped ? first : second)
            filter(first, plan.chromaX, plan, into: line(1, row))
            filter(second, plan.chromaX, plan, into: line(2, row))
        } else {
            let format = buffer.format
            for component in 1...2 {
                filter(
                    Self.row(row, buffer.planes[format.components[component].plane]),
                    plan.chromaX, plan, into: line(component, row))
            }
        }
    }

    private func filter(
        _ samples: UnsafeRawPointer, _ axis: SampleAxis, _ plan: ConversionPlan,
        into line: UnsafeMutableRawPointer
    ) {
        if plan.isDeep {
            ConversionKernels.filterDeepRow(samples, axis, shift: plan.shift, into: line)
        } else {
            ConversionKernels.filterRow(samples, axis, into: line)
        }
    }

    private static func row(_ row: Int, _ plane: PixelBuffer.Plane) -> UnsafeRawPointer {
        plane.baseAddress + row * plane.bytesPerRow
    }
}
