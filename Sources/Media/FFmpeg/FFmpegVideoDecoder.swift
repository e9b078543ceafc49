// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import PlayheadAssets
import PlayheadBuffers
import PlayheadTime
import Synchronization

/// A video decoder based on libavcodec, with a thread for each core.
///
/// A frame of a source that arrives as it is made is returned as soon as its packet is decoded.
///
/// Frames use the decoder's own memory and are not copied. With a pool, they are in the pool's
/// memory. A frame is shown at FFmpeg's `best_effort_timestamp`, which is its PTS, or its DTS if
/// the PTS in the file are invalid. `ffprobe -show_frames` prints the same times. A frame without
/// any time follows the previous frame; the first frame begins with the asset.
///
/// Hardware decodes if it was requested and is available. If it fails during decoding, the CPU
/// takes over. The CPU decodes the packets since an earlier keyframe again, so no frame is missing.
///
/// - Concurrency: one thread at a time, as `VideoDecoder` requires; decodes on FFmpeg's threads.
/// - Corresponds to: `AVCodecContext`.
final class FFmpegVideoDecoder: VideoDecoder, @unchecked Sendable {
    // Unchecked: only one thread at a time, as the protocol requires, accesses mutable state.

    private var parameters: StreamParameters
    private let options: AssetOptions
    private let limits: MediaLimits
    private var codec: CodecContext
    private let allocator: FrameAllocator?
    /// The hardware; nil once the CPU decodes.
    private var device: HardwareDevice?
    private let currentMethod: Mutex<VideoDecodingMethod>
    /// The packets that the CPU will need if hardware decoding fails.
    private var replay = ReplayPackets()
    /// The start of the last frame that was returned since the last flush, and the time up to which
    /// frames are dropped because they are decoded a second time.
    private var lastTime = MediaTime.negativeInfinity
    private var dropLimit = MediaTime.negativeInfinity
    private var streamAttachments: PixelBufferAttachments
    /// The frames that were received to make space for a packet.
    private var overflow: [FrameBox] = []
    /// The last frames of the codec that precedes the current one.
    private var finished: [VideoFrame] = []
    /// The packets since the last keyframe, and the positions that later seeks may return to.
    private var log = PacketLog()
    private var kept = KeptPositions()
    /// The time at or before which frames that the next seek does not need end; nil if decoding
    /// begins at a keyframe.
    private var resumeLimit: MediaTime?
    /// The position at which decoding continues if the packets up to there are those in its log.
    private var resuming: DecoderPosition?
    /// The packets that were not sent because `resuming` has taken them, or that wait after such
    /// packets.
    private var pending: [(packet: MediaPacket?, isSkippable: Bool)] = []
    /// The number of times that decoding continued at a position that was kept.
    private(set) var resumeCount = 0
    var skipsNonReferenceFrames = false
    /// A Boolean value that indicates whether all other frames stay complete when non-reference
    /// frames are skipped.
    private var canSkipNonReferenceFrames: Bool
    /// A Boolean value that indicates whether the newest packet is an animated WebP, which FFmpeg
    /// cannot decode.
    private var isAnimatedWebP = false
    /// A Boolean value that indicates whether the newest header is that of Dirac in fields.
    private var codesFields = false
    /// The time at which a frame without a time begins.
    private var followingTime: MediaTime

    /// The maximum number of threads. More threads have no benefit, and each adds the memory and
    /// the delay of a frame. FFmpeg's own automatic choice has the same limit.
    private static let maximumThreads: Int32 = 16

    init(
        _ parameters: StreamParameters, options: AssetOptions, pool: (any PixelBufferPool)?
    ) throws(MediaError) {
        self.parameters = parameters
        self.options = options
        limits = options.limits
        streamAttachments =
            parameters.track.formatDescription.video?.attachments ?? PixelBufferAttachments()
        followingTime = parameters.startTime
        canSkipNonReferenceFrames = Self.canSkipNonReferenceFrames(parameters)
        allocator = pool.map { FrameAllocator($0) }
        let opened = try Self.open(parameters, options, allocator)
        (codec, device) = (opened.codec, opened.device)
        currentMethod = Mutex(opened.method)
    }

