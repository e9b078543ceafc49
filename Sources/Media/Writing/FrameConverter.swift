// SPDX-License-Identifier: Apache-2.0

package import PlayheadBuffers

/// A converter of frames to the layout of an encoder. It changes the chroma resolution, the bit
/// depth and the range of Y'CbCr, and converts between R'G'B' and Y'CbCr. It does not convert
/// between colour spaces.
///
/// Frames that already have the encoder's layout are not converted.
///
/// - Concurrency: one thread.
struct FrameConverter {
    private let settings: VideoOutputSettings
    private let format: PixelFormat
    private let color: ColorAttachments
    private let pool = PlainPixelBufferPool(byteLimit: WriterCore.maximumFrameBytes)
    private let fast: FastRGBConverter?

    init(to settings: VideoOutputSettings) {
        self.settings = settings
        fast = FastRGBConverter(settings, pool: pool)
        format = settings.encoderPixelFormat
        color = settings.declaredColor
    }

    /// Returns the reason why a frame cannot be encoded with the settings; nil if it can.
    static func refusal(of buffer: PixelBuffer, to settings: VideoOutputSettings) -> String? {
        let declared = settings.declaredColor
        let color = buffer.attachments.color
        if buffer.format.isFloat { return "frames of floating-point samples are not encoded" }
        let isHDR = color.transfer == .pq || color.transfer == .hlg
        if isHDR || declared.transfer == .pq || declared.transfer == .hlg,
            color.transfer != .unspecified, color.transfer != declared.transfer
        {
            return "the frame's transfer function is \(color.transfer.name ?? "unspecified"), that "
                + "of the settings \(declared.transfer.name ?? "unspecified")"
        }
        guard buffer.format.model == .yCbCr else {
            let needsMatrix = settings.sampleFormat.model != .rgb && buffer.format.model == .rgb
            let matrix = ColorMatrix(declared.matrix, range: .full, depth: 8)
            return needsMatrix && matrix == nil
                ? "R'G'B' is not converted to the matrix \(declared.matrix.name ?? "unspecified")"
                : nil
        }
        let resolved = buffer.color
        if settings.sampleFormat.model == .rgb {
            return ColorMatrix(resolved.matrix, range: .full, depth: 8) == nil
                ? "the matrix \(resolved.matrix.name ?? "unspecified") is not converted to R'G'B'"
                : nil
        }
        // Both names of the matrix of BT.601 mean the same coefficients.
        func same(_ matrix: ColorAttachments.Matrix) -> ColorAttachments.Matrix {
            matrix == .bt470bg ? .bt601 : matrix
        }
        if color.matrix != .unspecified, same(color.matrix) != same(declared.matrix) {
            return "the frame's matrix is \(color.matrix.name ?? "unspecified"), that of the "
                + "settings \(declared.matrix.name ?? "unspecified")"
        }
        return nil
    }

    /// Returns a Boolean value that indicates whether a frame is encoded without conversion.
    static func isUnchanged(_ buffer: PixelBuffer, by settings: VideoOutputSettings) -> Bool {
        guard buffer.format.hasSameLayout(as: settings.encoderPixelFormat) else { return false }
        let range = buffer.attachments.color.range
        return buffer.format.model == .rgb || range == .unspecified
            || range == settings.declaredColor.range
    }

    /// Converts a frame.
    func convert(_ buffer: PixelBuffer) -> PixelBuffer? {
        switch (buffer.format.model, settings.sampleFormat.model) {
        case (.rgb, .rgb): return reorder(buffer)
        case (.rgb, _):
            return fast?.convert(buffer) ?? encodeRGB(buffer)
        case (_, .rgb): return decodeYCbCr(buffer)
        default: return resample(buffer)
        }
    }

    // MARK: - Kinds of conversion

    private func reorder(_ buffer: PixelBuffer) -> PixelBuffer? {
        if let swapped = swap(buffer) { return swapped }
        var planes = (0..<buffer.format.components.count).map { SamplePlane($0, of: buffer) }
        for index in planes.indices {
            let depth = buffer.format.components[index].depth
            if depth != 8 { planes[index].map(Self.table(from: depth, to: 8)) }
        }
        return store(planes, buffer)
    }

