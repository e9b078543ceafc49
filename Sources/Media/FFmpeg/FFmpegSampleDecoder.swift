// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
package import PlayheadAssets
package import PlayheadBuffers
import PlayheadTime

/// A source of libavcodec decoders for compressed frames that come from no container.
///
/// - Concurrency: any thread.
package struct FFmpegSampleDecoding: SampleDecoding {
    package init() {}

    package func makeDecoder(
        codec: String, width: Int, height: Int, attachments: PixelBufferAttachments,
        subject: String
    ) throws(MediaError) -> any SampleDecoder {
        try FFmpegSampleDecoder(
            codec: codec, width: width, height: height, attachments: attachments, subject: subject)
    }
}

/// A decoder that returns each frame as soon as its data has been sent. It uses no frame threads,
/// because each of them holds a frame back.
final class FFmpegSampleDecoder: SampleDecoder, @unchecked Sendable {
    // Unchecked: used by one thread at a time, as the protocol requires.

    private let codec: CodecContext
    private let attachments: PixelBufferAttachments
    private let subject: String
    private let limits = MediaLimits()
    /// The unit of timestamps: a microsecond.
    private static let timeBase = AVRational(num: 1, den: 1_000_000)

    init(
        codec name: String, width: Int, height: Int, attachments: PixelBufferAttachments,
        subject: String
    ) throws(MediaError) {
        guard let descriptor = avcodec_descriptor_get_by_name(name),
            let values = CodecParameters(
                video: descriptor.pointee.id, size: (width: width, height: height))
        else {
            throw MediaError(
                .unsupportedCodec, subject: subject, cause: "there is no decoder for \(name)",
                remedy: "install an FFmpeg that has it")
        }
        let track = AssetTrack(
            id: 0, mediaType: .video,
            formatDescription: FormatDescription(
                codec: name,
                video: FormatDescription.Video(
                    width: width, height: height, pixelFormat: "", attachments: attachments)),
            isDefault: true,
            timeRange: MediaTimeRange(start: .zero, duration: .indefinite))
        FFmpegLog.silence()
        codec = try CodecContext(
            StreamParameters(
                uncontained: track, values, timeBase: Self.timeBase, subject: subject)
        ) { context in
            context.pointee.thread_type = FF_THREAD_SLICE
            context.pointee.thread_count = 0
            context.pointee.flags |= AV_CODEC_FLAG_LOW_DELAY
            context.pointee.flags |= AV_CODEC_FLAG_UNALIGNED
        }
        self.attachments = attachments
        self.subject = subject
    }

    func decode(
        _ bytes: UnsafeRawBufferPointer, at time: MediaTime
    ) throws(MediaError) -> [VideoFrame] {
        guard let box = PacketBox(), let source = bytes.baseAddress,
            av_new_packet(box.pointer, Int32(clamping: bytes.count)) >= 0
        else {
            throw MediaError(
                .outOfResources, subject: subject,
                cause: "there is not enough memory to decode it")
        }
        UnsafeMutableRawPointer(box.pointer.pointee.data).copyMemory(
            from: source, byteCount: bytes.count)
        let ticks = time.converted(toTimescale: 1_000_000).value
        box.pointer.pointee.pts = ticks
        box.pointer.pointee.dts = ticks
        let sent = FFmpegError(avcodec_send_packet(codec.pointer, box.pointer))
        guard sent.rawValue >= 0 else { throw codec.failure(sent) }
        var frames: [VideoFrame] = []
        while let frame = FrameBox() {
            let result = codec.receive(into: frame)
            if result == .again || result == .endOfFile { break }
            guard result.rawValue >= 0 else { throw codec.failure(result) }
            let stamp = frame.pointer.pointee.best_effort_timestamp
            let isOwn = stamp == ticks
            frames.append(
                try videoFrame(
                    frame, at: isOwn ? time : MediaTime(stamp, timeBase: Self.timeBase)))
        }
        return frames
    }

    private func videoFrame(
        _ box: FrameBox, at time: MediaTime
    ) throws(MediaError) -> VideoFrame {
        let values = box.pointer.pointee
        if let cause = limits.refusal(
            ofPictureWidth: Int(values.width), height: Int(values.height))
        {
            throw MediaError(.limitExceeded, subject: subject, cause: cause)
        }
        let attachments = PixelBufferAttachments(
            box.pointer, stream: attachments, containerRatio: AVRational(num: 0, den: 1))
        guard let buffer = PixelBuffer.wrapping(box, attachments: attachments) else {
            throw MediaError(
                .unsupportedCodec, subject: subject,
                cause: "its pixel format cannot be shown",
                remedy: "use another format of the device")
        }
        return VideoFrame(
            pixelBuffer: buffer, presentationTime: time, duration: .invalid,
            isKeyframe: ph_frame_is_key(box.pointer) != 0)
    }

    func flush() { codec.flush() }
}