    /// Opens the decoder for hardware, if it was requested and is available, or for the CPU.
    private static func open(
        _ parameters: StreamParameters, _ options: AssetOptions, _ allocator: FrameAllocator?
    ) throws(MediaError) -> (
        codec: CodecContext, device: HardwareDevice?, method: VideoDecodingMethod
    ) {
        var (device, refusal) = hardware(options.hardwareAcceleration, for: parameters)
        var opened: CodecContext?
        if let hardware = device {
            opened = try? open(parameters, options.limits, allocator, hardware)
            if opened == nil {
                refusal = "\(hardware.acceleration.displayName) does not decode it"
                device = nil
            }
        }
        let method = VideoDecodingMethod(
            acceleration: device?.acceleration ?? .none, refusal: refusal)
        if let opened { return (opened, device, method) }
        return (try open(parameters, options.limits, allocator, nil), nil, method)
    }

    /// Opens the decoder for hardware or for the CPU.
    private static func open(
        _ parameters: StreamParameters, _ limits: MediaLimits, _ allocator: FrameAllocator?,
        _ device: HardwareDevice?
    ) throws(MediaError) -> CodecContext {
        let callbacks = CodecCallbacks(allocator: allocator, device: device)
        return try CodecContext(parameters, callbacks: callbacks) { context in
            context.pointee.thread_count = threadCount(for: parameters, limits)
            context.pointee.thread_type = threadType(for: parameters)
            context.pointee.max_pixels = Int64(limits.picturePixels)
            // Cropping is exact to the pixel. Textures do not need aligned rows.
            context.pointee.flags |= AV_CODEC_FLAG_UNALIGNED
            // `nextFrame` drops the incomplete frames before a recovery point. If libavcodec drops
            // one at the end of the stream, it reports the end and keeps the frames after it.
            if parameters.codec.pointer.pointee.codec_id == AV_CODEC_ID_H264 {
                context.pointee.flags |= AV_CODEC_FLAG_OUTPUT_CORRUPT
            }
        }
    }

    /// Returns the number of threads. It is the number of cores, limited by the memory that one
    /// frame in each thread takes.
    private static func threadCount(
        for parameters: StreamParameters, _ limits: MediaLimits
    ) -> Int32 {
        let values = parameters.codec.pointer.pointee
        let bytes = av_image_get_buffer_size(
            AVPixelFormat(values.format), values.width, values.height, 1)
        let most = bytes > 0 ? max(1, limits.decodingBytes / Int(bytes)) : Int(maximumThreads)
        return min(max(1, av_cpu_count()), maximumThreads, Int32(clamping: most))
    }

    /// The largest frame of an arriving source, in pixels, that one core decodes in time: 1920 by
    /// 1200.
    private static let promptPixels = 1920 * 1200

    /// Returns the kind of threads. Threads that decode a frame each hold back as many frames as
    /// there are threads, but one. On many cores, that is half a second.
    private static func threadType(for parameters: StreamParameters) -> Int32 {
        let values = parameters.codec.pointer.pointee
        let pixels = Int(values.width) * Int(values.height)
        let isPrompt = parameters.arrives && pixels <= promptPixels
        return isPrompt ? FF_THREAD_SLICE : FF_THREAD_FRAME | FF_THREAD_SLICE
    }

    var method: VideoDecodingMethod { currentMethod.withLock { $0 } }

    func send(_ packet: MediaPacket?) throws(MediaError) {
        if resumes(with: packet) { return }
        guard pending.isEmpty else {
            pending.append((packet, skipsNonReferenceFrames))
            return
        }
        try send(packet, isSkippable: skipsNonReferenceFrames)
    }

