// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import PlayheadAssets
import PlayheadBuffers
import PlayheadTime
import Synchronization

/// A video decoder over libavcodec, with threads for all cores.
///
/// Pictures are the decoder's own frames, not copies; with a pool, in its memory. A picture is
/// shown at the time that FFmpeg thinks best (`best_effort_timestamp`: its PTS, or its DTS where
/// the file's PTS are nonsense), which is what `ffprobe -show_frames` prints. A picture without any
/// time follows on the one before it; the first begins with the asset.
///
/// Hardware decodes where that was asked for and can be had. Where it fails on the way, the
/// processor takes over: it decodes what has come since a keyframe before anew, and no picture is
/// missed.
///
/// - Concurrency: one thread at a time, as `VideoDecoder` says; decodes on threads of FFmpeg's.
/// - Corresponds to: `AVCodecContext`.
final class FFmpegVideoDecoder: VideoDecoder, @unchecked Sendable {
    // Unchecked: mutable state is touched by the one thread that the protocol allows at a time.

    private let parameters: StreamParameters
    private let limits: MediaLimits
    private var codec: CodecContext
    private let allocator: FrameAllocator?
    /// Nil once the processor decodes.
    private var device: HardwareDevice?
    private let currentMethod: Mutex<VideoDecodingMethod>
    /// While hardware decodes.
    private var replay = ReplayPackets()
    /// When the newest picture begins that was given out since the last flush, and up to where
    /// those are dropped that are decoded a second time.
    private var lastTime = MediaTime.negativeInfinity
    private var dropLimit = MediaTime.negativeInfinity
    private let streamAttachments: PixelBufferAttachments
    /// Frames that had to be taken out to make room for a packet.
    private var overflow: [FrameBox] = []
    /// Whether leaving out pictures that no other refers to leaves all others whole.
    private var canSkipNonReferenceFrames: Bool
    /// Whether the newest packet is an animated WebP, of which FFmpeg decodes no picture.
    private var isAnimatedWebP = false
    /// Where a frame without a time begins.
    private var followingTime: MediaTime

    /// More threads gain nothing and cost a frame of memory and of delay each; FFmpeg's own
    /// automatic choice has the same limit.
    private static let maximumThreads: Int32 = 16

    init(
        _ parameters: StreamParameters, options: AssetOptions, pool: (any PixelBufferPool)?
    ) throws(MediaError) {
        self.parameters = parameters
        limits = options.limits
        streamAttachments =
            parameters.track.formatDescription.video?.attachments ?? PixelBufferAttachments()
        followingTime = parameters.startTime
        canSkipNonReferenceFrames = Self.canSkipNonReferenceFrames(parameters)
        allocator = pool.map { FrameAllocator($0) }
        var (device, refusal) = Self.hardware(options.hardwareAcceleration, for: parameters)
        var opened: CodecContext?
        if let hardware = device {
            opened = try? Self.open(parameters, options.limits, allocator, hardware)
            if opened == nil {
                refusal = "\(hardware.acceleration.displayName) does not decode it"
                device = nil
            }
        }
        if let opened {
            codec = opened
        } else {
            codec = try Self.open(parameters, options.limits, allocator, nil)
        }
        self.device = device
        currentMethod = Mutex(
            VideoDecodingMethod(acceleration: device?.acceleration ?? .none, refusal: refusal))
    }

    /// Opens the decoder for hardware, or for the processor.
    private static func open(
        _ parameters: StreamParameters, _ limits: MediaLimits, _ allocator: FrameAllocator?,
        _ device: HardwareDevice?
    ) throws(MediaError) -> CodecContext {
        let callbacks = CodecCallbacks(allocator: allocator, device: device)
        return try CodecContext(parameters, callbacks: callbacks) { context in
            context.pointee.thread_count = threadCount(for: parameters, limits)
            context.pointee.thread_type = FF_THREAD_FRAME | FF_THREAD_SLICE
            context.pointee.max_pixels = Int64(limits.picturePixels)
            // Crop to the pixel: textures do not mind where in memory a row begins.
            context.pointee.flags |= AV_CODEC_FLAG_UNALIGNED
        }
    }

