// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
package import PlayheadBuffers
import PlayheadImages
import PlayheadTime
package import PlayheadWriting

/// A converter from the frames of a source to those of a file.
///
/// If a frame has the size and colour space of the file, the encoder receives it as it was decoded.
/// If its size differs, it is scaled as Y'CbCr. If its colour space differs, it is converted
/// through R'G'B', with tone mapping if it has a high dynamic range.
///
/// - Concurrency: the thread of the export.
package struct ExportFrames {
    private let plan: ExportPlan.Video
    private let subject: String
    private let pool = PlainPixelBufferPool(byteLimit: 256 << 20)
    private var scaler: FrameScaler?

    package init(_ plan: ExportPlan.Video, subject: String) {
        self.plan = plan
        self.subject = subject
        let format = plan.settings.sampleFormat
        if format.model != .rgb {
            scaler = FrameScaler(
                format: format.pixelFormat, width: plan.settings.width,
                height: plan.settings.height, color: plan.settings.color, pool: pool)
        }
    }

    /// Returns a frame for the encoder.
    package mutating func frame(of buffer: PixelBuffer) throws(MediaWritingError) -> PixelBuffer {
        let isSame = !plan.isToneMapped && hasSameColors(buffer)
        if isSame, plan.geometry.isUnscaled(buffer) { return buffer }
        let rectangle = plan.geometry.rectangle(of: buffer)
        if isSame, scaler != nil, FrameScaler.takes(buffer.format), buffer.format.model != .rgb {
            return scaler?.scale(
                buffer, into: rectangle, orientation: plan.geometry.rotation(of: buffer)) ?? buffer
        }
        if plan.settings.color.transfer == .pq || plan.settings.color.transfer == .hlg {
            throw MediaWritingError(
                .unsupportedFormat, subject: subject,
                cause: "it mixes standard and high dynamic range",
                remedy: "use an 8-bit preset, which maps both to BT.709")
        }
        return redrawn(buffer, rectangle)
    }

    /// Returns a black frame.
    func black() -> PixelBuffer {
        if let scaler { return scaler.black() }
        return PixelBuffer(
            format: .rgba, width: plan.settings.width, height: plan.settings.height, pool: pool
        ) { _, bytes, _ in
            for place in stride(from: 0, to: bytes.count - 3, by: 4) {
                bytes.storeBytes(of: UInt32(0xff00_0000), toByteOffset: place, as: UInt32.self)
            }
        }
    }

    /// Returns a Boolean value that indicates whether a frame's components have the same meaning as
    /// those of the file, apart from their range.
    private func hasSameColors(_ buffer: PixelBuffer) -> Bool {
        let (own, color) = (buffer.color, plan.settings.color)
        if plan.settings.sampleFormat.model == .rgb { return buffer.format.model == .rgb }
        if buffer.format.model == .rgb { return !isHDR(own) }
        guard isHDR(own) || isHDR(color) else {
            // Grey frames have no matrix.
            return buffer.format.model == .gray || Self.name(own.matrix) == Self.name(color.matrix)
        }
        return own.transfer == color.transfer && own.matrix == color.matrix
    }

    private func isHDR(_ color: ColorAttachments) -> Bool {
        color.transfer == .pq || color.transfer == .hlg
    }

    /// Returns one name for both names of BT.601's matrix, which have the same coefficients.
    private static func name(_ matrix: ColorAttachments.Matrix) -> ColorAttachments.Matrix {
        matrix == .bt470bg ? .bt601 : matrix
    }

    /// Returns a frame as 8-bit R'G'B', upright and placed in the rectangle.
    private func redrawn(_ buffer: PixelBuffer, _ rectangle: FrameScaler.Rectangle) -> PixelBuffer {
        let rotation = plan.geometry.rotation(of: buffer)
        var attachments = PixelBufferAttachments(
            color: ColorAttachments(matrix: .rgb, range: .full, primaries: .bt709, transfer: .sRGB))
        attachments.orientation = plan.geometry.orientation
        return PixelBuffer(
            format: .rgba, width: plan.settings.width, height: plan.settings.height,
            attachments: attachments, pool: pool
        ) { _, bytes, bytesPerRow in
            guard let base = bytes.baseAddress else { return }
            for place in stride(from: 0, to: bytes.count - 3, by: 4) {
                bytes.storeBytes(of: UInt32(0xff00_0000), toByteOffset: place, as: UInt32.self)
            }
            StillConverter.write(
                buffer, width: rectangle.width, height: rectangle.height,
                isUpright: rotation != .up,
                into: base + rectangle.y * bytesPerRow + rectangle.x * 4,
                bytesPerRow: bytesPerRow)
        }
    }
}
