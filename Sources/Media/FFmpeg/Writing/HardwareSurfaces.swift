// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import PlayheadBuffers

/// The frames in the memory of a hardware encoder.
///
/// - Concurrency: one thread at a time.
/// - Corresponds to: `AVHWFramesContext`.
final class HardwareSurfaces {
    private let frames: UnsafeMutablePointer<AVBufferRef>

    /// The number of frames that are kept for reuse: the maximum number that encoders reorder, and
    /// a few more.
    private static let count: Int32 = 20

    /// The reason why no frames can be allocated.
    struct Refusal: Error {
        var cause: String
    }

    /// Opens the first VA-API device, and allocates frames in its memory.
    ///
    /// - Parameter format: The pixel format of the frames in main memory.
    init(width: Int32, height: Int32, format: AVPixelFormat) throws(Refusal) {
        var device: UnsafeMutablePointer<AVBufferRef>?
        var result = av_hwdevice_ctx_create(&device, AV_HWDEVICE_TYPE_VAAPI, nil, nil, 0)
        guard result >= 0, device != nil else {
            throw Refusal(cause: "VA-API is not available (\(FFmpegError(result).text))")
        }
        var frames = av_hwframe_ctx_alloc(device)
        av_buffer_unref(&device)
        guard let data = frames?.pointee.data else {
            throw Refusal(cause: "there is not enough memory")
        }
        data.withMemoryRebound(to: AVHWFramesContext.self, capacity: 1) { context in
            context.pointee.format = AV_PIX_FMT_VAAPI
            context.pointee.sw_format = format
            (context.pointee.width, context.pointee.height) = (width, height)
            context.pointee.initial_pool_size = Self.count
        }
        result = av_hwframe_ctx_init(frames)
        guard result >= 0, let frames else {
            av_buffer_unref(&frames)
            throw Refusal(
                cause: "VA-API cannot create frames of \(width) x \(height) pixels "
                    + "(\(FFmpegError(result).text))")
        }
        self.frames = frames
    }

    deinit {
        var frames: UnsafeMutablePointer<AVBufferRef>? = frames
        av_buffer_unref(&frames)
    }

    /// Returns a reference for an encoder. The encoder frees the reference.
    func newReference() -> UnsafeMutablePointer<AVBufferRef>? { av_buffer_ref(frames) }

    /// Copies a frame into the hardware's memory; returns nil if that fails.
    func copy(_ source: FrameBox) -> FrameBox? {
        guard let box = FrameBox(), av_hwframe_get_buffer(frames, box.pointer, 0) >= 0,
            av_hwframe_transfer_data(box.pointer, source.pointer, 0) >= 0,
            av_frame_copy_props(box.pointer, source.pointer) >= 0
        else { return nil }
        return box
    }
}
