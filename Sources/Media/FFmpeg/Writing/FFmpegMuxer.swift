// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import PlayheadAssets
import PlayheadBuffers
import PlayheadTime
import PlayheadWriting

/// A muxer based on libavformat.
///
/// - Concurrency: one thread at a time, as `MediaMuxer` requires.
/// - Corresponds to: `AVFormatContext`.
final class FFmpegMuxer: MediaMuxer, @unchecked Sendable {
    // Unchecked: only one thread at a time, as the protocol requires, accesses mutable state.

    private let file: WritingFile
    private let type: MediaFileType
    private let tracks: [EncodedTrackFormat]
    private let options: MuxerOptions
    private let context: UnsafeMutablePointer<AVFormatContext>
    private let output: MuxerOutput
    private var streams: [UnsafeMutablePointer<AVStream>] = []
    /// The packets without a duration, by track. Each waits for the next packet, whose decode time
    /// determines the duration. The last packet needs a duration too, because edit lists end with
    /// the last frame.
    private var held: [Int: PacketBox] = [:]
    /// The last duration that was determined in this way, by track.
    private var lastDuration: [Int: Int64] = [:]

    /// Returns FFmpeg's name of a container.
    private static func name(_ type: MediaFileType) -> String {
        switch type {
        case .mp4: "mp4"
        case .quickTime: "mov"
        case .matroska: "matroska"
        case .webM: "webm"
        case .m4a: "ipod"
        case .wave: "wav"
        case .flac: "flac"
        case .ogg: "ogg"
        case .gif: "gif"
        case .webP: "webp"
        case .apng: "apng"
        }
    }

    /// Returns whether encoders must put their headers into the parameters of the track.
    static func needsGlobalHeader(_ type: MediaFileType) -> Bool {
        (av_guess_format(name(type), nil, nil)?.pointee.flags ?? 0) & AVFMT_GLOBALHEADER != 0
    }

    init(
        _ file: WritingFile, type: MediaFileType, tracks: [EncodedTrackFormat],
        options: MuxerOptions
    ) throws(MediaWritingError) {
        FFmpegLog.silence()
        self.file = file
        self.type = type
        self.tracks = tracks
        self.options = options
        var context: UnsafeMutablePointer<AVFormatContext>?
        // The second pass, which moves the index, opens the file by its name.
        let result = avformat_alloc_output_context2(
            &context, nil, Self.name(type), "file:" + file.path)
        guard result >= 0, let context else {
            throw MediaWritingError(
                .unsupportedFormat, subject: file.subject,
                cause: "FFmpeg was built without support for \(Self.name(type)) files",
                remedy: "use another container, or install an FFmpeg that supports this one")
        }
        guard let output = MuxerOutput(file) else {
            avformat_free_context(context)
            throw MediaWritingError.outOfMemory(file.subject)
        }
        self.context = context
        self.output = output
        context.pointee.pb = output.pointer
        context.pointee.flags |= AVFMT_FLAG_CUSTOM_IO
        context.pointee.strict_std_compliance = FF_COMPLIANCE_EXPERIMENTAL
        for track in tracks { streams.append(try makeStream(track)) }
        try setMetadata()
    }

    deinit {
        // The byte stream is freed separately.
        context.pointee.pb = nil
        avformat_free_context(context)
    }

    // MARK: - Tracks

