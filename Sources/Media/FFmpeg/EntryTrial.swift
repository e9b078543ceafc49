// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import PlayheadAssets
import PlayheadTime

/// A trial that decodes the packets at the target of a seek to find out whether decoding can begin
/// there.
///
/// - Concurrency: one thread at a time.
final class EntryTrial {
    private let parameters: StreamParameters
    private let limits: MediaLimits
    private let decoder: CodecContext

    /// Two patterns with which the memory of a frame is filled before decoding. If a frame is
    /// incomplete, the two results differ.
    private static let fills: [UInt8] = [0x10, 0xEB]

    /// Opens a decoder. Fails if FFmpeg has no decoder for the codec.
    init?(_ parameters: StreamParameters, limits: MediaLimits) {
        self.parameters = parameters
        self.limits = limits
        guard let decoder = Self.decoder(parameters, limits, fill: nil) else { return nil }
        self.decoder = decoder
    }

    /// The result of decoding so far.
    enum Finding {
        /// The first frame is complete. The value is its time, if known.
        case clean(MediaTime)
        /// The first frame depends on earlier frames.
        case dependent
        /// No frame has been decoded yet.
        case nothing
    }

    /// Decodes another packet, or the frames that the decoder still holds at the end.
    func decode(_ packet: MediaPacket?) -> Finding {
        _ = decoder.send(packet)
        guard let frame = FrameBox(), decoder.receive(into: frame).rawValue >= 0 else {
            return .nothing
        }
        let values = frame.pointer.pointee
        if values.decode_error_flags != 0 || values.flags & AV_FRAME_FLAG_CORRUPT != 0 {
            return .dependent
        }
        switch values.pict_type {
        case AV_PICTURE_TYPE_I, AV_PICTURE_TYPE_SI: break
        case AV_PICTURE_TYPE_NONE:
            if let packet, fillShows(in: packet) { return .dependent }
        // After a recovery point, the H.264 decoder withholds incomplete frames.
        default: if !withholds { return .dependent }
        }
        let time = MediaTime(values.best_effort_timestamp, timeBase: parameters.timeBase)
        return .clean(time.isNumeric ? time - parameters.timestampOffset : .invalid)
    }

    /// A Boolean value that indicates whether the decoder withholds incomplete frames.
    var withholds: Bool {
        let codec = parameters.codec.pointer.pointee.codec_id
        return codec == AV_CODEC_ID_H264 || codec == AV_CODEC_ID_HEVC
    }

    /// Returns whether a frame of a codec without picture types keeps parts of the previous frame.
    private func fillShows(in packet: MediaPacket) -> Bool {
        let frames = Self.fills.map { fill -> [UInt8]? in
            guard let decoder = Self.decoder(parameters, limits, fill: fill), let frame = FrameBox()
            else { return nil }
            _ = decoder.send(packet)
            if decoder.receive(into: frame).rawValue >= 0 { return Self.bytes(of: frame) }
            _ = decoder.send(nil)
            return decoder.receive(into: frame).rawValue >= 0 ? Self.bytes(of: frame) : nil
        }
        return frames[0] == nil || frames[0] != frames[1]
    }

    private static func decoder(
        _ parameters: StreamParameters, _ limits: MediaLimits, fill: UInt8?
    ) -> CodecContext? {
        try? CodecContext(parameters) { context in
            context.pointee.thread_count = 1
            context.pointee.max_pixels = Int64(limits.picturePixels)
            guard let fill else { return }
            context.pointee.opaque = UnsafeMutableRawPointer(bitPattern: Int(fill))
            context.pointee.get_buffer2 = { context, frame, flags in
                guard let context, let frame else { return ph_AVERROR_INVALIDDATA() }
                let result = avcodec_default_get_buffer2(context, frame, flags)
                guard result >= 0 else { return result }
                let fill = UInt8(truncatingIfNeeded: Int(bitPattern: context.pointee.opaque))
                withUnsafeBytes(of: frame.pointee.buf) { bytes in
                    for case let buffer? in bytes.bindMemory(
                        to: UnsafeMutablePointer<AVBufferRef>?.self)
                    {
                        buffer.pointee.data.update(repeating: fill, count: buffer.pointee.size)
                    }
                }
                return result
            }
        }
    }

    private static func bytes(of frame: FrameBox) -> [UInt8]? {
        let values = frame.pointer.pointee
        let format = AVPixelFormat(values.format)
        let count = av_image_get_buffer_size(format, values.width, values.height, 1)
        guard count > 0 else { return nil }
        var bytes = [UInt8](repeating: 0, count: Int(count))
        let copied = bytes.withUnsafeMutableBufferPointer { buffer in
            ph_frame_copy(frame.pointer, buffer.baseAddress, count)
        }
        return copied >= 0 ? bytes : nil
    }
}