    /// As many as there are cores, but no more than may have a picture each under way.
    private static func threadCount(
        for parameters: StreamParameters, _ limits: MediaLimits
    ) -> Int32 {
        let values = parameters.codec.pointer.pointee
        let bytes = av_image_get_buffer_size(
            AVPixelFormat(values.format), values.width, values.height, 1)
        let most = bytes > 0 ? max(1, limits.decodingBytes / Int(bytes)) : Int(maximumThreads)
        return min(max(1, av_cpu_count()), maximumThreads, Int32(clamping: most))
    }

    var method: VideoDecodingMethod { currentMethod.withLock { $0 } }

    func send(_ packet: MediaPacket?) throws(MediaError) {
        if let packet { noteTimes(of: packet) }
        if device != nil, let packet { replay.append(packet) }
        noteAnimation(of: packet)
        do throws(FFmpegError) {
            try feed(packet)
        } catch {
            guard try leaveHardware(after: error) else { throw failure(error) }
            // A packet has been sent again with all others since the keyframe; the end has not.
            if packet == nil { try send(nil) }
        }
    }

    /// Stops skipping frames if a packet has no PTS and its frame may be reordered: the time of such
    /// a frame follows from its predecessor.
    private func noteTimes(of packet: MediaPacket) {
        guard canSkipNonReferenceFrames, !packet.presentationTime.isNumeric,
            parameters.codec.pointer.pointee.video_delay > 0
        else { return }
        canSkipNonReferenceFrames = false
        skipsNonReferenceFrames = false
    }

    /// Gives the decoder a packet, taking frames out to make room where it has none.
    private func feed(_ packet: MediaPacket?) throws(FFmpegError) {
        var result = codec.send(packet)
        while result == .again {
            guard let frame = try nextFrame() else { break }
            overflow.append(frame)
            result = codec.send(packet)
        }
        guard result.rawValue >= 0 || result == .endOfFile else { throw result }
    }

    /// Goes on by the processor, if it is the hardware that has failed: of damaged data the
    /// processor could not make more.
    private func leaveHardware(after error: FFmpegError) throws(MediaError) -> Bool {
        guard let device, error != .invalidData else { return false }
        let skipping = codec.pointer.pointee.skip_frame
        codec = try Self.open(parameters, limits, allocator, nil)
        codec.pointer.pointee.skip_frame = skipping
        self.device = nil
        currentMethod.withLock {
            $0.acceleration = .none
            $0.refusal = "\(device.acceleration.displayName) failed (\(error.text))"
        }
        overflow.removeAll()
        dropLimit = lastTime
        for packet in replay.packets {
            // Damage has been told of.
            do throws(FFmpegError) { try feed(packet) } catch { continue }
        }
        replay.removeAll()
        return true
    }

    /// Formats that say their size only in the pictures themselves have passed no check of it when
    /// those are decoded; libavcodec refuses what passes the limit as it does damaged data.
    private func failure(_ error: FFmpegError) -> MediaError {
        if isAnimatedWebP, error == .invalidData {
            return MediaError(
                .unsupportedCodec, subject: parameters.subject,
                cause: "it is an animated WebP, which FFmpeg does not decode",
                remedy: "convert it to APNG, GIF or a video")
        }
        var failure = codec.failure(error)
        if parameters.track.formatDescription.video?.width == 0, failure.code == .decodingFailed {
            failure.cause += ", or more than \(limits.picturePixels) pixels"
        }
        return failure
    }

    /// The extended header of a WebP has a flag for it: the second bit of the byte that follows the
    /// signatures and the chunk's size (RFC 9649, 2.7).
    private func noteAnimation(of packet: MediaPacket?) {
        guard parameters.codec.pointer.pointee.codec_id == AV_CODEC_ID_WEBP,
            let values = (packet?.payload as? PacketBox)?.pointer.pointee, let data = values.data,
            values.size > 20
        else { return }
        let head = UnsafeBufferPointer(start: data, count: 21)
        isAnimatedWebP = head[12..<16].elementsEqual("VP8X".utf8) && head[20] & 2 != 0
    }

    func receive() throws(MediaError) -> VideoFrame? {
        while true {
            let box: FrameBox
            do throws(FFmpegError) {
                guard let next = overflow.isEmpty ? try nextFrame() : overflow.removeFirst() else {
                    return nil
                }
                box = next
            } catch {
                guard try leaveHardware(after: error) else { throw failure(error) }
                continue
            }
            let (time, duration) = nextTime(of: box)
            guard time > dropLimit else { continue }
            lastTime = time
            return try videoFrame(from: box, time: time, duration: duration)
        }
    }

