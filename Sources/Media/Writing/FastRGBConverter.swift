// SPDX-License-Identifier: Apache-2.0

import CPlayheadWritingKernels
import PlayheadBuffers

/// A converter from interleaved 8-bit R'G'B', the format of drawn frames, to planar Y'CbCr. It uses
/// integer arithmetic.
///
/// Luma is rounded to the nearest code. Chroma samples are on the left, which is the default of
/// H.264. Each is the mean of two rows, and of three columns with the weights 1, 2 and 1. For grey,
/// chroma is exactly neutral, because the integer weights of a row of the matrix for chroma have
/// the sum 0.
///
/// 8-bit 4:2:0, the format of most encoders, has loops of its own, with 16-bit weights. If the
/// processor has AVX2, loops in C compute the same result, bit for bit.
///
/// - Concurrency: one thread.
struct FastRGBConverter {
    private let format: PixelFormat
    private let color: ColorAttachments
    private let depth: Int
    private let luma: (r: Int32, g: Int32, b: Int32)
    private let cb: (r: Int32, g: Int32, b: Int32)
    private let cr: (r: Int32, g: Int32, b: Int32)
    private let black: Int32
    private let zero: Int32
    private let pool: (any PixelBufferPool)?
    private let usesKernels: Bool

    /// The number of fractional bits of luma and of chroma. Sums of chroma have three more
    /// fractional bits.
    private static let lumaBits = Int32(ph_luma_weight_bits)
    private static let chromaBits = Int32(ph_chroma_weight_bits)
    private static let haveKernels = ph_writing_kernels_are_supported()

    /// Creates a converter. Returns nil if the matrix of the settings is not supported.
    ///
    /// - Parameter usesKernels: true to use the loops in C if the processor supports them.
    init?(
        _ settings: VideoOutputSettings, pool: (any PixelBufferPool)? = nil,
        usesKernels: Bool = true
    ) {
        self.pool = pool
        self.usesKernels = usesKernels && Self.haveKernels
        format = settings.encoderPixelFormat
        color = settings.declaredColor
        depth = settings.sampleFormat.bitDepth
        guard let matrix = ColorMatrix(color.matrix, range: color.range, depth: depth) else {
            return nil
        }
        func fixed(_ value: Double, _ bits: Int32) -> Int32 {
            Int32((value * Double(1 << bits)).rounded())
        }
        let scale = matrix.lumaSpan / 255
        let white = fixed(scale, Self.lumaBits)
        let (r, b) = (
            fixed(matrix.red * scale, Self.lumaBits), fixed(matrix.blue * scale, Self.lumaBits)
        )
        luma = (r, white - r - b, b)
        let difference = matrix.chromaSpan / 255
        func chroma(_ a: Double, _ b: Double) -> (Int32, Int32, Int32) {
            let (first, second) = (fixed(a, Self.chromaBits), fixed(b, Self.chromaBits))
            return (first, second, -first - second)
        }
        let half = difference / 2
        let (bg, br) = (
            -matrix.green / (1 - matrix.blue) * half, -matrix.red / (1 - matrix.blue) * half
        )
        let cbValues = chroma(br, bg)
        cb = (cbValues.0, cbValues.1, cbValues.2)
        let (rg, rb) = (
            -matrix.green / (1 - matrix.red) * half, -matrix.blue / (1 - matrix.red) * half
        )
        let crValues = chroma(rb, rg)
        cr = (crValues.2, crValues.1, crValues.0)
        black = Int32(matrix.black)
        zero = Int32(matrix.chromaZero)
    }

    /// The memory of one plane of a frame.
    typealias Target = (bytes: UnsafeMutableRawBufferPointer, bytesPerRow: Int)

    /// Converts a frame; returns nil for layouts other than RGBA and BGRA.
    func convert(_ buffer: PixelBuffer) -> PixelBuffer? {
        guard format.model == .yCbCr, buffer.format.model == .rgb, buffer.planes.count == 1,
            buffer.format.components.allSatisfy({ $0.depth == 8 && $0.step == 4 && $0.shift == 0 })
        else { return nil }
        var attachments = buffer.attachments
        attachments.color = color
        let offsets = buffer.format.components.map(\.offset)
        var planes: [Target] = []
        let converted = PixelBuffer(
            format: format, width: buffer.width, height: buffer.height, attachments: attachments,
            pool: pool
        ) { _, bytes, bytesPerRow in planes.append((bytes, bytesPerRow)) }
        // The buffer keeps the memory of its planes, and nothing else knows it yet.
        fill(
            planes, from: buffer.planes[0], offsets, buffer.format.hasAlpha ? offsets[3] : nil)
        return converted
    }

