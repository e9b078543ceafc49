// SPDX-License-Identifier: Apache-2.0

package import PlayheadAssets
package import PlayheadBuffers
import PlayheadConversion
package import PlayheadPlayback
import Synchronization

/// The conversion of frames for one output.
///
/// R'G'B' is computed by `PictureConverter` if it supports the frame, otherwise by
/// `StillConverter`. The values differ from those of the renderer by at most one code value. Y'CbCr
/// of the same size and colours is copied sample by sample. Other Y'CbCr is computed from R'G'B' of
/// full precision.
///
/// - Concurrency: any thread; calls exclude each other.
package final class OutputFrameConverter: FrameConverter, @unchecked Sendable {
    // Unchecked: `converter` is used with the lock held; the rest is constant.
    private static let formats: [PixelFormat] = [
        .bgra, .rgba, .nv12, .yuv420p, .yuv420p10, .gray8,
    ]
    private static let largestSize = 16384
    /// The maximum memory that is kept for reuse. Beyond it, memory is allocated for each frame.
    private static let poolBytes = 256 << 20

    private let attributes: PixelBufferAttributes
    private let pool = PlainPixelBufferPool(byteLimit: OutputFrameConverter.poolBytes)
    private let lock = Mutex(())
    private var converter: PictureConverter?

    package init(_ attributes: PixelBufferAttributes) throws(MediaError) {
        guard Self.formats.contains(attributes.pixelFormat) else {
            throw MediaError(
                .unsupportedCodec, subject: "pixelBufferAttributes",
                cause: "frames cannot be converted to \(attributes.pixelFormat)",
                remedy: "use \(Self.formats.map(\.name).joined(separator: ", "))")
        }
        let size = 0...Self.largestSize
        guard size.contains(attributes.width), size.contains(attributes.height) else {
            throw MediaError(
                .limitExceeded, subject: "pixelBufferAttributes",
                cause: "a size of \(attributes.width) x \(attributes.height) is not possible",
                remedy: "use 1 to \(Self.largestSize), or 0 for the size of the video")
        }
        self.attributes = attributes
    }

    package func convert(_ buffer: PixelBuffer) -> PixelBuffer {
        let (width, height) = size(of: buffer)
        let isSameSize = (width, height) == (buffer.width, buffer.height)
        let keepsColor = attributes.colorSpace.map { transform(buffer, to: $0).isIdentity } ?? true
        let format = attributes.pixelFormat
        // R'G'B' and grey have full range.
        let keepsRange = format.model == .yCbCr || buffer.color.range == .full
        if isSameSize, keepsColor, keepsRange, buffer.format == format { return buffer }
        return lock.withLock { _ in
            if format.model == .rgb { return rgb(of: buffer, width, height) }
            if isSameSize, keepsColor, SampleMover.canMove(buffer, to: format) {
                return moved(buffer)
            }
            return computed(buffer, width, height, keepsColor: keepsColor)
        }
    }

    private func size(of buffer: PixelBuffer) -> (width: Int, height: Int) {
        func scaled(_ length: Int, _ other: Int, to target: Int) -> Int {
            let size = (Double(length) * Double(target) / Double(other)).rounded()
            return min(max(1, Int(size)), Self.largestSize)
        }
        return switch (attributes.width, attributes.height) {
        case (0, 0): (buffer.width, buffer.height)
        case (0, let height): (scaled(buffer.width, buffer.height, to: height), height)
        case (let width, 0): (width, scaled(buffer.height, buffer.width, to: width))
        case (let width, let height): (width, height)
        }
    }

    private func transform(_ buffer: PixelBuffer, to colorSpace: ColorSpace) -> ColorTransform {
        ColorTransform(
            from: buffer.color, peakLuminance: buffer.attachments.peakLuminance, to: colorSpace)
    }

    /// The colour space of the result.
    private func colorSpace(of buffer: PixelBuffer) -> ColorSpace {
        attributes.colorSpace
            ?? ColorSpace(primaries: buffer.color.primaries, transfer: buffer.color.transfer)
    }

    private func attachments(
        of buffer: PixelBuffer, _ width: Int, _ height: Int, _ color: ColorAttachments
    ) -> PixelBufferAttachments {
        var attachments = buffer.attachments
        attachments.color = color
        // The pixel aspect ratio compensates for a stretch, so that the frame is shown with the
        // same proportions.
        let ratio = attachments.pixelAspectRatio
        let across = ratio.horizontal * buffer.width * height
        let down = ratio.vertical * buffer.height * width
        let divisor = Self.divisor(across, down)
        attachments.pixelAspectRatio = PixelBufferAttachments.PixelAspectRatio(
            horizontal: across / divisor, vertical: down / divisor)
        return attachments
    }

    private static func divisor(_ left: Int, _ right: Int) -> Int {
        var (left, right) = (left, right)
        while right != 0 { (left, right) = (right, left % right) }
        return max(left, 1)
    }

    // MARK: - R'G'B'

    private func rgb(of buffer: PixelBuffer, _ width: Int, _ height: Int) -> PixelBuffer {
        let space = colorSpace(of: buffer)
        let isSwapped = attributes.pixelFormat == .bgra
        let color = ColorAttachments(
            matrix: .rgb, range: .full, primaries: space.primaries, transfer: space.transfer,
            alpha: buffer.color.alpha)
        let transform = attributes.colorSpace.map { self.transform(buffer, to: $0) }
        let isFast =
            PictureConverter.canConvert(buffer) && transform.map(PictureConverter.canApply) ?? true
        let converter = isFast ? self.converter ?? PictureConverter() : nil
        if isFast { self.converter = converter }
        return PixelBuffer(
            format: attributes.pixelFormat, width: width, height: height,
            attachments: attachments(of: buffer, width, height, color), pool: pool
        ) { _, bytes, bytesPerRow in
            guard let base = bytes.baseAddress else { return }
            if let converter {
                converter.convert(
                    buffer, part: ConversionPart(outputWidth: width, outputHeight: height),
                    transform: transform, byteOrder: isSwapped ? .bgra : .rgba, into: base,
                    bytesPerRow: bytesPerRow)
                return
            }
            StillConverter.write(
                buffer, width: width, height: height, isUpright: false, colorSpace: space,
                into: base, bytesPerRow: bytesPerRow)
            guard isSwapped else { return }
            for row in 0..<height {
                let pixels = base + row * bytesPerRow
                for pixel in 0..<width {
                    let place = pixels + pixel * 4
                    let color = place.load(as: SIMD4<UInt8>.self)
                    place.storeBytes(
                        of: SIMD4(color.z, color.y, color.x, color.w), as: SIMD4<UInt8>.self)
                }
            }
        }
    }

    // MARK: - Y'CbCr

    private func moved(_ buffer: PixelBuffer) -> PixelBuffer {
        let mover = SampleMover(buffer, to: attributes.pixelFormat)
        var color = buffer.color
        color.chromaLocation = mover.chromaLocation
        if attributes.pixelFormat.model == .gray { color.range = .full }
        return PixelBuffer(
            format: attributes.pixelFormat, width: buffer.width, height: buffer.height,
            attachments: attachments(of: buffer, buffer.width, buffer.height, color), pool: pool
        ) { plane, bytes, bytesPerRow in
            if let base = bytes.baseAddress {
                mover.write(plane: plane, into: base, bytesPerRow: bytesPerRow)
            }
        }
    }

    private func computed(
        _ buffer: PixelBuffer, _ width: Int, _ height: Int, keepsColor: Bool
    ) -> PixelBuffer {
        let space = colorSpace(of: buffer)
        var color = buffer.color
        let isKept = keepsColor && SignalWriter.hasLinearMatrix(color)
        if !isKept || buffer.format.model == .rgb {
            color.matrix = space.primaries == .bt2020 ? .bt2020NonConstantLuminance : .bt709
            color.range = .limited
            color.primaries = space.primaries
            color.transfer = space.transfer
        }
        color.chromaLocation = .left
        if attributes.pixelFormat.model == .gray { color.range = .full }
        let writer = SignalWriter(format: attributes.pixelFormat, color: color)
        return PixelBuffer(
            format: attributes.pixelFormat, width: width, height: height,
            attachments: attachments(of: buffer, width, height, color), pool: pool
        ) { plane, bytes, bytesPerRow in
            guard let base = bytes.baseAddress else { return }
            var rows = ColorRows(buffer, width: width, height: height, in: space)
            writer.write(
                plane: plane, from: &rows, width: width, height: height, into: base,
                bytesPerRow: bytesPerRow)
        }
    }
}
