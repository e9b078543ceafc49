// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import PlayheadAssets

/// Decoding by hardware, and without it.
extension FFmpegVideoDecoder {
    /// The hardware for a stream; where there is none, why.
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

    /// The picture in plain memory, of a pool where there is one; the frame itself if it lies
    /// there.
    ///
    /// - Throws: FFmpeg's error, where the hardware does not give it out.
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
        // Before the memory, whose mark it would overwrite.
        result = av_frame_copy_props(target, source)
        if result >= 0, allocator?.allocate(target) != true {
            result = av_frame_get_buffer(target, 0)
        }
        if result >= 0 { result = av_hwframe_transfer_data(target, source, 0) }
        guard result >= 0 else { throw FFmpegError(result) }
        // Of a picture with the hardware, FFmpeg has cut off only what lies right and below.
        target.pointee.crop_left = source.pointee.crop_left
        target.pointee.crop_top = source.pointee.crop_top
        av_frame_apply_cropping(target, Int32(AV_FRAME_CROP_UNALIGNED))
        return copy
    }
}

extension FFmpegError: Error {}
