// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import PlayheadAssets
import PlayheadBuffers
import PlayheadTime
import PlayheadWriting

/// A video encoder based on libavcodec.
///
/// Frames are encoded directly from the memory of their pixel buffers, without a copy, if their
/// rows are aligned.
///
/// - Concurrency: one thread at a time, as `VideoSampleEncoder` requires.
/// - Corresponds to: `AVCodecContext`.
final class FFmpegVideoEncoder: VideoSampleEncoder, @unchecked Sendable {
    // Unchecked: only one thread at a time, as the protocol requires, accesses mutable state.

    let format: EncodedTrackFormat
    let remark: String?
    private let codec: UnsafeMutablePointer<AVCodecContext>
    private let output: EncoderOutput
    private let settings: VideoOutputSettings
    private let subject: String
    private var isClosed = false
    /// The pixel format of the frames in main memory.
    private let frameFormat: AVPixelFormat
    /// The frames of a hardware encoder; nil for encoders that accept frames in main memory.
    private let surfaces: HardwareSurfaces?
    /// The durations of frames that are not encoded yet, by presentation time. They are stored
    /// here, because encoders do not pass durations on.
    private var durations: [Int64: Int64] = [:]

    /// The alignment of rows that FFmpeg's own encoders rely on, in bytes.
    private static let rowAlignment = 32

    init(
        _ settings: VideoOutputSettings, for type: MediaFileType, subject: String
    ) throws(MediaWritingError) {
        FFmpegLog.silence()
        let (choice, opened, remark) = try Self.openFirst(settings, type, subject)
        (codec, surfaces) = opened
        frameFormat = choice.pixelFormat(settings)
        self.remark = remark
        self.settings = settings
        self.subject = subject
        output = EncoderOutput(codec: codec, samples: "a frame", subject: subject)
        do throws(MediaWritingError) {
            format = try Self.format(codec, settings, subject)
        } catch {
            // An incomplete object is not deinitialised.
            Self.free(codec)
            throw error
        }
    }

    /// Opens the first encoder that can be opened. Returns it with a remark on the hardware
    /// encoders that failed.
    private static func openFirst(
        _ settings: VideoOutputSettings, _ type: MediaFileType, _ subject: String
    ) throws(MediaWritingError) -> (
        EncoderChoice, (UnsafeMutablePointer<AVCodecContext>, HardwareSurfaces?), String?
    ) {
        var failure: MediaWritingError?
        var causes: [String] = []
        for choice in EncoderChoice.candidates(for: settings) {
            do throws(MediaWritingError) {
                let opened = try open(choice, settings, type, subject)
                guard !choice.isHardware, settings.prefersHardware else {
                    return (choice, opened, nil)
                }
                if causes.isEmpty {
                    causes.append(
                        settings.pass == nil
                            ? "no hardware encodes \(settings.codec.rawValue)"
                            : "hardware encodes in one pass")
                }
                return (
                    choice, opened,
                    "encoding with \(choice.name): \(causes.joined(separator: ", and "))"
                )
            } catch {
                if choice.isHardware {
                    causes.append(error.cause)
                } else {
                    failure = failure ?? error
                }
            }
        }
        throw failure ?? MediaWritingError.outOfMemory(subject)
    }

    deinit { close() }

    func close() {
        guard !isClosed else { return }
        isClosed = true
        Self.free(codec)
    }

