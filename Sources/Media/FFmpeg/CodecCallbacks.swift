// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg

/// The callbacks of a decoder, which allocate frames and select hardware decoding.
///
/// - Concurrency: FFmpeg calls them on its decoding threads, several at a time.
/// - Ownership: this object must outlive the decoder in which it is installed.
/// - Corresponds to: `AVCodecContext.get_buffer2`, `get_format`.
final class CodecCallbacks: Sendable {
    let allocator: FrameAllocator?
    let device: HardwareDevice?

    init(allocator: FrameAllocator?, device: HardwareDevice?) {
        self.allocator = allocator
        self.device = device
    }

    /// Installs the callbacks. Call it before the decoder is opened.
    func install(in context: UnsafeMutablePointer<AVCodecContext>) {
        context.pointee.opaque = Unmanaged.passUnretained(self).toOpaque()
        if allocator != nil {
            ph_codec_allow_callbacks_on_threads(context)
            context.pointee.get_buffer2 = { context, frame, flags in
                guard let context, let frame else { return ph_AVERROR_INVALIDDATA() }
                if let allocator = CodecCallbacks.of(context)?.allocator,
                    allocator.allocate(frame, for: context)
                {
                    return 0
                }
                return avcodec_default_get_buffer2(context, frame, flags)
            }
        }
        if let device {
            context.pointee.hw_device_ctx = device.newReference()
            context.pointee.get_format = { context, formats in
                guard let context, let formats else { return AV_PIX_FMT_NONE }
                // If the hardware does not support this stream, the list does not contain the
                // hardware format.
                let wanted = CodecCallbacks.of(context)?.device?.format
                var index = 0
                while formats[index] != AV_PIX_FMT_NONE {
                    if formats[index] == wanted { return formats[index] }
                    index += 1
                }
                return avcodec_default_get_format(context, formats)
            }
        }
    }

    private static func of(_ context: UnsafeMutablePointer<AVCodecContext>) -> CodecCallbacks? {
        context.pointee.opaque.map {
            Unmanaged<CodecCallbacks>.fromOpaque($0).takeUnretainedValue()
        }
    }
}
