// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import Glibc
import PlayheadWriting

/// The byte stream of a muxer, which writes to a `WritingFile`.
///
/// - Concurrency: one thread at a time.
/// - Ownership: FFmpeg calls this object through an unretained pointer, so the muxer retains both
///   the output and the file.
/// - Corresponds to: `AVIOContext`.
final class MuxerOutput {
    let pointer: UnsafeMutablePointer<AVIOContext>
    private let file: WritingFile

    /// The size of the buffer, in bytes. It is large, because muxers write small pieces and each
    /// flush is a system call.
    private static let bufferSize: Int32 = 1 << 16

    /// Creates an output. Fails if there is not enough memory.
    init?(_ file: WritingFile) {
        self.file = file
        let context = ph_avio_alloc_output(
            Self.bufferSize, Unmanaged.passUnretained(file).toOpaque(),
            { opaque, bytes, count in
                guard let opaque else { return ph_AVERROR(EIO) }
                let file = Unmanaged<WritingFile>.fromOpaque(opaque).takeUnretainedValue()
                let written = file.write(
                    UnsafeRawBufferPointer(start: bytes, count: Int(max(0, count))))
                return written ? count : ph_AVERROR(file.failure)
            },
            { opaque, offset, origin in
                guard let opaque else { return Int64(ph_AVERROR(EIO)) }
                let file = Unmanaged<WritingFile>.fromOpaque(opaque).takeUnretainedValue()
                switch origin & ~AVSEEK_FORCE {
                case AVSEEK_SIZE: return file.byteCount
                case SEEK_CUR: file.seek(to: file.offset + offset)
                case SEEK_END: file.seek(to: file.byteCount + offset)
                default: file.seek(to: offset)
                }
                return file.offset
            })
        guard let context else { return nil }
        pointer = context
    }

    deinit { ph_avio_free_output(pointer) }
}