    private func send(_ packet: MediaPacket?, isSkippable: Bool) throws(MediaError) {
        if let next = parameters.replacement(in: packet) { try replaceCodec(by: next) }
        if let packet { noteTimes(of: packet) }
        codec.pointer.pointee.skip_frame =
            isSkippable && canSkipNonReferenceFrames ? AVDISCARD_NONREF : AVDISCARD_DEFAULT
        if device == nil { note(packet, isSkippable: isSkippable) }
        if device != nil, let packet { replay.append(packet) }
        noteAnimation(of: packet)
        noteFields(of: packet)
        do throws(FFmpegError) {
            try feed(packet)
        } catch {
            log.breakOff()
            guard try leaveHardware(after: error) else { throw failure(error) }
            // The packet was sent again with all others since the keyframe, but the end of the
            // stream was not.
            if packet == nil { try send(nil, isSkippable: isSkippable) }
        }
    }

    /// Continues with another codec, after all frames of the current one.
    private func replaceCodec(by next: StreamParameters) throws(MediaError) {
        _ = codec.send(nil)
        // Damaged data at the end of the stream does not concern the next one.
        while let frame = try? receiveDecoded() { finished.append(frame) }
        log.breakOff()
        kept.removeAll()
        replay.removeAll()
        overflow.removeAll()
        dropLimit = .negativeInfinity
        let opened = try Self.open(next, options, allocator)
        (codec, device) = (opened.codec, opened.device)
        currentMethod.withLock { $0 = opened.method }
        parameters = next
        streamAttachments =
            next.track.formatDescription.video?.attachments ?? PixelBufferAttachments()
        canSkipNonReferenceFrames = Self.canSkipNonReferenceFrames(next)
    }

    /// Stops skipping frames if a packet has no PTS and its frame may be reordered, because the
    /// time of the frame then follows from the previous frame.
    private func noteTimes(of packet: MediaPacket) {
        guard canSkipNonReferenceFrames, !packet.presentationTime.isNumeric,
            parameters.codec.pointer.pointee.video_delay > 0
        else { return }
        canSkipNonReferenceFrames = false
    }

    /// Sends a packet to the decoder, and receives frames to make space if necessary.
    private func feed(_ packet: MediaPacket?) throws(FFmpegError) {
        var result = codec.send(packet)
        while result == .again {
            // Without a frame, the decoder has at least taken the previous packet.
            let frame = try nextFrame()
            if let frame { overflow.append(frame) }
            result = codec.send(packet)
            if frame == nil { break }
        }
        guard result.rawValue >= 0 || result == .endOfFile else { throw result }
    }

