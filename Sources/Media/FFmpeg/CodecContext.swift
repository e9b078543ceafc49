// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import PlayheadAssets

/// An open decoder: the common part of the video and the audio decoder.
///
/// - Concurrency: one thread at a time.
/// - Ownership: the decoder is closed on deallocation; decoded frames stay valid.
/// - Corresponds to: `AVCodecContext`.
final class CodecContext {
    let pointer: UnsafeMutablePointer<AVCodecContext>
    private let parameters: StreamParameters
    /// The callbacks, which are kept while the decoder may call them.
    private let callbacks: CodecCallbacks?

    /// Opens a decoder for a stream. `configure` sets options before the decoder is opened.
    init(
        _ parameters: StreamParameters, callbacks: CodecCallbacks? = nil,
        configure: (UnsafeMutablePointer<AVCodecContext>) -> Void = { _ in }
    ) throws(MediaError) {
        let name = parameters.track.formatDescription.codec
        guard let codec = callbacks?.device?.codec ?? Self.decoder(for: parameters) else {
            throw MediaError(
                .unsupportedCodec, subject: parameters.subject,
                cause: name == "unknown"
                    ? "the codec of track \(parameters.track.id) is unknown"
                        + Self.tag(parameters)
                    : "there is no decoder for \(name), the codec of track "
                        + "\(parameters.track.id)",
                remedy: "convert it, or install an FFmpeg that has it")
        }
        guard let context = avcodec_alloc_context3(codec) else {
            throw FFmpegError.outOfMemory.whileDecoding(
                name, track: parameters.track.id, of: parameters.subject)
        }
        pointer = context
        self.parameters = parameters
        self.callbacks = callbacks
        var result = avcodec_parameters_to_context(context, parameters.codec.pointer)
        context.pointee.pkt_timebase = parameters.timeBase
        context.pointee.framerate = parameters.frameRate
        if let build = parameters.x264Build {
            av_opt_set_int(context, "x264_build", Int64(build), AV_OPT_SEARCH_CHILDREN)
        }
        callbacks?.install(in: context)
        configure(context)
        if result >= 0 { result = avcodec_open2(context, codec, nil) }
        guard result >= 0 else {
            let error = FFmpegError(result)
            if error == .outOfMemory {
                throw error.whileDecoding(
                    name, track: parameters.track.id, of: parameters.subject)
            }
            throw MediaError(
                .unsupportedCodec, subject: parameters.subject,
                cause: "the \(name) data of track \(parameters.track.id) cannot be decoded "
                    + "(\(error.text))",
                remedy: "check that the file is complete, or convert it")
        }
    }

    deinit {
        var context: UnsafeMutablePointer<AVCodecContext>? = pointer
        avcodec_free_context(&context)
    }

    /// Returns FFmpeg's own decoder, or libvpx for VP8 and VP9 with alpha, because FFmpeg's own
    /// decoders ignore alpha.
    private static func decoder(for parameters: StreamParameters) -> UnsafePointer<AVCodec>? {
        let identifier = parameters.codec.pointer.pointee.codec_id
        if parameters.hasAlphaLayer {
            let name =
                switch identifier {
                case AV_CODEC_ID_VP8: "libvpx"
                case AV_CODEC_ID_VP9: "libvpx-vp9"
                default: ""
                }
            if let codec = avcodec_find_decoder_by_name(name) { return codec }
        }
        return avcodec_find_decoder(identifier)
    }

    private static func tag(_ parameters: StreamParameters) -> String {
        parameters.track.formatDescription.codecTag.map { " (\($0))" } ?? ""
    }

    /// Sends a packet to the decoder; nil for the end.
    func send(_ packet: MediaPacket?) -> FFmpegError {
        guard let packet else { return FFmpegError(avcodec_send_packet(pointer, nil)) }
        guard let box = packet.payload as? PacketBox else {
            preconditionFailure("a packet of another demuxer was sent to an FFmpeg decoder")
        }
        return FFmpegError(avcodec_send_packet(pointer, box.pointer))
    }

    /// Receives the next frame into `frame`.
    func receive(into frame: FrameBox) -> FFmpegError {
        FFmpegError(avcodec_receive_frame(pointer, frame.pointer))
    }

    func flush() { avcodec_flush_buffers(pointer) }

    func failure(_ error: FFmpegError) -> MediaError {
        error.whileDecoding(
            parameters.track.formatDescription.codec, track: parameters.track.id,
            of: parameters.subject)
    }
}