    /// Converts rows of RGBA to rows of planes.
    ///
    /// - Parameters:
    ///   - planes: The planes of the whole frame.
    ///   - firstRow: The row of the frame at which `source` begins. It is even.
    func convert(_ source: PixelBuffer.Plane, into planes: [Target], firstRow: Int) {
        let offsets = PixelFormat.rgba.components.map(\.offset)
        let parts = planes.enumerated().map { index, plane -> Target in
            let isHalved = (1...2).contains(index) && format.log2ChromaHeight == 1
            let place = (isHalved ? firstRow / 2 : firstRow) * plane.bytesPerRow
            return (
                UnsafeMutableRawBufferPointer(rebasing: plane.bytes[place...]), plane.bytesPerRow
            )
        }
        fill(parts, from: source, offsets, offsets[3])
    }

    /// A Boolean value that indicates whether both planes of chroma are computed together, in 16
    /// bits.
    private var hasShortChroma: Bool {
        format.log2ChromaHeight == 1 && format.log2ChromaWidth == 1 && depth == 8
    }

    /// Fills planes, of which each begins with the row at which the source begins.
    private func fill(
        _ planes: [Target], from source: PixelBuffer.Plane, _ offsets: [Int], _ alpha: Int?
    ) {
        guard hasShortChroma else {
            for (index, plane) in planes.enumerated() {
                fill(index, source, offsets, alpha, plane.bytes, plane.bytesPerRow)
            }
            return
        }
        if usesKernels {
            fillWithKernels(planes, from: source, offsets)
        } else {
            fillLuma(source, offsets, planes[0].bytes, planes[0].bytesPerRow)
            fillShortChroma(source, offsets, Array(planes[1...2]))
        }
        if planes.count > 3 {
            fillAlpha(source, alpha, planes[3].bytes, planes[3].bytesPerRow)
        }
    }

    /// Fills the planes of 8-bit 4:2:0 with the loops in C.
    private func fillWithKernels(
        _ planes: [Target], from source: PixelBuffer.Plane, _ offsets: [Int]
    ) {
        guard source.width > 0, let luma = planes[0].bytes.baseAddress,
            let cb = planes[1].bytes.baseAddress, let cr = planes[2].bytes.baseAddress
        else { return }
        var weights = ph_rgb_weights()
        weights.luma = Self.weights(self.luma, at: offsets)
        weights.cb = Self.weights(self.cb, at: offsets)
        weights.cr = Self.weights(self.cr, at: offsets)
        (weights.black, weights.zero) = (black, zero)
        func row(_ start: UnsafeMutableRawPointer, _ place: Int) -> UnsafeMutablePointer<UInt8> {
            (start + place).assumingMemoryBound(to: UInt8.self)
        }
        for y in 0..<(source.height + 1) / 2 {
            // The last row of an odd number is its own neighbour.
            let (upper, lower) = (2 * y, min(2 * y + 1, source.height - 1))
            ph_convert_rgb_rows(
                (source.baseAddress + upper * source.bytesPerRow)
                    .assumingMemoryBound(to: UInt8.self),
                (source.baseAddress + lower * source.bytesPerRow)
                    .assumingMemoryBound(to: UInt8.self),
                source.width, &weights, row(luma, upper * planes[0].bytesPerRow),
                row(luma, lower * planes[0].bytesPerRow), row(cb, y * planes[1].bytesPerRow),
                row(cr, y * planes[2].bytesPerRow))
        }
    }

    /// Returns the weights of the bytes of a pixel, whose channels are at offsets.
    private static func weights(
        _ values: (r: Int32, g: Int32, b: Int32), at offsets: [Int]
    ) -> (Int16, Int16, Int16, Int16) {
        var bytes = SIMD4<Int16>()
        for (value, offset) in zip([values.r, values.g, values.b], offsets) {
            bytes[offset] = Int16(truncatingIfNeeded: value)
        }
        return (bytes[0], bytes[1], bytes[2], bytes[3])
    }

