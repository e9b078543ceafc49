// SPDX-License-Identifier: Apache-2.0

package import PlayheadBuffers

/// A converter from drawn frames, in RGBA, to the pixel format of an encoder. It reads a frame back
/// and converts it in strips of some rows.
///
/// The rows of a strip are still in the processor's cache when they are converted. A whole R'G'B'
/// frame, which is nearly three times as large as a 4:2:0 frame, is never in memory.
///
/// - Concurrency: one thread.
package final class DrawnFrameConverter {
    private let fast: FastRGBConverter
    private let settings: VideoOutputSettings
    private let pool = PlainPixelBufferPool(byteLimit: .max)
    private var strip: [UInt8] = []

    /// The size of a strip, in bytes: a part of the cache of one core.
    private static let stripBytes = 1 << 19

    /// Creates a converter. Fails for settings that store R'G'B'.
    package init?(to settings: VideoOutputSettings) {
        guard settings.sampleFormat.model != .rgb, let fast = FastRGBConverter(settings) else {
            return nil
        }
        self.fast = fast
        self.settings = settings
    }

    /// Returns a frame in the format of the settings.
    ///
    /// - Parameters:
    ///   - rowWidth: The number of pixels that a row in memory has room for; nil for the width of
    ///     the frame.
    ///   - readRows: A function that reads rows of 8-bit RGBA into memory that has room for them.
    ///     Rows are counted from the top. The lowest row is stored first, as in OpenGL.
    package func frame(
        rowWidth: Int? = nil,
        readRows: (_ rows: Range<Int>, _ bytes: UnsafeMutableRawBufferPointer) throws -> Void
    ) rethrows -> PixelBuffer {
        let (width, height) = (settings.width, settings.height)
        var planes: [(bytes: UnsafeMutableRawBufferPointer, bytesPerRow: Int)] = []
        // The buffer keeps the memory of its planes, and nothing else uses this memory yet.
        let buffer = PixelBuffer(
            format: settings.encoderPixelFormat, width: width, height: height,
            attachments: PixelBufferAttachments(color: settings.declaredColor), pool: pool
        ) { _, bytes, bytesPerRow in planes.append((bytes, bytesPerRow)) }
        // Chroma samples cover two rows, so strips begin with an even row.
        let count = max(2, Self.stripBytes / (width * 4) / 2 * 2)
        let bytesPerRow = (rowWidth ?? width) * 4
        let size = min(count, height) * bytesPerRow
        if strip.count < size { strip = [UInt8](repeating: 0, count: size) }
        try strip.withUnsafeMutableBytes { strip in
            for first in stride(from: 0, to: height, by: count) {
                let rows = first..<min(first + count, height)
                let bytes = UnsafeMutableRawBufferPointer(
                    rebasing: strip[..<(rows.count * bytesPerRow)])
                try readRows(rows, bytes)
                guard let base = bytes.baseAddress else { return }
                let source = PixelBuffer.Plane(
                    baseAddress: UnsafeRawPointer(base) + (rows.count - 1) * bytesPerRow,
                    bytesPerRow: -bytesPerRow, width: width, height: rows.count)
                fast.convert(source, into: planes, firstRow: first)
            }
        }
        return buffer
    }
}
