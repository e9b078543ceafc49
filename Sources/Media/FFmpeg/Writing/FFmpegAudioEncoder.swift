// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import PlayheadAssets
import PlayheadBuffers
import PlayheadWriting

/// An audio encoder based on libavcodec.
///
/// - Concurrency: one thread at a time, as `AudioSampleEncoder` requires.
/// - Corresponds to: `AVCodecContext`.
final class FFmpegAudioEncoder: AudioSampleEncoder, @unchecked Sendable {
    // Unchecked: only one thread at a time, as the protocol requires, accesses mutable state.

    let format: EncodedTrackFormat
    private let codec: UnsafeMutablePointer<AVCodecContext>
    private let output: EncoderOutput
    private let settings: AudioOutputSettings
    private let subject: String
    private var pending: [Float] = []
    private var position: Int64 = 0

    /// The number of frames per packet for codecs that accept any number.
    private static let freeFrameSize = 4096

    init(
        _ settings: AudioOutputSettings, for type: MediaFileType, subject: String
    ) throws(MediaWritingError) {
        FFmpegLog.silence()
        self.settings = settings
        self.subject = subject
        let name = Self.encoder(settings.codec)
        guard let encoder = avcodec_find_encoder_by_name(name) else {
            throw MediaWritingError(
                .encoderMissing, subject: subject, cause: "FFmpeg was built without \(name)",
                remedy: "use another codec, or install an FFmpeg that has it")
        }
        guard let context = avcodec_alloc_context3(encoder) else {
            throw MediaWritingError.outOfMemory(subject)
        }
        codec = context
        context.pointee.sample_rate = Int32(clamping: settings.format.sampleRate)
        Self.setLayout(context, settings.format)
        context.pointee.sample_fmt = Self.sampleFormat(settings.codec)
        if context.pointee.sample_fmt == AV_SAMPLE_FMT_S32 {
            context.pointee.bits_per_raw_sample = 24
        }
        if context.pointee.sample_fmt == AV_SAMPLE_FMT_S32P {
            context.pointee.bits_per_raw_sample = 24
        }
        context.pointee.time_base = AVRational(num: 1, den: context.pointee.sample_rate)
        if settings.codec == .aac || settings.codec == .opus {
            context.pointee.bit_rate = Int64(settings.usedBitRate)
        }
        if FFmpegMuxer.needsGlobalHeader(type) {
            context.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER
        }
        let result = avcodec_open2(context, encoder, nil)
        guard result >= 0, let parameters = CodecParameters(of: context) else {
            var context: UnsafeMutablePointer<AVCodecContext>? = context
            avcodec_free_context(&context)
            throw MediaWritingError(
                .unsupportedFormat, subject: subject,
                cause: "\(name) refuses audio of \(settings.format.sampleRate) Hz in "
                    + "\(settings.format.channelCount) channels (\(FFmpegError(result).text))",
                remedy: "use another format or another codec")
        }
        output = EncoderOutput(codec: context, samples: "audio", subject: subject)
        format = EncodedTrackFormat(
            mediaType: .audio, parameters: parameters,
            timescale: Int32(clamping: settings.format.sampleRate))
    }

    deinit {
        var context: UnsafeMutablePointer<AVCodecContext>? = codec
        avcodec_free_context(&context)
    }

    /// Returns FFmpeg's name of the encoder.
    static func encoder(_ codec: AudioCodecType) -> String {
        switch codec {
        case .aac: "aac"
        case .opus: "libopus"
        case .flac: "flac"
        case .alac: "alac"
        case .pcm16: "pcm_s16le"
        case .pcm24: "pcm_s24le"
        case .pcmFloat: "pcm_f32le"
        }
    }

    /// Returns the nearest sample rate at which a codec stores audio. Encoders without a list
    /// support any rate.
    static func sampleRate(nearest rate: Int, for codec: AudioCodecType) -> Int {
        // Opus works at 48 kHz.
        if codec == .opus { return 48_000 }
        guard let codec = avcodec_find_encoder_by_name(encoder(codec)),
            var known = ph_codec_sample_rates(codec)
        else { return rate }
        var best = 0
        // The list ends with 0.
        while known.pointee != 0 {
            let candidate = Int(known.pointee)
            let (distance, least) = (abs(candidate - rate), abs(best - rate))
            if best == 0 || distance < least || (distance == least && candidate > best) {
                best = candidate
            }
            known += 1
        }
        return best == 0 ? rate : best
    }

    private static func sampleFormat(_ codec: AudioCodecType) -> AVSampleFormat {
        switch codec {
        case .aac: AV_SAMPLE_FMT_FLTP
        case .opus, .pcmFloat: AV_SAMPLE_FMT_FLT
        case .flac, .pcm24: AV_SAMPLE_FMT_S32
        case .alac: AV_SAMPLE_FMT_S32P
        case .pcm16: AV_SAMPLE_FMT_S16
        }
    }

    /// Sets the channel layout: the named channels if they are in the order of FFmpeg's masks, or
    /// the default layout for their number.
    private static func setLayout(
        _ context: UnsafeMutablePointer<AVCodecContext>, _ format: AudioFormat
    ) {
        let positions = format.channels.map(\.rawValue)
        let isOrdered = zip(positions, positions.dropFirst()).allSatisfy { $0 < $1 }
        let mask = positions.reduce(UInt64(0)) { $0 | 1 << UInt64($1) }
        if isOrdered, av_channel_layout_from_mask(&context.pointee.ch_layout, mask) >= 0 { return }
        av_channel_layout_default(
            &context.pointee.ch_layout, Int32(clamping: format.channelCount))
    }

    // MARK: - Encoding

    func encode(
        _ samples: UnsafeBufferPointer<Float>?
    ) throws(MediaWritingError) -> [MediaPacket] {
        let channels = settings.format.channelCount
        let frameSize = Int(codec.pointee.frame_size)
        let step = (frameSize > 0 ? frameSize : Self.freeFrameSize) * channels
        var packets: [MediaPacket] = []
        if let samples { pending.append(contentsOf: samples) }
        var offset = 0
        while pending.count - offset >= step {
            packets += try send(pending[offset..<offset + step])
            offset += step
        }
        pending.removeFirst(offset)
        guard samples == nil else { return packets }
        if !pending.isEmpty { packets += try send(pending[...]) }
        pending.removeAll()
        return packets + (try output.send(nil))
    }

    private func send(_ samples: ArraySlice<Float>) throws(MediaWritingError) -> [MediaPacket] {
        let count = samples.count / settings.format.channelCount
        guard let box = FrameBox() else { throw MediaWritingError.outOfMemory(subject) }
        let frame = box.pointer
        frame.pointee.nb_samples = Int32(clamping: count)
        frame.pointee.format = codec.pointee.sample_fmt.rawValue
        frame.pointee.sample_rate = codec.pointee.sample_rate
        guard av_channel_layout_copy(&frame.pointee.ch_layout, &codec.pointee.ch_layout) >= 0,
            av_frame_get_buffer(frame, 0) >= 0
        else { throw MediaWritingError.outOfMemory(subject) }
        AudioSampleStorage.fill(frame, with: samples, channels: settings.format.channelCount)
        frame.pointee.pts = position
        position += Int64(count)
        return try output.send(frame)
    }
}
