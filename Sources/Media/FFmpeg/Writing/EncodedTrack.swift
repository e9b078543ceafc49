// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import PlayheadAssets
import PlayheadBuffers
import PlayheadTime

/// A track of a file that is being written, with its encoder.
///
/// - Concurrency: one thread at a time.
/// - Ownership: the encoder is closed on deallocation; the stream belongs to the container.
final class EncodedTrack {
    let codec: UnsafeMutablePointer<AVCodecContext>
    private let stream: UnsafeMutablePointer<AVStream>

    var index: Int32 { stream.pointee.index }
    /// The time base of the stream, which is known after the header is written.
    var streamTimeBase: AVRational { stream.pointee.time_base }
    /// The number of samples in an audio frame. The encoder determines it.
    var frameSize: Int {
        let size = Int(codec.pointee.frame_size)
        return size > 0 ? size : 1024
    }
    var channelCount: Int { Int(codec.pointee.ch_layout.nb_channels) }

    convenience init(
        pictures settings: MovieSettings, timeBase: AVRational,
        in container: UnsafeMutablePointer<AVFormatContext>, path: String
    ) throws(MediaError) {
        let kind = settings.codec
        try self.init(
            encoder: kind.encoder,
            options: kind.options(
                rateFactor: settings.rateFactor, codesPartsAlike: settings.codesPartsAlike),
            refusal: (
                "the size \(settings.width) x \(settings.height)",
                "use even numbers, or another codec"
            ), in: container, path: path
        ) {
            let context = $0
            context.pointee.width = Int32(clamping: settings.width)
            context.pointee.height = Int32(clamping: settings.height)
            context.pointee.pix_fmt = kind.pixelFormat
            context.pointee.time_base = timeBase
            let duration = settings.frameDuration
            if duration.isNumeric, duration.value > 0 {
                context.pointee.framerate = AVRational(
                    num: duration.timescale, den: Int32(clamping: duration.value))
            }
            // Frames are drawn in BT.709, which is stored in the file.
            context.pointee.color_primaries = AVCOL_PRI_BT709
            context.pointee.color_trc = AVCOL_TRC_BT709
            if kind.pixelFormat == AV_PIX_FMT_BGRA {
                context.pointee.colorspace = AVCOL_SPC_RGB
                context.pointee.color_range = AVCOL_RANGE_JPEG
            } else {
                context.pointee.colorspace = AVCOL_SPC_BT709
                context.pointee.color_range = AVCOL_RANGE_MPEG
                context.pointee.chroma_sample_location = AVCHROMA_LOC_LEFT
            }
        }
    }

    convenience init(
        sound format: AudioFormat, encoder: String,
        in container: UnsafeMutablePointer<AVFormatContext>, path: String
    ) throws(MediaError) {
        try self.init(
            encoder: encoder, options: [],
            refusal: (
                "sound of \(format.sampleRate) Hz in \(format.channelCount) channels",
                "leave the sound out, or use another codec"
            ), in: container, path: path
        ) {
            let context = $0
            context.pointee.sample_rate = Int32(clamping: format.sampleRate)
            av_channel_layout_default(
                &context.pointee.ch_layout, Int32(clamping: format.channelCount))
            context.pointee.sample_fmt = Self.sampleFormat(of: encoder)
            if context.pointee.sample_fmt == AV_SAMPLE_FMT_S32 {
                // Float samples have a precision of 24 bits.
                context.pointee.bits_per_raw_sample = 24
            }
            context.pointee.time_base = AVRational(num: 1, den: context.pointee.sample_rate)
            context.pointee.bit_rate = max(192_000, 64_000 * Int64(format.channelCount))
        }
    }

    private static func sampleFormat(of encoder: String) -> AVSampleFormat {
        switch encoder {
        case "aac": AV_SAMPLE_FMT_FLTP
        case "flac", "pcm_s24le": AV_SAMPLE_FMT_S32
        case "pcm_s16le": AV_SAMPLE_FMT_S16
        default: AV_SAMPLE_FMT_FLT
        }
    }

