// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers

/// Copies samples of Y'CbCr or grey to another format of the same size and colours. The other
/// format may have a different number of bits, different planes, or chroma of 4:2:0.
struct SampleMover {
    private let buffer: PixelBuffer
    private let format: PixelFormat
    /// Tables from the code values of the frame to those of the result, for luma and for chroma.
    private let lumaCodes: [UInt16]
    private let chromaCodes: [UInt16]
    /// The location of chroma in the result.
    let chromaLocation: ColorAttachments.ChromaLocation

    /// Returns whether each sample of the result can be made from samples of the same component.
    static func canMove(_ buffer: PixelBuffer, to format: PixelFormat) -> Bool {
        let source = buffer.format
        guard !source.isFloat, source.model != .rgb, buffer.color.matrix != .rgb,
            source.components.allSatisfy({ $0.depth + $0.shift <= 16 }),
            source.components.allSatisfy({ $0.depth == source.components[0].depth })
        else { return false }
        if source.model == .gray { return true }
        // With other matrices, luma is not a weighted sum of R'G'B'.
        if format.model == .gray { return SignalWriter.hasLinearMatrix(buffer.color) }
        // Packed formats are not copied, but converted through R'G'B'.
        guard source.components[1...2].allSatisfy({ source.isChroma(plane: $0.plane) }) else {
            return false
        }
        return source.log2ChromaWidth <= 1 && source.log2ChromaHeight <= 1
    }

    init(_ buffer: PixelBuffer, to format: PixelFormat) {
        self.buffer = buffer
        self.format = format
        let (from, to) = (buffer.format.bitDepth, format.bitDepth)
        let isLimited = buffer.color.range == .limited
        lumaCodes =
            isLimited && format.model == .gray
            ? Self.expandedCodes(from, to)
            : Self.codes(from, to, isLimited: isLimited, isChroma: false)
        chromaCodes = Self.codes(from, to, isLimited: isLimited, isChroma: true)
        let location = buffer.color.chromaLocation
        let isCentred = [.center, .top, .bottom].contains(location)
        chromaLocation =
            buffer.format.log2ChromaHeight == 1 ? location : isCentred ? .center : .left
    }

    private static func codes(
        _ from: Int, _ to: Int, isLimited: Bool, isChroma: Bool
    ) -> [UInt16] {
        let (count, maximum) = (1 << from, Double((1 << to) - 1))
        return (0..<count).map { code in
            let middle = isChroma ? Double(1 << (from - 1)) : 0
            let target = isChroma ? Double(1 << (to - 1)) : 0
            let factor =
                isLimited
                ? Double(1 << to) / Double(1 << from) : maximum / Double((1 << from) - 1)
            let value = target + (Double(code) - middle) * factor
            return UInt16(min(max(0, value.rounded()), maximum))
        }
    }

    /// Returns a table from the code values of luma in limited range to those in full range.
    private static func expandedCodes(_ from: Int, _ to: Int) -> [UInt16] {
        let (steps, maximum) = (Double(1 << from) / 256, Double((1 << to) - 1))
        return (0..<1 << from).map { code in
            let value = (Double(code) - 16 * steps) / (219 * steps) * maximum
            return UInt16(min(max(0, value.rounded()), maximum))
        }
    }

    func write(plane: Int, into base: UnsafeMutableRawPointer, bytesPerRow: Int) {
        let size = format.planeSize(plane, width: buffer.width, height: buffer.height)
        for index in format.components.indices where format.components[index].plane == plane {
            let component = format.components[index]
            if index == 0 {
                writeLuma(component, size, base, bytesPerRow)
            } else if buffer.format.model == .gray {
                let neutral = UInt16(1 << (component.depth - 1))
                for row in 0..<size.height {
                    for column in 0..<size.width {
                        store(neutral, component, base + row * bytesPerRow, column)
                    }
                }
            } else {
                writeChroma(index, component, size, base, bytesPerRow)
            }
        }
    }