    private static func open(
        _ choice: EncoderChoice, _ settings: VideoOutputSettings, _ type: MediaFileType,
        _ subject: String
    ) throws(MediaWritingError) -> (UnsafeMutablePointer<AVCodecContext>, HardwareSurfaces?) {
        guard let encoder = avcodec_find_encoder_by_name(choice.name) else {
            throw MediaWritingError(
                .encoderMissing, subject: subject, cause: "FFmpeg was built without \(choice.name)",
                remedy: "use another codec, or install an FFmpeg that has it")
        }
        if let preset = settings.preset, !choice.presets.isEmpty,
            !choice.presets.contains(preset)
        {
            throw MediaWritingError(
                .unsupportedFormat, subject: subject,
                cause: "\(choice.name) has no preset '\(preset)'",
                remedy: "use one of \(choice.presets.joined(separator: ", "))")
        }
        guard let context = avcodec_alloc_context3(encoder) else {
            throw MediaWritingError.outOfMemory(subject)
        }
        let color = settings.declaredColor
        context.pointee.width = Int32(clamping: settings.width)
        context.pointee.height = Int32(clamping: settings.height)
        context.pointee.pix_fmt = choice.pixelFormat(settings)
        context.pointee.time_base = AVRational(num: 1, den: settings.timescale)
        if settings.frameDuration.isNumeric, settings.frameDuration.value > 0 {
            context.pointee.framerate = AVRational(
                num: settings.frameDuration.timescale,
                den: Int32(clamping: settings.frameDuration.value))
        }
        context.pointee.color_primaries = AVColorPrimaries(UInt32(color.primaries.rawValue))
        context.pointee.color_trc = AVColorTransferCharacteristic(UInt32(color.transfer.rawValue))
        context.pointee.colorspace = AVColorSpace(UInt32(color.matrix.rawValue))
        context.pointee.color_range = color.range == .full ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG
        if settings.sampleFormat.model == .yuv420 {
            context.pointee.chroma_sample_location = AVChromaLocation(
                UInt32(color.chromaLocation == .unspecified ? 1 : color.chromaLocation.rawValue))
        }
        context.pointee.thread_count = 0
        if let rate = settings.bitRate { context.pointee.bit_rate = Int64(rate) }
        if let rate = settings.maximumBitRate {
            context.pointee.rc_max_rate = Int64(rate)
            context.pointee.rc_buffer_size = Int32(clamping: 2 * min(rate, Int(Int32.max)))
        }
        if let interval = settings.maximumKeyframeInterval {
            context.pointee.gop_size = Int32(clamping: interval)
        }
        if settings.codec == .motionJPEG {
            context.pointee.flags |= AV_CODEC_FLAG_QSCALE
            // JPEG has 31 steps of quality.
            context.pointee.global_quality =
                Int32(min(max(settings.rateFactor ?? 3, 0), 1000)) * Int32(FF_QP2LAMBDA)
        }
        if let pass = settings.pass {
            context.pointee.flags |= pass.isFirst ? AV_CODEC_FLAG_PASS1 : AV_CODEC_FLAG_PASS2
        }
        if FFmpegMuxer.needsGlobalHeader(type) {
            context.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER
        }
        for (name, value) in choice.options(for: settings) {
            guard av_opt_set(context, name, value, AV_OPT_SEARCH_CHILDREN) < 0,
                name == "preset" || settings.encoderOptions[name] != nil
            else { continue }
            free(context)
            throw MediaWritingError(
                .unsupportedFormat, subject: subject,
                cause: "\(choice.name) has no \(name) '\(value)'",
                remedy: "use a value that it supports, such as medium for libx264")
        }
        var surfaces: HardwareSurfaces?
        if choice.usesSurfaces {
            do throws(HardwareSurfaces.Refusal) {
                surfaces = try HardwareSurfaces(
                    width: context.pointee.width, height: context.pointee.height,
                    format: context.pointee.pix_fmt)
            } catch {
                free(context)
                throw MediaWritingError(
                    .encoderMissing, subject: subject, cause: "\(choice.name): \(error.cause)",
                    remedy: "encode in software")
            }
            context.pointee.pix_fmt = AV_PIX_FMT_VAAPI
            context.pointee.hw_frames_ctx = surfaces?.newReference()
        }
        let result = avcodec_open2(context, encoder, nil)
        guard result >= 0 else {
            free(context)
            guard !choice.isHardware else {
                throw MediaWritingError(
                    .encoderMissing, subject: subject,
                    cause: "\(choice.name) cannot be opened (\(FFmpegError(result).text))",
                    remedy: "encode in software")
            }
            throw MediaWritingError(
                .unsupportedFormat, subject: subject,
                cause: "\(choice.name) refuses \(settings.width) x \(settings.height) pixels of "
                    + "\(settings.sampleFormat) (\(FFmpegError(result).text))",
                remedy: (settings.preset.map { "check the preset '\($0)', or use " } ?? "use ")
                    + "even sizes, another sample format or another codec")
        }
        return (context, surfaces)
    }

    private static func free(_ context: UnsafeMutablePointer<AVCodecContext>) {
        var context: UnsafeMutablePointer<AVCodecContext>? = context
        avcodec_free_context(&context)
    }

    private static func format(
        _ codec: UnsafeMutablePointer<AVCodecContext>, _ settings: VideoOutputSettings,
        _ subject: String
    ) throws(MediaWritingError) -> EncodedTrackFormat {
        guard let parameters = CodecParameters(of: codec) else {
            throw MediaWritingError.outOfMemory(subject)
        }
        var format = EncodedTrackFormat(
            mediaType: .video, parameters: parameters, timescale: settings.timescale)
        format.frameDuration = settings.frameDuration
        format.attachments.color = settings.declaredColor
        format.attachments.masteringDisplayColorVolume = settings.masteringDisplayColorVolume
        format.attachments.contentLightLevel = settings.contentLightLevel
        return format
    }