    /// Returns a frame with red and blue exchanged, or with opaque alpha. Returns nil for layouts
    /// other than 8-bit RGBA and BGRA. A source with an unused byte in place of alpha is also
    /// converted.
    private func swap(_ buffer: PixelBuffer) -> PixelBuffer? {
        func isPacked(_ format: PixelFormat) -> Bool {
            format.planeCount == 1
                && format.components.allSatisfy { $0.depth == 8 && $0.step == 4 && $0.shift == 0 }
                && [[0, 1, 2], [2, 1, 0]].contains(format.components.prefix(3).map(\.offset))
        }
        guard isPacked(buffer.format), isPacked(format), format.hasAlpha,
            let source = buffer.planes.first
        else { return nil }
        let isSwapped = buffer.format.components[0].offset != format.components[0].offset
        let opaque: UInt32 = buffer.format.hasAlpha ? 0 : 0xff00_0000
        var attachments = buffer.attachments
        attachments.color = color
        return PixelBuffer(
            format: format, width: buffer.width, height: buffer.height, attachments: attachments,
            pool: pool
        ) { _, bytes, bytesPerRow in
            guard let target = bytes.baseAddress else { return }
            for y in 0..<source.height {
                let row = (source.baseAddress + y * source.bytesPerRow)
                    .assumingMemoryBound(to: UInt32.self)
                let output = (target + y * bytesPerRow).assumingMemoryBound(to: UInt32.self)
                guard isSwapped else {
                    for x in 0..<source.width { output[x] = row[x] | opaque }
                    continue
                }
                for x in 0..<source.width {
                    let pixel = row[x] | opaque
                    output[x] =
                        pixel & 0xff00_ff00 | pixel >> 16 & 0xff | (pixel & 0xff) << 16
                }
            }
        }
    }

    private func encodeRGB(_ buffer: PixelBuffer) -> PixelBuffer? {
        let depth = settings.sampleFormat.bitDepth
        guard let matrix = ColorMatrix(color.matrix, range: color.range, depth: depth) else {
            return nil
        }
        let sources = (0..<3).map { SamplePlane($0, of: buffer) }
        let whites = (0..<3).map { Double((1 << buffer.format.components[$0].depth) - 1) }
        var planes = (0..<3).map { _ in SamplePlane(width: buffer.width, height: buffer.height) }
        func code(_ value: Double) -> UInt16 {
            UInt16(min(max(value.rounded(), 0), matrix.maximum))
        }
        for index in sources[0].samples.indices {
            let value = matrix.encode(
                Double(sources[0].samples[index]) / whites[0],
                Double(sources[1].samples[index]) / whites[1],
                Double(sources[2].samples[index]) / whites[2])
            planes[0].samples[index] = code(value.y)
            planes[1].samples[index] = code(value.cb)
            planes[2].samples[index] = code(value.cr)
        }
        for index in 1...2 {
            if format.log2ChromaHeight == 1 { planes[index] = planes[index].withHalvedRows() }
            if format.log2ChromaWidth == 1 { planes[index] = planes[index].withHalvedColumns() }
        }
        return store(planes + alpha(buffer, depth: depth), buffer)
    }

    private func decodeYCbCr(_ buffer: PixelBuffer) -> PixelBuffer? {
        let resolved = buffer.color
        let depth = buffer.format.bitDepth
        let luma = SamplePlane(0, of: buffer)
        var planes = (0..<3).map { _ in SamplePlane(width: buffer.width, height: buffer.height) }
        if buffer.format.model == .gray {
            var gray = luma
            gray.map(Self.table(from: depth, to: 8))
            planes = [gray, gray, gray]
        } else {
            guard let matrix = ColorMatrix(resolved.matrix, range: resolved.range, depth: depth)
            else { return nil }
            let (cb, cr) = (full(1, of: buffer), full(2, of: buffer))
            func code(_ value: Double) -> UInt16 {
                UInt16(min(max((value * 255).rounded(), 0), 255))
            }
            for index in luma.samples.indices {
                let value = matrix.decode(
                    Double(luma.samples[index]), Double(cb.samples[index]),
                    Double(cr.samples[index]))
                planes[0].samples[index] = code(value.r)
                planes[1].samples[index] = code(value.g)
                planes[2].samples[index] = code(value.b)
            }
        }
        return store(planes + alpha(buffer, depth: 8), buffer)
    }

    /// Returns a chroma component with one sample for each pixel.
    private func full(_ component: Int, of buffer: PixelBuffer) -> SamplePlane {
        var plane = SamplePlane(component, of: buffer)
        if buffer.format.log2ChromaHeight == 1 {
            plane = plane.withDoubledRows(buffer.height)
        }
        if buffer.format.log2ChromaWidth == 1 {
            plane = plane.withDoubledColumns(buffer.width)
        }
        return plane
    }

