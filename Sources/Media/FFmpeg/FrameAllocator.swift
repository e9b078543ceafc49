// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import PlayheadBuffers

/// Has a decoder write its pictures into memory from a consumer's pool.
///
/// Where the pool has nothing, the codec does not take foreign memory (`AV_CODEC_CAP_DR1`), or a
/// format has samples that are not shown from where they lie, FFmpeg's own allocator takes over, frame
/// by frame.
///
/// - Concurrency: FFmpeg calls it on its decoding threads, several at a time.
/// - Ownership: has to outlive the decoder that it is installed in; not the frames.
/// - Corresponds to: `AVCodecContext.get_buffer2`.
final class FrameAllocator: Sendable {
    private let pool: any PixelBufferPool

    init(_ pool: any PixelBufferPool) { self.pool = pool }

    /// Before the decoder is opened.
    func install(in context: UnsafeMutablePointer<AVCodecContext>) {
        context.pointee.opaque = Unmanaged.passUnretained(self).toOpaque()
        ph_codec_allow_callbacks_on_threads(context)
        context.pointee.get_buffer2 = { context, frame, flags in
            guard let context, let frame, let opaque = context.pointee.opaque else {
                return ph_AVERROR_INVALIDDATA()
            }
            let allocator = Unmanaged<FrameAllocator>.fromOpaque(opaque).takeUnretainedValue()
            if allocator.allocate(frame, for: context) { return 0 }
            return avcodec_default_get_buffer2(context, frame, flags)
        }
    }

    private func allocate(
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

    /// Gives a frame, whose format and size are set, planes in memory of the pool.
    private func allocate(_ frame: UnsafeMutablePointer<AVFrame>, layout: FrameLayout?) -> Bool {
        guard let layout, let memory = pool.makeMemory(byteCount: layout.byteCount),
            let base = memory.bytes.baseAddress, memory.bytes.count >= layout.byteCount,
            Int(bitPattern: base) % PixelBuffer.alignment == 0
        else { return false }
        // The first of the two goes with the samples, the second tells whose they are, also where the
        // decoder has put other samples in their place.
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