    private func fill(
        _ plane: Int, _ source: PixelBuffer.Plane, _ offsets: [Int], _ alpha: Int?,
        _ bytes: UnsafeMutableRawBufferPointer, _ bytesPerRow: Int
    ) {
        switch plane {
        case 0: fillLuma(source, offsets, bytes, bytesPerRow)
        case 3: fillAlpha(source, alpha, bytes, bytesPerRow)
        default: fillChroma(plane == 1 ? cb : cr, source, offsets, bytes, bytesPerRow)
        }
    }

    private func fillLuma(
        _ source: PixelBuffer.Plane, _ offsets: [Int], _ bytes: UnsafeMutableRawBufferPointer,
        _ bytesPerRow: Int
    ) {
        guard let target = bytes.baseAddress else { return }
        let (r, g, b) = luma
        let add = black << Self.lumaBits + 1 << (Self.lumaBits - 1)
        for y in 0..<source.height {
            let row = (source.baseAddress + y * source.bytesPerRow)
                .assumingMemoryBound(to: UInt8.self)
            let (red, green, blue) = (row + offsets[0], row + offsets[1], row + offsets[2])
            let output = target + y * bytesPerRow
            if depth > 8 {
                let codes = output.assumingMemoryBound(to: UInt16.self)
                for x in 0..<source.width {
                    let sum =
                        Int32(red[x * 4]) &* r &+ Int32(green[x * 4]) &* g
                        &+ Int32(blue[x * 4]) &* b
                    codes[x] = UInt16(truncatingIfNeeded: (sum &+ add) >> Self.lumaBits)
                }
            } else {
                fillShortLuma(
                    UnsafeRawPointer(row).assumingMemoryBound(to: UInt32.self), offsets,
                    output.assumingMemoryBound(to: UInt8.self), count: source.width)
            }
        }
    }

    /// Computes a row of 8-bit luma with 16-bit weights, because SSE2 multiplies 16 bits by 16, but
    /// not 32 by 32.
    private func fillShortLuma(
        _ row: UnsafePointer<UInt32>, _ offsets: [Int], _ codes: UnsafeMutablePointer<UInt8>,
        count: Int
    ) {
        let (r, g, b) = (
            UInt16(truncatingIfNeeded: luma.r), UInt16(truncatingIfNeeded: luma.g),
            UInt16(truncatingIfNeeded: luma.b)
        )
        let shifts = (UInt32(offsets[0] * 8), UInt32(offsets[1] * 8), UInt32(offsets[2] * 8))
        let add = UInt32(truncatingIfNeeded: black << Self.lumaBits + 1 << (Self.lumaBits - 1))
        @inline(__always) func product(
            _ pixel: UInt32, _ shift: UInt32, _ weight: UInt16
        ) -> UInt32 {
            UInt32(UInt16(truncatingIfNeeded: (pixel &>> shift) & 0xff)) &* UInt32(weight)
        }
        // The compiler does not make vectors of this loop by itself.
        let bytes = UnsafeRawPointer(row)
        let mask = SIMD8<UInt32>(repeating: 0xff)
        let whole = count / 8 * 8
        for x in stride(from: 0, to: whole, by: 8) {
            let pixels = bytes.loadUnaligned(fromByteOffset: x * 4, as: SIMD8<UInt32>.self)
            let red = (pixels &>> SIMD8(repeating: shifts.0)) & mask
            let green = (pixels &>> SIMD8(repeating: shifts.1)) & mask
            let blue = (pixels &>> SIMD8(repeating: shifts.2)) & mask
            let sum =
                red &* SIMD8(repeating: UInt32(r)) &+ green &* SIMD8(repeating: UInt32(g))
                &+ blue &* SIMD8(repeating: UInt32(b)) &+ SIMD8(repeating: add)
            let code = SIMD8<UInt8>(truncatingIfNeeded: sum &>> UInt32(Self.lumaBits))
            UnsafeMutableRawPointer(codes).storeBytes(
                of: code, toByteOffset: x, as: SIMD8<UInt8>.self)
        }
        for x in whole..<count {
            let pixel = UInt32(littleEndian: row[x])
            let sum =
                product(pixel, shifts.0, r) &+ product(pixel, shifts.1, g)
                &+ product(pixel, shifts.2, b)
            codes[x] = UInt8(truncatingIfNeeded: (sum &+ add) &>> UInt32(Self.lumaBits))
        }
    }