    private func resample(_ buffer: PixelBuffer) -> PixelBuffer? {
        let source = buffer.format
        // 4:1:1 and 4:1:0 were used by old cameras.
        guard source.log2ChromaWidth <= 1, source.log2ChromaHeight <= 1 else { return nil }
        let depth = settings.sampleFormat.bitDepth
        let range = buffer.color.range
        var luma = SamplePlane(0, of: buffer)
        luma.map(
            Self.table(from: source.bitDepth, range, to: depth, color.range, isChroma: false))
        var planes = [luma]
        for index in 1...2 {
            guard source.model == .yCbCr else {
                let size = format.planeSize(index, width: buffer.width, height: buffer.height)
                planes.append(
                    SamplePlane(
                        width: size.width, height: size.height,
                        repeating: UInt16(1 << (depth - 1))))
                continue
            }
            var plane = SamplePlane(index, of: buffer)
            plane.map(
                Self.table(from: source.bitDepth, range, to: depth, color.range, isChroma: true))
            switch (source.log2ChromaHeight, format.log2ChromaHeight) {
            case (1, 0): plane = plane.withDoubledRows(buffer.height)
            case (0, 1): plane = plane.withHalvedRows()
            default: break
            }
            switch (source.log2ChromaWidth, format.log2ChromaWidth) {
            case (1, 0): plane = plane.withDoubledColumns(buffer.width)
            case (0, 1): plane = plane.withHalvedColumns()
            default: break
            }
            planes.append(plane)
        }
        return store(planes + alpha(buffer, depth: depth), buffer)
    }

    // MARK: - Parts

    /// Returns the alpha plane if the encoder stores alpha. If the frame has no alpha, the plane is
    /// opaque.
    private func alpha(_ buffer: PixelBuffer, depth: Int) -> [SamplePlane] {
        guard format.hasAlpha else { return [] }
        guard buffer.format.hasAlpha, let last = buffer.format.components.indices.last else {
            return [
                SamplePlane(
                    width: buffer.width, height: buffer.height,
                    repeating: UInt16((1 << depth) - 1))
            ]
        }
        var plane = SamplePlane(last, of: buffer)
        plane.map(Self.table(from: buffer.format.components[last].depth, to: depth))
        return [plane]
    }

    /// Returns a table that converts the codes of a full-range component to another bit depth.
    private static func table(from depth: Int, to newDepth: Int) -> [UInt16] {
        let (white, newWhite) = ((1 << depth) - 1, (1 << newDepth) - 1)
        return (0...white).map { UInt16(($0 * newWhite + white / 2) / white) }
    }

    private static func table(
        from depth: Int, _ range: ColorAttachments.Range, to newDepth: Int,
        _ newRange: ColorAttachments.Range, isChroma: Bool
    ) -> [UInt16] {
        // Only the codes of black, white and zero are used here, so the matrix does not matter.
        guard let old = ColorMatrix(.bt709, range: range, depth: depth),
            let new = ColorMatrix(.bt709, range: newRange, depth: newDepth)
        else { return [] }
        return (0..<(1 << depth)).map { code in
            let value =
                isChroma
                ? new.chromaZero + (Double(code) - old.chromaZero) / old.chromaSpan * new.chromaSpan
                : new.black + (Double(code) - old.black) / old.lumaSpan * new.lumaSpan
            return UInt16(min(max(value.rounded(), 0), new.maximum))
        }
    }

    /// Stores planes in the encoder's layout.
    private func store(_ planes: [SamplePlane], _ buffer: PixelBuffer) -> PixelBuffer? {
        guard planes.count >= format.components.count else { return nil }
        var attachments = buffer.attachments
        attachments.color = color
        return PixelBuffer(
            format: format, width: buffer.width, height: buffer.height, attachments: attachments,
            pool: pool
        ) { index, bytes, bytesPerRow in
            for (component, place) in format.components.enumerated() where place.plane == index {
                let plane = planes[component]
                for y in 0..<plane.height {
                    let row = y * bytesPerRow + place.offset
                    for x in 0..<plane.width {
                        let value = plane.samples[y * plane.width + x]
                        if place.depth > 8 {
                            bytes.storeBytes(
                                of: value.littleEndian, toByteOffset: row + x * place.step,
                                as: UInt16.self)
                        } else {
                            bytes[row + x * place.step] = UInt8(truncatingIfNeeded: value)
                        }
                    }
                }
            }
        }
    }
}

extension PixelFormat {
    /// Returns whether the samples of two formats have the same layout in memory, even if the names
    /// of the formats differ.
    package func hasSameLayout(as other: PixelFormat) -> Bool {
        model == other.model && components == other.components && hasAlpha == other.hasAlpha
            && log2ChromaWidth == other.log2ChromaWidth
            && log2ChromaHeight == other.log2ChromaHeight && isFloat == other.isFloat
            && (isBigEndian == other.isBigEndian || bitDepth <= 8)
    }
}

extension VideoOutputSettings {
    /// The layout of frames that the encoder receives.
    package var encoderPixelFormat: PixelFormat {
        guard sampleFormat.model == .rgb else { return sampleFormat.pixelFormat }
        return codec == .apng ? .rgba : .bgra
    }
}
