// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadConversion

/// A converter, and the memory that it writes and OpenGL reads. The memory is as large as the
/// largest frame so far.
///
/// - Concurrency: one thread at a time.
final class ConverterMemory: @unchecked Sendable {
    // Unchecked: one thread at a time owns it. `PicturePreparer` hands it over under a lock.
    private let memory = ScratchMemory()
    private let helperCount: Int?
    private lazy var converter = PictureConverter(helperCount: helperCount)

    /// Creates the memory.
    ///
    /// - Parameter helperCount: the number of threads in addition to the calling thread, as in
    ///   `PictureConverter`.
    init(helperCount: Int?) { self.helperCount = helperCount }

    /// Converts a frame, which overwrites the previous one.
    func convert(_ buffer: PixelBuffer, _ request: ConvertedPictureRequest) {
        let (bytesPerRow, part) = (request.bytesPerRow, request.part)
        guard let base = memory.makeRoom(bytesPerRow * part.outputHeight) else { return }
        converter.convert(
            buffer, part: part, transform: request.transform, byteOrder: request.byteOrder,
            into: request.isBottomUp ? base + bytesPerRow * (part.outputHeight - 1) : base,
            bytesPerRow: request.isBottomUp ? -bytesPerRow : bytesPerRow)
    }

    func read(_ body: (UnsafeRawPointer) -> Void) {
        if let base = memory.start { body(UnsafeRawPointer(base)) }
    }
}