    private func makeStream(
        _ track: EncodedTrackFormat
    ) throws(MediaWritingError) -> UnsafeMutablePointer<AVStream> {
        guard let stream = avformat_new_stream(context, nil), let codec = stream.pointee.codecpar
        else { throw MediaWritingError.outOfMemory(file.subject) }
        if let parameters = track.parameters as? CodecParameters {
            guard avcodec_parameters_copy(codec, parameters.pointer) >= 0 else {
                throw MediaWritingError.outOfMemory(file.subject)
            }
        } else {
            SubtitleFormat.set(codec, for: type)
        }
        try requireStorable(codec.pointee)
        // The container chooses the four-character code of the codec. Apple's players accept HEVC
        // only if its headers are in the index.
        codec.pointee.codec_tag = 0
        if type.isMovie, codec.pointee.codec_id == AV_CODEC_ID_HEVC {
            codec.pointee.codec_tag = "hvc1".utf8.reversed().reduce(0) { $0 << 8 | UInt32($1) }
        }
        stream.pointee.time_base = AVRational(num: 1, den: track.timescale)
        if track.frameDuration.isNumeric, track.frameDuration.value > 0 {
            stream.pointee.avg_frame_rate = AVRational(
                num: track.frameDuration.timescale,
                den: Int32(clamping: track.frameDuration.value))
        }
        let isFirst = !context.pointee.hasStream(of: codec.pointee.codec_type, before: stream)
        if track.isEnabled, isFirst { stream.pointee.disposition |= AV_DISPOSITION_DEFAULT }
        let code = track.languageTag.flatMap { LanguageTag($0)?.threeLetterCode ?? $0 }
        if let code = code.map({ type == .quickTime ? Self.quickTimeCodes[$0] ?? $0 : $0 }) {
            av_dict_set(&stream.pointee.metadata, "language", code, 0)
        }
        if let title = track.title {
            av_dict_set(&stream.pointee.metadata, "title", title, 0)
            // In the QuickTime family of formats, the name of a track is in its handler.
            if type.isMovie { av_dict_set(&stream.pointee.metadata, "handler_name", title, 0) }
        }
        if let timecode = track.timecode {
            av_dict_set(&stream.pointee.metadata, "timecode", timecode, 0)
        }
        if track.mediaType == .video { try setGeometry(stream, track.attachments) }
        return stream
    }

    /// The FFmpeg names of QuickTime's languages that differ from the terminological codes of ISO
    /// 639-2.
    private static let quickTimeCodes = [
        "deu": "ger", "nld": "dut", "ell": "gre", "isl": "ice", "zho": "chi", "sqi": "alb",
        "hye": "arm", "kat": "geo",
    ]

    private func requireStorable(_ codec: AVCodecParameters) throws(MediaWritingError) {
        // The tables allow codecs in QuickTime that the muxer then refuses. For formats with a
        // single codec, the tables list only that codec.
        let answer = avformat_query_codec(
            context.pointee.oformat, codec.codec_id, FF_COMPLIANCE_EXPERIMENTAL)
        guard answer == 0 else { return }
        throw cannotStore([codec])
    }

    /// Returns the error for codecs that the container refuses. If there are several codecs, FFmpeg
    /// does not report which one is refused.
    private func cannotStore(_ codecs: [AVCodecParameters]) -> MediaWritingError {
        let names = codecs.map { codec in
            avcodec_get_name(codec.codec_id).map { String(cString: $0) } ?? "this codec"
        }.joined(separator: " with ")
        return MediaWritingError(
            .unsupportedFormat, subject: file.subject,
            cause: "\(names) cannot be stored in \(Self.name(type)) files",
            remedy: type == .matroska ? "use another codec" : "use another codec, or .mkv")
    }

    private func setGeometry(
        _ stream: UnsafeMutablePointer<AVStream>, _ attachments: PixelBufferAttachments
    ) throws(MediaWritingError) {
        let ratio = attachments.pixelAspectRatio
        let value = AVRational(
            num: Int32(clamping: ratio.horizontal), den: Int32(clamping: ratio.vertical))
        stream.pointee.sample_aspect_ratio = value
        stream.pointee.codecpar.pointee.sample_aspect_ratio = value
        let orientation = attachments.orientation
        if orientation != .up {
            guard type.isMovie else {
                throw MediaWritingError(
                    .unsupportedFormat, subject: file.subject,
                    cause: "\(Self.name(type)) files store no rotation",
                    remedy: "use .mp4 or .mov, or rotate the frames")
            }
            let matrix = orientation.displayMatrix
            let size = matrix.count * MemoryLayout<Int32>.size
            guard let bytes = ph_stream_add_side_data(stream, AV_PKT_DATA_DISPLAYMATRIX, size)
            else { throw MediaWritingError.outOfMemory(file.subject) }
            UnsafeMutableRawPointer(bytes).copyMemory(from: matrix, byteCount: size)
        }
        if let volume = attachments.masteringDisplayColorVolume {
            try store(
                AVMasteringDisplayMetadata(volume), AV_PKT_DATA_MASTERING_DISPLAY_METADATA, stream)
        }
        if let level = attachments.contentLightLevel {
            try store(AVContentLightMetadata(level), AV_PKT_DATA_CONTENT_LIGHT_LEVEL, stream)
        }
    }