    private func writeLuma(
        _ component: PixelFormat.Component, _ size: (width: Int, height: Int),
        _ base: UnsafeMutableRawPointer, _ bytesPerRow: Int
    ) {
        var samples = [UInt16](repeating: 0, count: size.width)
        for row in 0..<size.height {
            load(0, row: row, into: &samples)
            write(samples, lumaCodes, component, base + row * bytesPerRow)
        }
    }

    /// Writes a row of chroma. Chroma of 4:2:0 is copied, and other chroma is averaged to the
    /// positions of 4:2:0.
    private func writeChroma(
        _ index: Int, _ component: PixelFormat.Component, _ size: (width: Int, height: Int),
        _ base: UnsafeMutableRawPointer, _ bytesPerRow: Int
    ) {
        let source = buffer.format
        let plane = buffer.planes[source.components[index].plane]
        var samples = [UInt16](repeating: 0, count: plane.width)
        var below = samples
        var narrow = [UInt16](repeating: 0, count: size.width)
        let isCentred = [.center, .top, .bottom].contains(chromaLocation)
        for row in 0..<size.height {
            if source.log2ChromaHeight == 1 {
                load(index, row: row, into: &samples)
            } else {
                load(index, row: 2 * row, into: &samples)
                load(index, row: min(2 * row + 1, plane.height - 1), into: &below)
                for column in samples.indices {
                    samples[column] = UInt16((Int(samples[column]) + Int(below[column]) + 1) / 2)
                }
            }
            if source.log2ChromaWidth == 1 {
                write(samples, chromaCodes, component, base + row * bytesPerRow)
                continue
            }
            for column in 0..<size.width {
                let middle = Int(samples[2 * column])
                let right = Int(samples[min(2 * column + 1, plane.width - 1)])
                let left = Int(samples[max(2 * column - 1, 0)])
                narrow[column] = UInt16(
                    isCentred ? (middle + right + 1) / 2 : (left + 2 * middle + right + 2) / 4)
            }
            write(narrow, chromaCodes, component, base + row * bytesPerRow)
        }
    }

    /// Loads the code values of a component's row.
    private func load(_ index: Int, row: Int, into samples: inout [UInt16]) {
        let component = buffer.format.components[index]
        let plane = buffer.planes[component.plane]
        let start = plane.baseAddress + row * plane.bytesPerRow + component.offset
        let (step, shift) = (component.step, UInt16(component.shift))
        let mask = UInt16(truncatingIfNeeded: (1 << component.depth) - 1)
        let isBigEndian = buffer.format.isBigEndian
        samples.withUnsafeMutableBufferPointer { samples in
            if component.depth + component.shift <= 8 {
                for column in samples.indices {
                    let byte = start.loadUnaligned(fromByteOffset: column &* step, as: UInt8.self)
                    samples[column] = UInt16(byte) &>> shift & mask
                }
            } else {
                for column in samples.indices {
                    let word = start.loadUnaligned(fromByteOffset: column &* step, as: UInt16.self)
                    let value = isBigEndian ? word.bigEndian : word.littleEndian
                    samples[column] = value &>> shift & mask
                }
            }
        }
    }

    private func write(
        _ samples: [UInt16], _ codes: [UInt16], _ component: PixelFormat.Component,
        _ row: UnsafeMutableRawPointer
    ) {
        samples.withUnsafeBufferPointer { samples in
            codes.withUnsafeBufferPointer { codes in
                for column in samples.indices {
                    store(codes[Int(samples[column])], component, row, column)
                }
            }
        }
    }

    private func store(
        _ code: UInt16, _ component: PixelFormat.Component, _ row: UnsafeMutableRawPointer,
        _ column: Int
    ) {
        let place = row + component.offset + column &* component.step
        if component.depth > 8 {
            place.storeBytes(of: code.littleEndian, as: UInt16.self)
        } else {
            place.storeBytes(of: UInt8(truncatingIfNeeded: code), as: UInt8.self)
        }
    }
}
