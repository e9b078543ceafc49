// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import PlayheadAssets
import PlayheadTime

/// The properties of a stream that a decoder needs. They are copied from the container, so that the
/// decoder and the container are independent.
struct StreamParameters {
    let track: AssetTrack
    let timeBase: AVRational
    /// The average frame rate; 0/0 if unknown.
    let frameRate: AVRational
    /// The container's pixel aspect ratio; 0/1 if there is no such ratio.
    let pixelAspectRatio: AVRational
    /// A Boolean value that indicates whether frames have alpha in a separate layer, as
    /// `alpha_mode` in WebM states.
    let hasAlphaLayer: Bool
    /// The offset that was subtracted from the timestamps; see `AssetDescription.timestampOffset`.
    let timestampOffset: MediaTime
    /// The start time of a stream without timestamps.
    let startTime: MediaTime
    /// The file or URL, for error messages.
    let subject: String
    let codec: CodecParameters
    /// A Boolean value that indicates whether the media arrives as it is made, so that the decoder
    /// must not hold frames back.
    let arrives: Bool
    /// The version of x264 that encoded the stream, if known.
    let x264Build: Int32?

    init(
        _ track: AssetTrack, of context: FormatContext, _ description: AssetDescription,
        _ subject: String, timeBase: AVRational? = nil, x264Build: Int32? = nil
    ) throws(MediaError) {
        precondition(
            context.streams.indices.contains(track.id), "the asset has no track \(track.id)")
        let stream = context.stream(track.id)!
        guard !track.isEncrypted else {
            throw MediaError(
                .unsupportedCodec, subject: subject,
                cause: "its \(track.mediaType) is encrypted",
                remedy: "play it in the app or on the site that has its key")
        }
        guard let codec = CodecParameters(copying: stream.pointee.codecpar) else {
            throw MediaError(
                .outOfResources, subject: subject,
                cause: "there is not enough memory to decode it")
        }
        self.track = track
        self.codec = codec
        self.timeBase = timeBase ?? stream.pointee.time_base
        frameRate = stream.pointee.avg_frame_rate
        pixelAspectRatio = stream.pointee.sample_aspect_ratio
        hasAlphaLayer = Options.entries(of: stream.pointee.metadata).contains {
            $0.key.lowercased() == "alpha_mode" && $0.value != "0"
        }
        timestampOffset = description.timestampOffset
        startTime = description.startTime
        arrives = context.arriving != nil || context.camera != nil
        self.subject = subject
        self.x264Build = x264Build
    }

    /// Returns the parameters that a packet brings if they require another decoder.
    func replacement(in packet: MediaPacket?) -> StreamParameters? {
        guard let next = (packet?.payload as? PacketBox)?.parameters,
            next.codec.pointer.pointee.codec_id != codec.pointer.pointee.codec_id
        else { return nil }
        return next
    }

    /// Creates the parameters of subtitles or frames that do not come from an FFmpeg container.
    init(
        uncontained track: AssetTrack, _ codec: CodecParameters, timeBase: AVRational,
        subject: String
    ) {
        self.track = track
        self.codec = codec
        self.timeBase = timeBase
        self.subject = subject
        frameRate = AVRational(num: 0, den: 0)
        pixelAspectRatio = AVRational(num: 0, den: 1)
        hasAlphaLayer = false
        timestampOffset = .zero
        startTime = .zero
        arrives = false
        x264Build = nil
    }
}

/// A copy of a stream's codec parameters.
///
/// - Concurrency: any thread; the parameters do not change.
/// - Corresponds to: `AVCodecParameters`.
final class CodecParameters: @unchecked Sendable {
    // Unchecked: the parameters are filled before the object is shared.
    let pointer: UnsafeMutablePointer<AVCodecParameters>

    init?(copying original: UnsafeMutablePointer<AVCodecParameters>?) {
        guard let copy = avcodec_parameters_alloc() else { return nil }
        pointer = copy
        guard avcodec_parameters_copy(copy, original) >= 0 else { return nil }
    }

    /// Creates the parameters of subtitles. Fails if there is not enough memory.
    init?(subtitles codec: AVCodecID, header: [UInt8], size: (width: Int, height: Int)) {
        guard let parameters = avcodec_parameters_alloc() else { return nil }
        pointer = parameters
        parameters.pointee.codec_type = AVMEDIA_TYPE_SUBTITLE
        parameters.pointee.codec_id = codec
        parameters.pointee.width = Int32(size.width)
        parameters.pointee.height = Int32(size.height)
        let padding = Int(AV_INPUT_BUFFER_PADDING_SIZE)
        guard let bytes = av_mallocz(header.count + padding) else { return nil }
        bytes.copyMemory(from: header, byteCount: header.count)
        parameters.pointee.extradata = bytes.assumingMemoryBound(to: UInt8.self)
        parameters.pointee.extradata_size = Int32(header.count)
    }

    /// Creates the parameters of a video. Returns nil if there is not enough memory.
    init?(video codec: AVCodecID, size: (width: Int, height: Int)) {
        guard let parameters = avcodec_parameters_alloc() else { return nil }
        pointer = parameters
        parameters.pointee.codec_type = AVMEDIA_TYPE_VIDEO
        parameters.pointee.codec_id = codec
        parameters.pointee.width = Int32(clamping: size.width)
        parameters.pointee.height = Int32(clamping: size.height)
    }

    /// The bytes that the container states for decoders (`extradata`), if they are few enough to be
    /// text.
    var header: [UInt8] {
        let size = Int(pointer.pointee.extradata_size)
        guard let data = pointer.pointee.extradata, (1...1 << 20).contains(size) else { return [] }
        return Array(UnsafeBufferPointer(start: data, count: size))
    }

    deinit {
        var pointer: UnsafeMutablePointer<AVCodecParameters>? = pointer
        avcodec_parameters_free(&pointer)
    }
}