    private func store<Value>(
        _ value: Value, _ kind: AVPacketSideDataType, _ stream: UnsafeMutablePointer<AVStream>
    ) throws(MediaWritingError) {
        let size = MemoryLayout<Value>.size
        guard let bytes = ph_stream_add_side_data(stream, kind, size) else {
            throw MediaWritingError.outOfMemory(file.subject)
        }
        UnsafeMutableRawPointer(bytes).storeBytes(of: value, as: Value.self)
    }

    // MARK: - The file

    private func setMetadata() throws(MediaWritingError) {
        for item in options.metadata {
            guard let text = item.stringValue, !Self.ownKeys.contains(item.key) else { continue }
            av_dict_set(&context.pointee.metadata, item.key, text, 0)
        }
        for chapter in options.chapters {
            let base = AVRational(num: 1, den: 90_000)
            guard let start = chapter.timeRange.start.timestamp(in: base),
                let end = chapter.timeRange.end.timestamp(in: base)
            else { continue }
            let result = ph_add_chapter(
                context, start, end, base, chapter.title, chapter.language?.threeLetterCode)
            if result < 0 { throw MediaWritingError.outOfMemory(file.subject) }
        }
    }

    /// The keys that describe a file itself. The values of the source file do not apply to the new
    /// file.
    private static let ownKeys: Set<String> = [
        "major_brand", "minor_version", "compatible_brands", "encoder", "duration",
    ]

    func begin() throws(MediaWritingError) {
        var settings = Options()
        if type.isMovie {
            var flags = ""
            if options.segmentInterval.isNumeric {
                flags = "+frag_custom+delay_moov+default_base_moof+skip_trailer"
                context.pointee.flags |= AVFMT_FLAG_FLUSH_PACKETS
            } else if options.fragmentInterval.isNumeric, options.fragmentInterval > .zero {
                flags = "+delay_moov+default_base_moof"
                let duration = options.fragmentInterval.converted(toTimescale: 1_000_000).value
                settings["frag_duration"] = String(duration)
                context.pointee.flags |= AVFMT_FLAG_FLUSH_PACKETS
            } else if options.movesIndexToFront {
                flags = "+faststart"
            }
            if !flags.isEmpty { settings["movflags"] = flags }
            settings["movie_timescale"] = String(movieTimescale)
            if tracks.contains(where: { $0.timecode != nil }) { settings["write_tmcd"] = "1" }
        }
        if type == .gif || type == .webP { settings["loop"] = "0" }
        if type == .apng { settings["plays"] = "0" }
        let result = avformat_write_header(context, &settings.pointer)
        guard result >= 0 else {
            if file.failure == 0 { throw cannotStore(streams.map(\.pointee.codecpar.pointee)) }
            throw MediaWritingError.muxing(result, file)
        }
    }

    /// A timescale that is a multiple of the timescales of all tracks, so that edit lists are
    /// exact.
    private var movieTimescale: Int32 {
        var scale: Int64 = 1
        for track in tracks where track.timescale > 0 {
            var (a, b) = (scale, Int64(track.timescale))
            while b != 0 { (a, b) = (b, a % b) }
            scale = scale / a * Int64(track.timescale)
            if scale > 100_000_000 { return 90_000 }
        }
        return Int32(max(scale, 1000))
    }

    func write(_ packet: MediaPacket, track: Int) throws(MediaWritingError) {
        guard let box = packet.payload as? PacketBox else {
            preconditionFailure("a packet of another engine was given to FFmpeg's muxer")
        }
        guard let copy = PacketBox(), av_packet_ref(copy.pointer, box.pointer) >= 0 else {
            throw MediaWritingError.outOfMemory(file.subject)
        }
        let stream = streams[track]
        let base = stream.pointee.time_base
        let pointer = copy.pointer
        pointer.pointee.stream_index = stream.pointee.index
        pointer.pointee.pos = -1
        pointer.pointee.pts = packet.presentationTime.nearestTimestamp(in: base)
        pointer.pointee.dts = packet.decodeTime.nearestTimestamp(in: base)
        if pointer.pointee.dts == ph_AV_NOPTS_VALUE() { pointer.pointee.dts = pointer.pointee.pts }
        let end = packet.end.nearestTimestamp(in: base)
        pointer.pointee.duration =
            packet.duration.isNumeric && packet.presentationTime.isNumeric
            ? max(0, end - pointer.pointee.pts) : 0
        try writeHeld(of: track, until: pointer.pointee.dts)
        if pointer.pointee.duration == 0,
            stream.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_VIDEO
        {
            held[track] = copy
        } else {
            try write(pointer)
        }
    }

