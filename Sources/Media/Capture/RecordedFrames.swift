// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadWriting

/// The frames of a recording, scaled to the size of the first one if necessary. The images of a
/// camera may change their size, a monitor may return with another mode, and a file has one size.
///
/// - Concurrency: one thread.
struct RecordedFrames {
    private var first: PixelBuffer?
    private var scaler: FrameScaler?

    /// Returns a frame in the size of the first one, with black bars if its shape differs.
    mutating func frame(of buffer: PixelBuffer) -> PixelBuffer {
        guard let first else {
            first = buffer
            return buffer
        }
        let isSame = buffer.width == first.width && buffer.height == first.height
        if isSame { return buffer }
        guard buffer.format.model != .rgb else { return reduced(buffer, to: first) }
        guard FrameScaler.takes(buffer.format) else { return buffer }
        if scaler == nil {
            scaler = FrameScaler(
                format: .yuv420p, width: first.width, height: first.height, color: first.color,
                pool: PlainPixelBufferPool(byteLimit: 16 << 20))
        }
        let scale = min(
            Double(first.width) / Double(buffer.width),
            Double(first.height) / Double(buffer.height))
        let width = max(1, Int((Double(buffer.width) * scale).rounded()))
        let height = max(1, Int((Double(buffer.height) * scale).rounded()))
        // Chroma is subsampled, so the origin is even.
        let rectangle = FrameScaler.Rectangle(
            x: (first.width - width) / 2 & ~1, y: (first.height - height) / 2 & ~1, width: width,
            height: height)
        return scaler?.scale(buffer, into: rectangle, orientation: .up) ?? buffer
    }

    /// Returns a frame of a screen in the size of the first one.
    private func reduced(_ buffer: PixelBuffer, to first: PixelBuffer) -> PixelBuffer {
        guard buffer.format.components.allSatisfy({ $0.depth == 8 && $0.step == 4 }),
            let plane = buffer.planes.first
        else { return buffer }
        let reduction = PixelReduction(
            (buffer.width, buffer.height), into: (first.width, first.height))
        return PixelBuffer(
            format: buffer.format, width: first.width, height: first.height,
            attachments: buffer.attachments
        ) { _, bytes, bytesPerRow in
            reduction.fill(
                bytes, bytesPerRow: bytesPerRow, from: plane.baseAddress,
                bytesPerRow: plane.bytesPerRow)
        }
    }
}
