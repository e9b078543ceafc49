// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import PlayheadAssets
import PlayheadBuffers
import PlayheadTime

/// A video decoder over libavcodec, with threads for all cores.
///
/// Pictures are the decoder's own frames, not copies; with a pool, in its memory. A picture is shown at the time that FFmpeg
/// thinks best (`best_effort_timestamp`: its PTS, or its DTS where the file's PTS are nonsense), which
/// is what `ffprobe -show_frames` prints. A picture without any time follows on the one before it;
/// the first begins with the asset.
///
/// - Concurrency: one thread at a time, as `VideoDecoder` says; decodes on threads of FFmpeg's.
/// - Corresponds to: `AVCodecContext`.
final class FFmpegVideoDecoder: VideoDecoder, @unchecked Sendable {
    // Unchecked: mutable state is touched by the one thread that the protocol allows at a time.

    private let parameters: StreamParameters
    private let limits: MediaLimits
    private let codec: CodecContext
    private let streamAttachments: PixelBufferAttachments
    /// Frames that had to be taken out to make room for a packet.
    private var overflow: [VideoFrame] = []
    /// Whether leaving out pictures that no other refers to leaves all others whole.
    private let canSkipNonReferenceFrames: Bool
    /// Where a frame without a time begins.
    private var followingTime: MediaTime

    /// More threads gain nothing and cost a frame of memory and of delay each; FFmpeg's own
    /// automatic choice has the same limit.
    private static let maximumThreads: Int32 = 16

    init(
        _ parameters: StreamParameters, limits: MediaLimits, pool: (any PixelBufferPool)?
    ) throws(MediaError) {
        self.parameters = parameters
        self.limits = limits
        streamAttachments =
            parameters.track.formatDescription.video?.attachments ?? PixelBufferAttachments()
        followingTime = parameters.startTime
        canSkipNonReferenceFrames = Self.canSkipNonReferenceFrames(parameters)
        codec = try CodecContext(parameters, allocator: pool.map { FrameAllocator($0) }) {
            context in
            // One more than there are cores, as FFmpeg's own automatic choice: threads wait for rows
            // of each other's pictures.
            let cores = max(1, av_cpu_count())
            context.pointee.thread_count = min(cores > 1 ? cores + 1 : 1, Self.maximumThreads)
            context.pointee.thread_type = FF_THREAD_FRAME | FF_THREAD_SLICE
            context.pointee.max_pixels = Int64(limits.picturePixels)
            // Crop to the pixel: textures do not mind where in memory a row begins.
            context.pointee.flags |= AV_CODEC_FLAG_UNALIGNED
        }
    }

    func send(_ packet: MediaPacket?) throws(MediaError) {
        var result = codec.send(packet)
        while result == .again {
            guard let frame = try receiveFromCodec() else { break }
            overflow.append(frame)
            result = codec.send(packet)
        }
        guard result.rawValue >= 0 || result == .endOfFile else { throw failure(result) }
    }

    /// Formats that say their size only in the pictures themselves have passed no check of it when
    /// those are decoded; libavcodec refuses what passes the limit as it does damaged data.
    private func failure(_ error: FFmpegError) -> MediaError {
        var failure = codec.failure(error)
        if parameters.track.formatDescription.video?.width == 0, failure.code == .decodingFailed {
            failure.cause += ", or more than \(limits.picturePixels) pixels"
        }
        return failure
    }

    func receive() throws(MediaError) -> VideoFrame? {
        if !overflow.isEmpty { return overflow.removeFirst() }
        return try receiveFromCodec()
    }

    private func receiveFromCodec() throws(MediaError) -> VideoFrame? {
        guard let box = FrameBox() else { throw codec.failure(.outOfMemory) }
        let result = codec.receive(into: box)
        if result == .again || result == .endOfFile { return nil }
        guard result.rawValue >= 0 else { throw failure(result) }
        return try videoFrame(from: box)
    }

    private func videoFrame(from box: FrameBox) throws(MediaError) -> VideoFrame {
        let values = box.pointer.pointee
        let (time, duration) = nextTime(of: box)
        if let cause = limits.refusal(
            ofPictureWidth: Int(values.width), height: Int(values.height))
        {
            throw MediaError(
                .limitExceeded, subject: parameters.subject, cause: cause,
                remedy: "raise the limit if the file is to be trusted")
        }
        let attachments = PixelBufferAttachments(
            box.pointer, stream: streamAttachments, containerRatio: parameters.pixelAspectRatio)
        guard let buffer = PixelBuffer.wrapping(box, attachments: attachments) else {
            let name = PixelFormatTable.name(AVPixelFormat(values.format))
            throw MediaError(
                .unsupportedCodec, subject: parameters.subject,
                cause: "its pictures are stored as \(name), which cannot be shown",
                remedy: "convert it to another pixel format")
        }
        return VideoFrame(
            pixelBuffer: buffer, presentationTime: time, duration: duration,
            isKeyframe: ph_frame_is_key(box.pointer) != 0)
    }

    private func nextTime(of box: FrameBox) -> (time: MediaTime, duration: MediaTime) {
        let base = parameters.timeBase
        var time = MediaTime(box.pointer.pointee.best_effort_timestamp, timeBase: base)
        time = time.isNumeric ? time - parameters.timestampOffset : followingTime
        var duration = MediaTime(duration: ph_frame_duration(box.pointer), timeBase: base)
        if !duration.isNumeric { duration = parameters.track.frameDuration }
        if duration.isNumeric { followingTime = time + duration }
        return (time, duration)
    }

    func flush() {
        codec.flush()
        overflow.removeAll()
    }

    var skipsNonReferenceFrames: Bool {
        get { codec.pointer.pointee.skip_frame == AVDISCARD_NONREF }
        set {
            codec.pointer.pointee.skip_frame =
                newValue && canSkipNonReferenceFrames ? AVDISCARD_NONREF : AVDISCARD_DEFAULT
        }
    }

    /// HEVC's non-reference pictures are those that no other of the same temporal layer refers to; a
    /// higher layer may (H.265, 7.4.2.2), and libavcodec leaves them out all the same. So there has to
    /// be one layer only, which the configuration record of MP4 and Matroska tells (ISO/IEC 14496-15,
    /// 8.3.3.1: numTemporalLayers, the three bits below the upper two of byte 21).
    private static func canSkipNonReferenceFrames(_ parameters: StreamParameters) -> Bool {
        let values = parameters.codec.pointer.pointee
        guard values.codec_id == AV_CODEC_ID_HEVC else { return true }
        guard let record = values.extradata, values.extradata_size > 22, record[0] == 1 else {
            return false
        }
        return record[21] >> 3 & 7 == 1
    }
}