    /// The next frame, in plain memory.
    private func nextFrame() throws(FFmpegError) -> FrameBox? {
        guard let box = FrameBox() else { throw .outOfMemory }
        let result = codec.receive(into: box)
        if result == .again || result == .endOfFile { return nil }
        guard result.rawValue >= 0 else { throw result }
        if let device { note(box, from: device) }
        return try Self.download(box, allocator: allocator)
    }

    /// Hardware may turn out not to do what a stream needs: FFmpeg then takes the processor.
    private func note(_ box: FrameBox, from device: HardwareDevice) {
        let isAccelerated = box.pointer.pointee.hw_frames_ctx != nil
        currentMethod.withLock {
            $0.acceleration = isAccelerated ? device.acceleration : .none
            $0.refusal =
                isAccelerated
                ? nil : "\(device.acceleration.displayName) does not decode this kind of it"
        }
    }

    private func videoFrame(
        from box: FrameBox, time: MediaTime, duration: MediaTime
    ) throws(MediaError) -> VideoFrame {
        let values = box.pointer.pointee
        if let cause = limits.refusal(
            ofPictureWidth: Int(values.width), height: Int(values.height))
        {
            throw MediaError(
                .limitExceeded, subject: parameters.subject, cause: cause,
                remedy: "raise the limit if you trust the file")
        }
        let attachments = PixelBufferAttachments(
            box.pointer, stream: streamAttachments, containerRatio: parameters.pixelAspectRatio)
        guard let buffer = PixelBuffer.wrapping(box, attachments: attachments) else {
            let name = PixelFormatTable.name(AVPixelFormat(values.format))
            throw MediaError(
                .unsupportedCodec, subject: parameters.subject,
                cause: "its pixel format \(name) cannot be shown",
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
        if keepsStateOnFlush, let fresh = try? Self.open(parameters, limits, allocator, nil) {
            fresh.pointer.pointee.skip_frame = codec.pointer.pointee.skip_frame
            codec = fresh
        } else {
            codec.flush()
        }
        overflow.removeAll()
        replay.removeAll()
        (lastTime, dropLimit) = (.negativeInfinity, .negativeInfinity)
        // Where no picture has a time, seeks lead to the first.
        followingTime = parameters.startTime
    }

    /// A Boolean value that indicates whether the decoder may keep the last frame on a flush, and
    /// show parts of it where a packet refers to a missing one: old codecs, which cost little to
    /// open.
    private var keepsStateOnFlush: Bool {
        let identifier = parameters.codec.pointer.pointee.codec_id
        let properties = avcodec_descriptor_get(identifier)?.pointee.props ?? 0
        guard device == nil, properties & AV_CODEC_PROP_INTRA_ONLY == 0 else { return false }
        switch identifier {
        case AV_CODEC_ID_H264, AV_CODEC_ID_HEVC, AV_CODEC_ID_VP8, AV_CODEC_ID_VP9,
            AV_CODEC_ID_AV1, AV_CODEC_ID_MPEG1VIDEO, AV_CODEC_ID_MPEG2VIDEO, AV_CODEC_ID_MPEG4:
            return false
        default: return true
        }
    }

    var skipsNonReferenceFrames: Bool {
        get { codec.pointer.pointee.skip_frame == AVDISCARD_NONREF }
        set {
            codec.pointer.pointee.skip_frame =
                newValue && canSkipNonReferenceFrames ? AVDISCARD_NONREF : AVDISCARD_DEFAULT
        }
    }

    /// HEVC's non-reference pictures are those that no other of the same temporal layer refers to;
    /// a higher layer may (H.265, 7.4.2.2), and libavcodec leaves them out all the same. So there
    /// has to be one layer only, which the configuration record of MP4 and Matroska tells (ISO/IEC
    /// 14496-15, 8.3.3.1: numTemporalLayers, the three bits below the upper two of byte 21).
    private static func canSkipNonReferenceFrames(_ parameters: StreamParameters) -> Bool {
        let values = parameters.codec.pointer.pointee
        guard values.codec_id == AV_CODEC_ID_HEVC else { return true }
        guard let record = values.extradata, values.extradata_size > 22, record[0] == 1 else {
            return false
        }
        return record[21] >> 3 & 7 == 1
    }
}
