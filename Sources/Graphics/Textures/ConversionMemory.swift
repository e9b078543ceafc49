// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadConversion

/// What a converter writes and OpenGL copies: as large as the largest picture so far.
///
/// - Concurrency: one thread at a time.
final class ConversionMemory {
    private let memory = ScratchMemory()

    /// Makes room for a picture; what was in it is gone where there was not enough.
    func makeRoom(for request: ConvertedPictureCache.Request) {
        memory.makeRoom(request.bytesPerRow * request.part.outputHeight)
    }

    /// Converts a picture into the room that has been made for it.
    func convert(
        _ buffer: PixelBuffer, _ request: ConvertedPictureCache.Request,
        by converter: PictureConverter
    ) {
        let (bytesPerRow, part) = (request.bytesPerRow, request.part)
        guard let base = memory.start else { return }
        converter.convert(
            buffer, part: part, byteOrder: request.byteOrder,
            into: request.isBottomUp ? base + bytesPerRow * (part.outputHeight - 1) : base,
            bytesPerRow: request.isBottomUp ? -bytesPerRow : bytesPerRow)
    }

    func read(_ body: (UnsafeRawPointer) -> Void) {
        if let base = memory.start { body(UnsafeRawPointer(base)) }
    }
}
