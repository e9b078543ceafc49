// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import PlayheadAssets

/// Hardware decoding, and the fallback to the CPU.
extension FFmpegVideoDecoder {
    /// Returns the hardware for a stream, or the reason why hardware is not available.
    static func hardware(
        _ wanted: HardwareAcceleration, for parameters: StreamParameters
    ) -> (device: HardwareDevice?, refusal: String?) {
        guard wanted != .none else { return (nil, nil) }
        if parameters.hasAlphaLayer {
            return (nil, "pictures with an alpha layer are decoded by the processor")
        }
        do throws(HardwareDevice.Refusal) {
            let codec = parameters.codec.pointer.pointee.codec_id
            return (try HardwareDevice.open(wanted, for: codec), nil)
        } catch {
            return (nil, error.cause)
        }
    }

    /// Returns the frame in main memory, allocated from the pool if possible. A frame that is
    /// already in main memory is returned unchanged.
    ///
    /// - Throws: FFmpeg's error if the hardware does not return the frame.
    static func download(
        _ box: FrameBox, allocator: FrameAllocator?
    ) throws(FFmpegError) -> FrameBox {
        let source = box.pointer
        guard let frames = source.pointee.hw_frames_ctx else { return box }
        guard let copy = FrameBox() else { throw .outOfMemory }
        let target = copy.pointer
        var formats: UnsafeMutablePointer<AVPixelFormat>?
        defer { av_freep(&formats) }
        var result = av_hwframe_transfer_get_formats(
            frames, AV_HWFRAME_TRANSFER_DIRECTION_FROM, &formats, 0)
        guard result >= 0, let format = formats?.pointee else { throw FFmpegError(result) }
        target.pointee.format = format.rawValue
        target.pointee.width = source.pointee.width
        target.pointee.height = source.pointee.height
        // The properties are copied before the memory is allocated, because the copy would
        // overwrite the mark of the memory.
        result = av_frame_copy_props(target, source)
        if result >= 0, allocator?.allocate(target) != true {
            result = av_frame_get_buffer(target, 0)
        }
        if result >= 0 { result = av_hwframe_transfer_data(target, source, 0) }
        guard result >= 0 else { throw FFmpegError(result) }
        // For hardware frames, FFmpeg applies the cropping only at the right and at the bottom.
        target.pointee.crop_left = source.pointee.crop_left
        target.pointee.crop_top = source.pointee.crop_top
        av_frame_apply_cropping(target, Int32(AV_FRAME_CROP_UNALIGNED))
        return copy
    }
}

extension FFmpegError: Error {}