    // MARK: - Encoding

    func encode(
        _ frame: PixelBuffer?, at time: Int64, duration: Int64, isKeyframe: Bool
    ) throws(MediaWritingError) -> [MediaPacket] {
        var box: FrameBox?
        if let frame {
            guard let inMemory = makeFrame(frame) else {
                throw MediaWritingError.outOfMemory(subject)
            }
            guard let made = surfaces.map({ $0.copy(inMemory) }) ?? inMemory else {
                throw MediaWritingError(
                    .encodingFailed, subject: subject,
                    cause: "a frame cannot be copied to the hardware encoder",
                    remedy: "encode in software")
            }
            made.pointer.pointee.pts = time
            made.pointer.pointee.pict_type = isKeyframe ? AV_PICTURE_TYPE_I : AV_PICTURE_TYPE_NONE
            ph_frame_set_duration(made.pointer, duration)
            durations[time] = duration
            box = made
        }
        return try output.send(box?.pointer, takesOne: frame == nil) { packet in
            guard let duration = durations.removeValue(forKey: packet.pointee.pts) else { return }
            packet.pointee.duration = duration
        }
    }

    /// Returns a frame for the encoder that refers to the planes of a pixel buffer, or contains a
    /// copy.
    private func makeFrame(_ buffer: PixelBuffer) -> FrameBox? {
        guard let box = FrameBox() else { return nil }
        let frame = box.pointer
        frame.pointee.width = codec.pointee.width
        frame.pointee.height = codec.pointee.height
        frame.pointee.format = frameFormat.rawValue
        frame.pointee.color_primaries = codec.pointee.color_primaries
        frame.pointee.color_trc = codec.pointee.color_trc
        frame.pointee.colorspace = codec.pointee.colorspace
        frame.pointee.color_range = codec.pointee.color_range
        frame.pointee.chroma_location = codec.pointee.chroma_sample_location
        if settings.codec == .gif {
            guard av_frame_get_buffer(frame, 0) >= 0 else { return nil }
            GIFColors.fill(frame, with: buffer)
            return box
        }
        if frameFormat == AV_PIX_FMT_NV12 || frameFormat == AV_PIX_FMT_P010LE {
            guard av_frame_get_buffer(frame, 0) >= 0, FramePlanes.interleave(buffer, into: frame)
            else { return nil }
            return box
        }
        if refer(frame, to: buffer) { return box }
        guard av_frame_get_buffer(frame, 0) >= 0 else { return nil }
        for (index, plane) in buffer.planes.enumerated() {
            guard let target = FramePlanes.address(frame, index) else { return nil }
            let step = buffer.format.components.filter { $0.plane == index }.map(\.step).max() ?? 1
            for y in 0..<plane.height {
                UnsafeMutableRawPointer(target.start + y * target.bytesPerRow).copyMemory(
                    from: plane.baseAddress + y * plane.bytesPerRow, byteCount: plane.width * step)
            }
        }
        return box
    }

    /// Makes a frame refer to the memory of a pixel buffer, which the frame then retains. Returns
    /// false if the rows are not aligned.
    private func refer(_ frame: UnsafeMutablePointer<AVFrame>, to buffer: PixelBuffer) -> Bool {
        let isAligned = buffer.planes.allSatisfy {
            $0.bytesPerRow > 0 && $0.bytesPerRow % Self.rowAlignment == 0
                && Int(bitPattern: $0.baseAddress) % Self.rowAlignment == 0
        }
        guard isAligned, let first = buffer.planes.first else { return false }
        let owner = Unmanaged.passRetained(buffer)
        let bytes = UnsafeMutablePointer(
            mutating: first.baseAddress.assumingMemoryBound(to: UInt8.self))
        guard
            let reference = av_buffer_create(
                bytes, first.bytesPerRow * first.height,
                { owner, _ in
                    guard let owner else { return }
                    Unmanaged<PixelBuffer>.fromOpaque(owner).release()
                }, owner.toOpaque(), AV_BUFFER_FLAG_READONLY)
        else {
            owner.release()
            return false
        }
        frame.pointee.buf.0 = reference
        for (index, plane) in buffer.planes.enumerated() {
            FramePlanes.set(
                frame, index,
                UnsafeMutablePointer(
                    mutating: plane.baseAddress.assumingMemoryBound(to: UInt8.self)),
                Int32(clamping: plane.bytesPerRow))
        }
        ph_frame_use_own_pointers(frame)
        return true
    }
}