    private func fillAlpha(
        _ source: PixelBuffer.Plane, _ offset: Int?, _ bytes: UnsafeMutableRawBufferPointer,
        _ bytesPerRow: Int
    ) {
        let white = (1 << depth) - 1
        for y in 0..<source.height {
            let row = source.baseAddress + y * source.bytesPerRow
            for x in 0..<source.width {
                let value = offset.map { Int((row + x * 4 + $0).load(as: UInt8.self)) } ?? 255
                let code = (value * white + 127) / 255
                if depth > 8 {
                    bytes.storeBytes(
                        of: UInt16(code), toByteOffset: y * bytesPerRow + x * 2, as: UInt16.self)
                } else {
                    bytes[y * bytesPerRow + x] = UInt8(code)
                }
            }
        }
    }

    private func fillChroma(
        _ weights: (r: Int32, g: Int32, b: Int32), _ source: PixelBuffer.Plane, _ offsets: [Int],
        _ bytes: UnsafeMutableRawBufferPointer, _ bytesPerRow: Int
    ) {
        let (width, height) = (source.width, source.height)
        let halvesRows = format.log2ChromaHeight == 1
        let halvesColumns = format.log2ChromaWidth == 1
        let columns = halvesColumns ? (width + 1) / 2 : width
        let rows = halvesRows ? (height + 1) / 2 : height
        // These are the colour differences of two rows, added up, with the first and last column
        // repeated. Each sum has eight samples in all layouts, so that the shift is the same.
        let factor: Int32 = halvesRows ? (halvesColumns ? 1 : 4) : (halvesColumns ? 2 : 8)
        let shift = Self.chromaBits + 3
        let add = zero << shift &+ 1 << (shift - 1)
        let limit = Int32((1 << depth) - 1)
        let line = UnsafeMutablePointer<Int32>.allocate(capacity: width + 2)
        defer { line.deallocate() }
        guard let target = bytes.baseAddress else { return }
        for y in 0..<rows {
            let upper = halvesRows ? 2 * y : y
            sum(weights, source, offsets, row: upper, into: line + 1, adding: false)
            if halvesRows {
                sum(
                    weights, source, offsets, row: min(upper + 1, height - 1), into: line + 1,
                    adding: true)
            }
            line[0] = line[1]
            line[width + 1] = line[width]
            let output = target + y * bytesPerRow
            for x in 0..<columns {
                let center = line + (halvesColumns ? 2 * x + 1 : x + 1)
                let value = halvesColumns ? center[-1] &+ 2 &* center[0] &+ center[1] : center[0]
                // In full range, the chroma of a saturated colour extends half a code beyond the
                // last code.
                let code = min(max((value &* factor &+ add) >> shift, 0), limit)
                if depth > 8 {
                    output.assumingMemoryBound(to: UInt16.self)[x] =
                        UInt16(truncatingIfNeeded: code)
                } else {
                    output.assumingMemoryBound(to: UInt8.self)[x] = UInt8(truncatingIfNeeded: code)
                }
            }
        }
    }

    /// Fills both 8-bit chroma planes of 4:2:0. The samples are added up before they are weighted,
    /// which gives the same sums with an eighth of the products.
    private func fillShortChroma(
        _ source: PixelBuffer.Plane, _ offsets: [Int],
        _ planes: [(bytes: UnsafeMutableRawBufferPointer, bytesPerRow: Int)]
    ) {
        let (width, height) = (source.width, source.height)
        guard width > 0, planes.count == 2, let cbBytes = planes[0].bytes.baseAddress,
            let crBytes = planes[1].bytes.baseAddress
        else { return }
        let columns = (width + 1) / 2
        // The sums of two rows of each channel, with the first and the last column repeated and
        // room for whole vectors.
        let length = width + 32
        let lines = UnsafeMutablePointer<Int16>.allocate(capacity: 3 * length)
        lines.initialize(repeating: 0, count: 3 * length)
        defer { lines.deallocate() }
        for y in 0..<(height + 1) / 2 {
            let upper = source.baseAddress + 2 * y * source.bytesPerRow
            let lower = source.baseAddress + min(2 * y + 1, height - 1) * source.bytesPerRow
            for channel in 0..<3 {
                let line = lines + channel * length + 1
                addRows(upper, lower, UInt32(offsets[channel] * 8), into: line, count: width)
                line[-1] = line[0]
                line[width] = line[width - 1]
            }
            weigh(lines, length, cb, cbBytes + y * planes[0].bytesPerRow, count: columns)
            weigh(lines, length, cr, crBytes + y * planes[1].bytesPerRow, count: columns)
        }
    }