    /// Opens an encoder.
    ///
    /// - Parameter refusal: The setting that the encoder may not support, and the remedy, for use
    ///   in errors.
    private init(
        encoder name: String, options: [(String, String)],
        refusal: (subject: String, remedy: String),
        in container: UnsafeMutablePointer<AVFormatContext>, path: String,
        configure: (UnsafeMutablePointer<AVCodecContext>) -> Void
    ) throws(MediaError) {
        guard let encoder = avcodec_find_encoder_by_name(name) else {
            throw MediaError(
                .unsupportedCodec, subject: path, cause: "FFmpeg was built without \(name)",
                remedy: "use another codec, or install an FFmpeg that has it")
        }
        guard let context = avcodec_alloc_context3(encoder),
            let stream = avformat_new_stream(container, nil)
        else { throw MediaError.writing(ph_AVERROR(ENOMEM), path, remedy: "free memory") }
        codec = context
        self.stream = stream
        configure(context)
        if container.pointee.oformat.pointee.flags & AVFMT_GLOBALHEADER != 0 {
            context.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER
        }
        for (key, value) in options {
            av_opt_set(context, key, value, AV_OPT_SEARCH_CHILDREN)
        }
        var result = avcodec_open2(context, encoder, nil)
        stream.pointee.time_base = context.pointee.time_base
        stream.pointee.avg_frame_rate = context.pointee.framerate
        if result >= 0 {
            result = avcodec_parameters_from_context(stream.pointee.codecpar, context)
        }
        guard result >= 0 else {
            throw MediaError(
                .unsupportedCodec, subject: path,
                cause: "\(name) refuses \(refusal.subject) (\(FFmpegError(result).text))",
                remedy: refusal.remedy)
        }
    }

    deinit {
        var context: UnsafeMutablePointer<AVCodecContext>? = codec
        avcodec_free_context(&context)
    }

    /// Returns a frame with memory for an image or for samples; nil if there is not enough memory.
    func makeFrame(sampleCount: Int? = nil) -> FrameBox? {
        guard let frame = FrameBox() else { return nil }
        let values = frame.pointer
        if let sampleCount {
            values.pointee.nb_samples = Int32(clamping: sampleCount)
            values.pointee.format = codec.pointee.sample_fmt.rawValue
            values.pointee.sample_rate = codec.pointee.sample_rate
            guard av_channel_layout_copy(&values.pointee.ch_layout, &codec.pointee.ch_layout) >= 0
            else { return nil }
        } else {
            values.pointee.width = codec.pointee.width
            values.pointee.height = codec.pointee.height
            values.pointee.format = codec.pointee.pix_fmt.rawValue
            values.pointee.color_primaries = codec.pointee.color_primaries
            values.pointee.color_trc = codec.pointee.color_trc
            values.pointee.colorspace = codec.pointee.colorspace
            values.pointee.color_range = codec.pointee.color_range
            values.pointee.chroma_location = codec.pointee.chroma_sample_location
        }
        return av_frame_get_buffer(values, 0) >= 0 ? frame : nil
    }

    /// Rounds a sample to a signed integer with a given number of bits, as libswresample does.
    private static func integer(_ sample: Float, bits: Int) -> Int32 {
        guard sample.isFinite else { return 0 }
        let scale = Float(Int32(1) << (bits - 1))
        return Int32(min(max((sample * scale).rounded(.toNearestOrEven), -scale), scale - 1))
    }

    /// Copies interleaved samples into a frame, in the encoder's sample format.
    func fill(_ frame: FrameBox, with samples: ArraySlice<Float>) {
        let channels = channelCount
        let isPlanar = codec.pointee.sample_fmt == AV_SAMPLE_FMT_FLTP
        guard let planes = frame.pointer.pointee.extended_data else { return }
        let format = codec.pointee.sample_fmt
        for (index, sample) in samples.enumerated() {
            let (place, channel) = isPlanar ? (index / channels, index % channels) : (index, 0)
            guard let plane = planes[channel].map({ UnsafeMutableRawPointer($0) }) else { return }
            switch format {
            case AV_SAMPLE_FMT_S16:
                let value = Int16(Self.integer(sample, bits: 16))
                plane.storeBytes(of: value, toByteOffset: place * 2, as: Int16.self)
            case AV_SAMPLE_FMT_S32:
                let value = Self.integer(sample, bits: 24) << 8
                plane.storeBytes(of: value, toByteOffset: place * 4, as: Int32.self)
            default: plane.storeBytes(of: sample, toByteOffset: place * 4, as: Float.self)
            }
        }
    }
}
