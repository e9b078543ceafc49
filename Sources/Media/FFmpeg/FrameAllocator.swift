// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import PlayheadBuffers

/// An allocator of a decoder's frames that uses a consumer's pool.
///
/// FFmpeg's own allocator is used for a frame in three cases: the pool is empty, the codec does not
/// support foreign memory (`AV_CODEC_CAP_DR1`), or the frame will be converted before it is shown.
///
/// - Concurrency: FFmpeg calls it on its decoding threads, several at a time.
/// - Corresponds to: `AVCodecContext.get_buffer2`.
final class FrameAllocator: Sendable {
    private let pool: any PixelBufferPool

    init(_ pool: any PixelBufferPool) { self.pool = pool }

    /// Allocates the planes of a frame for a decoder. Returns false if the pool cannot provide
    /// memory.
    func allocate(
        _ frame: UnsafeMutablePointer<AVFrame>, for context: UnsafeMutablePointer<AVCodecContext>
    ) -> Bool {
        guard let codec = context.pointee.codec,
            codec.pointee.capabilities & AV_CODEC_CAP_DR1 != 0
        else { return false }
        let format = AVPixelFormat(frame.pointee.format)
        var (width, height) = (frame.pointee.width, frame.pointee.height)
        var alignment = [Int32](repeating: 1, count: Int(AV_NUM_DATA_POINTERS))
        avcodec_align_dimensions2(context, &width, &height, &alignment)
        return allocate(
            frame,
            layout: FrameLayout(format, width: width, height: height, alignment: alignment))
    }

    /// Allocates the planes of a frame whose format and size are set, so that FFmpeg can copy into
    /// it.
    func allocate(_ frame: UnsafeMutablePointer<AVFrame>) -> Bool {
        let format = AVPixelFormat(frame.pointee.format)
        return allocate(
            frame,
            layout: FrameLayout(
                format, width: frame.pointee.width, height: frame.pointee.height, alignment: []))
    }

    private func allocate(_ frame: UnsafeMutablePointer<AVFrame>, layout: FrameLayout?) -> Bool {
        guard let layout, let memory = pool.makeMemory(byteCount: layout.byteCount),
            let base = memory.bytes.baseAddress, memory.bytes.count >= layout.byteCount,
            Int(bitPattern: base) % PixelBuffer.alignment == 0
        else { return false }
        // The first reference belongs to the samples. The second is a mark that identifies their
        // memory. If the decoder has replaced the samples, the two differ.
        frame.pointee.buf.0 = FrameMemory.reference(to: memory, byteCount: layout.byteCount)
        frame.pointee.opaque_ref = FrameMemory.reference(to: memory, byteCount: layout.byteCount)
        guard frame.pointee.buf.0 != nil, frame.pointee.opaque_ref != nil else {
            av_buffer_unref(&frame.pointee.buf.0)
            av_buffer_unref(&frame.pointee.opaque_ref)
            return false
        }
        layout.place(frame, at: base.assumingMemoryBound(to: UInt8.self))
        return true
    }
}