    /// Continues on the CPU if the hardware has failed. Damaged data does not count as a failure of
    /// the hardware, because the CPU could not decode it either.
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
            // Damaged data has already been reported.
            do throws(FFmpegError) { try feed(packet) } catch { continue }
        }
        replay.removeAll()
        return true
    }

    /// Returns the error of a frame. If a format stores the size in each frame, the size was not
    /// checked before decoding, and libavcodec reports a size beyond the limit as damaged data.
    private func failure(_ error: FFmpegError) -> MediaError {
        if isAnimatedWebP, error == .invalidData {
            return MediaError(
                .unsupportedCodec, subject: parameters.subject,
                cause: "it is an animated WebP, which FFmpeg does not decode",
                remedy: "convert it to APNG, GIF or a video")
        }
        if codesFields, error == .invalidData {
            return MediaError(
                .unsupportedCodec, subject: parameters.subject,
                cause: "its Dirac video is interlaced and consists of fields, which FFmpeg does "
                    + "not decode",
                remedy: "use the original, or a copy of whole frames that was made from it")
        }
        var failure = codec.failure(error)
        if parameters.track.formatDescription.video?.width == 0, failure.code == .decodingFailed {
            failure.cause += ", or more than \(limits.picturePixels) pixels"
        }
        return failure
    }

    /// Detects an animated WebP by a flag in its extended header. The flag is the second bit of the
    /// byte after the signatures and the size of the chunk (RFC 9649, 2.7).
    private func noteAnimation(of packet: MediaPacket?) {
        guard parameters.codec.pointer.pointee.codec_id == AV_CODEC_ID_WEBP,
            let values = (packet?.payload as? PacketBox)?.pointer.pointee, let data = values.data,
            values.size > 20
        else { return }
        let head = UnsafeBufferPointer(start: data, count: 21)
        isAnimatedWebP = head[12..<16].elementsEqual("VP8X".utf8) && head[20] & 2 != 0
    }

    private func noteFields(of packet: MediaPacket?) {
        guard parameters.codec.pointer.pointee.codec_id == AV_CODEC_ID_DIRAC,
            let values = (packet?.payload as? PacketBox)?.pointer.pointee,
            let header = DiracHeader(values)
        else { return }
        codesFields = header.codesFields
    }

    func receive() throws(MediaError) -> VideoFrame? {
        while true {
            if !finished.isEmpty { return finished.removeFirst() }
            if let frame = try receiveDecoded() { return frame }
            guard let (packet, isSkippable) = nextPending() else { return nil }
            try send(packet, isSkippable: isSkippable)
        }
    }

    /// Returns the next frame of the packets that were sent; nil if more packets are needed.
    private func receiveDecoded() throws(MediaError) -> VideoFrame? {
        while true {
            var next: FrameBox?
            do throws(FFmpegError) {
                next = overflow.isEmpty ? try nextFrame() : overflow.removeFirst()
            } catch {
                log.breakOff()
                guard try leaveHardware(after: error) else { throw failure(error) }
                continue
            }
            guard let box = next else { return nil }
            let (time, duration) = nextTime(of: box)
            guard time > dropLimit else { continue }
            lastTime = time
            return try videoFrame(from: box, time: time, duration: duration)
        }
    }

    /// Returns the next complete frame in main memory.
    private func nextFrame() throws(FFmpegError) -> FrameBox? {
        while true {
            guard let box = FrameBox() else { throw .outOfMemory }
            let result = codec.receive(into: box)
            if result == .again || result == .endOfFile { return nil }
            guard result.rawValue >= 0 else { throw result }
            let dropsIncomplete = codec.pointer.pointee.flags & AV_CODEC_FLAG_OUTPUT_CORRUPT != 0
            if dropsIncomplete, box.pointer.pointee.flags & AV_FRAME_FLAG_CORRUPT != 0 { continue }
            if let device { note(box, from: device) }
            return try Self.download(box, allocator: allocator)
        }
    }

    /// Records whether hardware has decoded a frame. If it does not support the stream, FFmpeg
    /// decodes on the CPU.
    private func note(_ box: FrameBox, from device: HardwareDevice) {
        let isAccelerated = box.pointer.pointee.hw_frames_ctx != nil
        currentMethod.withLock {
            $0.acceleration = isAccelerated ? device.acceleration : .none
            $0.refusal =
                isAccelerated
                ? nil
                : "\(device.acceleration.displayName) does not support the video's profile"
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
        crop(box.pointer)
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

    /// Removes the pixels around the container's clean aperture, if the frame has the size that the
    /// container states.
    private func crop(_ frame: UnsafeMutablePointer<AVFrame>) {
        guard let video = parameters.track.formatDescription.video, let part = video.cleanAperture,
            frame.pointee.width == video.width, frame.pointee.height == video.height,
            frame.pointee.hw_frames_ctx == nil
        else { return }
        frame.pointee.crop_left = part.x
        frame.pointee.crop_top = part.y
        frame.pointee.crop_right = video.width - part.x - part.width
        frame.pointee.crop_bottom = video.height - part.y - part.height
        // The call fails only for formats with several pixels in a byte. Such frames stay whole.
        av_frame_apply_cropping(frame, Int32(AV_FRAME_CROP_UNALIGNED))
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
        reset()
    }

    /// Forgets the packets and the frames before a seek.
    private func reset() {
        if let resuming { kept.giveBack(resuming) }
        resuming = nil
        log = PacketLog()
        pending.removeAll()
        overflow.removeAll()
        finished.removeAll()
        replay.removeAll()
        (lastTime, dropLimit) = (.negativeInfinity, .negativeInfinity)
        // If frames have no times, every seek leads to the first frame.
        followingTime = parameters.startTime
    }

    // MARK: - Positions

    func flush(resumingBefore limit: MediaTime?, byteLimit: Int) {
        defer { resumeLimit = limit }
        let position = DecoderPosition(
            codec: codec, log: log, overflow: overflow, lastTime: lastTime,
            followingTime: followingTime)
        guard device == nil, finished.isEmpty, !keepsStateOnFlush, resuming == nil, pending.isEmpty,
            dropLimit == .negativeInfinity, position.isWorthKeeping
        else { return flush() }
        if let discarded = kept.keep(position, byteLimit: byteLimit) {
            codec = discarded
            codec.flush()
        } else if let fresh = try? Self.open(parameters, limits, allocator, nil) {
            codec = fresh
        } else {
            kept.removeAll()
            codec.flush()
        }
        reset()
    }

    /// Records a packet in the log.
    private func note(_ packet: MediaPacket?, isSkippable: Bool) {
        guard let packet else { return log.breakOff() }
        log.append(packet, isSkipped: isSkippable && canSkipNonReferenceFrames)
        // After so many frames, the user watches, and is unlikely to go back soon.
        if log.neededCount == Self.longestKeeping { kept.removeAll() }
    }

    /// The number of frames in a row after which the positions of earlier seeks are discarded. It
    /// is more than those before the target that are decoded while scrubbing.
    private static let longestKeeping = 180

    /// Takes a packet that need not be decoded, because decoding continues at a position that was
    /// kept. Returns false if the packet has to be decoded.
    private func resumes(with packet: MediaPacket?) -> Bool {
        if resuming == nil {
            guard let packet, parameters.replacement(in: packet) == nil,
                let limit = resumeLimit, skipsNonReferenceFrames,
                log.packetCount == 0, pending.isEmpty, !kept.isEmpty
            else { return false }
            resumeLimit = nil
            resuming = kept.take(beginningWith: packet, before: limit)
        }
        guard let position = resuming else { return false }
        let index = pending.count
        guard let packet, position.log.matches(packet, at: index),
            skipsNonReferenceFrames || !position.log.isPast(index, position.lastTime)
        else {
            // Another packet than expected: all are decoded from the keyframe on.
            kept.giveBack(position)
            resuming = nil
            return false
        }
        pending.append((packet, skipsNonReferenceFrames))
        if pending.count == position.log.count { take(up: position) }
        return true
    }

    private func take(up position: DecoderPosition) {
        (codec, log, overflow) = (position.codec, position.log, position.overflow)
        (lastTime, followingTime) = (position.lastTime, position.followingTime)
        resuming = nil
        pending.removeAll()
        resumeCount += 1
    }

    /// Takes the first packet that waits, unless decoding may continue at a kept position.
    private func nextPending() -> (packet: MediaPacket?, isSkippable: Bool)? {
        resuming == nil && !pending.isEmpty ? pending.removeFirst() : nil
    }

    /// A Boolean value that indicates whether the decoder may keep the last frame during a flush
    /// and show parts of it when a packet refers to a missing frame. Some old codecs do this; they
    /// are cheap to open again.
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

    /// Returns whether non-reference frames can be skipped. In HEVC, frames of the same temporal
    /// layer never refer to a non-reference frame, but frames of a higher layer may (H.265,
    /// 7.4.2.2). libavcodec skips a non-reference frame in both cases. Therefore frames can be
    /// skipped only if there is one layer. The configuration record of MP4 and Matroska contains
    /// the number of layers (ISO/IEC 14496-15, 8.3.3.1: numTemporalLayers, the three bits below the
    /// upper two of byte 21).
    private static func canSkipNonReferenceFrames(_ parameters: StreamParameters) -> Bool {
        let values = parameters.codec.pointer.pointee
        guard values.codec_id == AV_CODEC_ID_HEVC else { return true }
        guard let record = values.extradata, values.extradata_size > 22, record[0] == 1 else {
            return false
        }
        return record[21] >> 3 & 7 == 1
    }
}
