// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadConversion

/// What a converter writes and OpenGL copies: as large as the largest picture so far.
///
/// - Concurrency: one thread at a time.
final class ConversionMemory {
    private var bytes = UnsafeMutableRawBufferPointer(start: nil, count: 0)

    deinit { bytes.deallocate() }

    /// Room for whole vectors, which are read and written at once.
    private static let alignment = 64

    /// Makes room for a picture; what was in it is gone where there was not enough.
    func makeRoom(for request: ConvertedPictureCache.Request) {
        let byteCount = request.bytesPerRow * request.part.outputHeight
        guard bytes.count < byteCount else { return }
        bytes.deallocate()
        bytes = .allocate(byteCount: byteCount, alignment: Self.alignment)
    }

    /// Converts a picture into the room that has been made for it.
    func convert(
        _ buffer: PixelBuffer, _ request: ConvertedPictureCache.Request,
        by converter: PictureConverter
    ) {
        let (bytesPerRow, part) = (request.bytesPerRow, request.part)
        guard let base = bytes.baseAddress else { return }
        converter.convert(
            buffer, part: part, byteOrder: request.byteOrder,
            into: request.isBottomUp ? base + bytesPerRow * (part.outputHeight - 1) : base,
            bytesPerRow: request.isBottomUp ? -bytesPerRow : bytesPerRow)
    }

    func read(_ body: (UnsafeRawPointer) -> Void) {
        if let base = bytes.baseAddress { body(UnsafeRawPointer(base)) }
    }
}