    /// Adds up a channel of two rows.
    private func addRows(
        _ upper: UnsafeRawPointer, _ lower: UnsafeRawPointer, _ shift: UInt32,
        into line: UnsafeMutablePointer<Int16>, count: Int
    ) {
        let mask = SIMD8<UInt32>(repeating: 0xff)
        let whole = count / 8 * 8
        for x in stride(from: 0, to: whole, by: 8) {
            let first = upper.loadUnaligned(fromByteOffset: x * 4, as: SIMD8<UInt32>.self)
            let second = lower.loadUnaligned(fromByteOffset: x * 4, as: SIMD8<UInt32>.self)
            let shift = SIMD8<UInt32>(repeating: shift)
            let sum = ((first &>> shift) & mask) &+ ((second &>> shift) & mask)
            UnsafeMutableRawPointer(line).storeBytes(
                of: SIMD8<Int16>(truncatingIfNeeded: sum), toByteOffset: x * 2,
                as: SIMD8<Int16>.self)
        }
        for x in whole..<count {
            let (first, second) = (
                UInt32(littleEndian: upper.load(fromByteOffset: x * 4, as: UInt32.self)),
                UInt32(littleEndian: lower.load(fromByteOffset: x * 4, as: UInt32.self))
            )
            line[x] = Int16(
                truncatingIfNeeded: (first &>> shift & 0xff) &+ (second &>> shift & 0xff))
        }
    }

    /// Computes a row of chroma from the lines of three channels, each with one column before the
    /// first.
    private func weigh(
        _ lines: UnsafePointer<Int16>, _ length: Int, _ weights: (r: Int32, g: Int32, b: Int32),
        _ codes: UnsafeMutableRawPointer, count: Int
    ) {
        let shift = Self.chromaBits + 3
        let add = SIMD8<Int32>(repeating: zero << shift &+ 1 << (shift - 1))
        let bytes = UnsafeRawPointer(lines)
        // The factors have 16 bits, which SSE2 multiplies.
        func products(_ channel: Int, _ weight: Int32, _ x: Int) -> SIMD8<Int32> {
            let offset = (channel * length + 2 * x) * 2
            let before = bytes.loadUnaligned(fromByteOffset: offset, as: SIMD16<Int16>.self)
            let after = bytes.loadUnaligned(fromByteOffset: offset + 2, as: SIMD16<Int16>.self)
            let sum = before.evenHalf &+ after.evenHalf &+ after.evenHalf &+ after.oddHalf
            return SIMD8<Int32>(truncatingIfNeeded: sum)
                &* SIMD8<Int32>(repeating: Int32(Int16(truncatingIfNeeded: weight)))
        }
        for x in stride(from: 0, to: count, by: 8) {
            let sum =
                products(0, weights.r, x) &+ products(1, weights.g, x) &+ products(2, weights.b, x)
                &+ add
            let code = pointwiseMin(
                pointwiseMax(sum &>> shift, SIMD8(repeating: 0)), SIMD8(repeating: 255))
            let values = SIMD8<UInt8>(truncatingIfNeeded: code)
            if x + 8 <= count {
                codes.storeBytes(of: values, toByteOffset: x, as: SIMD8<UInt8>.self)
            } else {
                for index in 0..<(count - x) {
                    codes.storeBytes(of: values[index], toByteOffset: x + index, as: UInt8.self)
                }
            }
        }
    }

    /// Computes an unscaled colour difference, Cb or Cr by the weights, for each pixel of a row. If
    /// `adding` is true, adds the results to those already in `line`.
    private func sum(
        _ weights: (r: Int32, g: Int32, b: Int32), _ source: PixelBuffer.Plane, _ offsets: [Int],
        row: Int, into line: UnsafeMutablePointer<Int32>, adding: Bool
    ) {
        let start = (source.baseAddress + row * source.bytesPerRow)
            .assumingMemoryBound(to: UInt8.self)
        let (red, green, blue) = (start + offsets[0], start + offsets[1], start + offsets[2])
        for x in 0..<source.width {
            let value =
                Int32(red[x * 4]) &* weights.r &+ Int32(green[x * 4]) &* weights.g
                &+ Int32(blue[x * 4]) &* weights.b
            line[x] = adding ? line[x] &+ value : value
        }
    }
}