    /// Writes the held packet of a track, whose duration is now known.
    ///
    /// - Parameter next: The decode time of the packet that follows; nil after the last packet.
    private func writeHeld(of track: Int, until next: Int64?) throws(MediaWritingError) {
        guard let box = held.removeValue(forKey: track) else { return }
        if let next { lastDuration[track] = max(1, next - box.pointer.pointee.dts) }
        box.pointer.pointee.duration = lastDuration[track] ?? 1
        try write(box.pointer)
    }

    func write(_ text: String, in range: MediaTimeRange, track: Int) throws(MediaWritingError) {
        let bytes = SubtitleFormat.payload(text, for: type)
        guard let box = PacketBox(), av_new_packet(box.pointer, Int32(clamping: bytes.count)) >= 0
        else { throw MediaWritingError.outOfMemory(file.subject) }
        if let data = box.pointer.pointee.data {
            UnsafeMutableRawPointer(data).copyMemory(from: bytes, byteCount: bytes.count)
        }
        let stream = streams[track]
        let base = stream.pointee.time_base
        let packet = box.pointer
        packet.pointee.stream_index = stream.pointee.index
        packet.pointee.flags |= AV_PKT_FLAG_KEY
        packet.pointee.pts = range.start.nearestTimestamp(in: base)
        packet.pointee.dts = packet.pointee.pts
        packet.pointee.duration = range.end.nearestTimestamp(in: base) - packet.pointee.pts
        try write(packet)
    }

    private func write(_ packet: UnsafeMutablePointer<AVPacket>) throws(MediaWritingError) {
        let result = av_write_frame(context, packet)
        guard result >= 0, file.failure == 0 else {
            throw MediaWritingError.muxing(result, file)
        }
    }

    func flush() throws(MediaWritingError) {
        let start = file.byteCount
        // The first call writes the description of the tracks only.
        for _ in 0..<2 {
            let result = av_write_frame(context, nil)
            avio_flush(output.pointer)
            guard result >= 0, file.failure == 0 else {
                throw MediaWritingError.muxing(result, file)
            }
            if start > 0 { return }
        }
    }

    func finish(at end: MediaTime) throws(MediaWritingError) {
        for track in held.keys.sorted() { try writeHeld(of: track, until: nil) }
        let result = av_write_trailer(context)
        avio_flush(output.pointer)
        guard result >= 0, file.failure == 0 else {
            throw MediaWritingError.muxing(result, file)
        }
        // Fragments were completed long before.
        guard end.isNumeric, type.isMovie, !options.fragmentInterval.isNumeric,
            !options.segmentInterval.isNumeric
        else { return }
        var ending = MovieEnding(file)
        ending?.end(at: end)
        guard file.failure == 0 else { throw MediaWritingError.muxing(0, file) }
    }
}

extension AVFormatContext {
    /// Returns whether a stream of a given type was added before another stream.
    fileprivate func hasStream(
        of type: AVMediaType, before last: UnsafeMutablePointer<AVStream>
    ) -> Bool {
        (0..<Int(nb_streams)).contains { index in
            guard let stream = streams[index], stream != last else { return false }
            return stream.pointee.codecpar.pointee.codec_type == type
        }
    }
}

extension MediaTime {
    /// Returns the nearest timestamp in units of `timeBase`; `AV_NOPTS_VALUE` if the time is not
    /// numeric.
    fileprivate func nearestTimestamp(in timeBase: AVRational) -> Int64 {
        guard isNumeric else { return ph_AV_NOPTS_VALUE() }
        let half = MediaTime(value: Int64(timeBase.num), timescale: timeBase.den)
            .multiplied(by: 1, over: 2)
        return (self + half).timestamp(in: timeBase) ?? ph_AV_NOPTS_VALUE()
    }
}
