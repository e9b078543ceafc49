// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import PlayheadAssets
import PlayheadTime

/// An open container: FFmpeg's format context and its byte stream.
///
/// The byte stream is opened first, and its format is detected before a demuxer runs. Therefore no
/// demuxer of a forbidden format reads the stream.
///
/// - Concurrency: one thread at a time.
/// - Ownership: the format context and the byte stream are closed on deallocation.
/// - Corresponds to: `AVFormatContext`, `AVIOContext`.
final class FormatContext {
    let pointer: UnsafeMutablePointer<AVFormatContext>
    let interrupt: Interrupt
    private let loader: AssetResourceLoader
    private let input: StreamInput
    private let followed: FollowedFile?
    /// The packets of an RTSP session, which the demuxer reads in place of the byte stream.
    private let packets: PacketInput?
    private let first: FirstPackets
    /// A Boolean value that indicates whether reading began after the beginning of the source.
    private let beganInside: Bool
    /// The placement of the messages of segments on the timeline.
    var placement = SegmentPlacement()

    /// Opens and probes a source; blocks until the tracks are known.
    ///
    /// - Parameters:
    ///   - known: The streams that earlier openings of the source have probed.
    ///   - place: The place at which reading begins if the source is a live stream.
    ///   - start: The time at which reading begins if `isMovedByOpening` is true, relative to the
    ///     beginning.
    ///   - followed: The file, if it is followed while it is being written. Reading then waits at
    ///     its end.
    init(
        _ source: AssetSource, options: AssetOptions, interrupt: Interrupt,
        transfer: TransferMonitor, live: LiveStream, at place: LiveReading.Place = .edge,
        known: KnownStreams? = nil, from start: MediaTime = .zero,
        following followed: FollowedFile? = nil
    ) throws(MediaError) {
        FFmpegLog.silence()
        self.interrupt = interrupt
        interrupt.begin(opens: true)
        let loader = AssetResourceLoader(
            source, options: options, interrupt: interrupt, transfer: transfer, live: live,
            at: place, from: start, following: followed)
        let subject = loader.subject
        let (input, url) = try loader.openAsset()
        let session = loader.session
        let (format, score, picture) =
            try session == nil
            ? Self.probe(input, url: url, loader: loader) : Self.sessionFormat(subject)

        var context = avformat_alloc_context()
        var isComplete = false
        defer { if !isComplete { avformat_close_input(&context) } }
        guard let allocated = context else {
            throw FFmpegError.outOfMemory.whileReading(subject, interrupt: interrupt)
        }
        allocated.pointee.interrupt_callback = interrupt.callback
        allocated.pointee.pb = input.pointer
        // This object closes the byte stream, even if no demuxer has used it.
        allocated.pointee.flags |= AVFMT_FLAG_CUSTOM_IO
        if let picture { allocated.pointee.video_codec_id = picture }
        if case .segment = place {
            // The streams are known already, and probing them at the live edge would wait for
            // segments that do not exist yet.
            allocated.pointee.fps_probe_size = 0
            if live.timeline != nil { allocated.pointee.max_analyze_duration = Self.liveAnalysis }
        }
        if let file = loader.file, followed != nil {
            input.waitForGrowth(of: file)
            Self.prepare(allocated, format.pointee, toFollow: file)
            // At the end of the file, more would have to be waited for.
            let known = start > .zero ? Self.liveAnalysis : followed?.analysis ?? 0
            allocated.pointee.max_analyze_duration = known
        }
        if loader.arriving != nil {
            allocated.pointee.fps_probe_size = 0
            allocated.pointee.max_analyze_duration = Self.arrivingAnalysis
        }
        loader.guardOpening(of: allocated)

        var settings = Self.settings(options)
        // The images of other sources are examined once they are open.
        if let duration = options.stillDuration, duration.isNumeric, duration > .zero,
            source.isReadOnce,
            AssetDescription.isStill(container: String(cString: format.pointee.name))
        {
            settings["framerate"] = "\(duration.timescale)/\(duration.value)"
        }
        if session != nil { Self.addSessionSettings(to: &settings) }
        let opened = FFmpegError(avformat_open_input(&context, url, format, &settings.pointer))
        guard opened.rawValue >= 0, let context else {
            if let failure = loader.violation ?? loader.childFailure ?? input.failure {
                throw failure
            }
            if opened == .invalidData, score < Self.surenessOfFormat {
                throw Self.unknownFormat(subject)
            }
            throw Self.unreadImage(input.beginning, subject: subject)
                ?? Self.explain(opened, format: format, subject: subject, interrupt: interrupt)
        }
        var packets: PacketInput?
        if let session {
            packets = try PacketInput(session, interrupt: interrupt, transfer: transfer)
            context.pointee.pb = packets?.pointer
        }
        try Self.check(context, against: options.limits, subject: subject)
        if let duration = loader.reading.partAnalysis {
            // More would have to be waited for.
            context.pointee.max_analyze_duration = min(
                duration, place.isEdge ? .max : Self.liveAnalysis)
        }
        if place.isEdge, let delay = loader.presentation?.liveDelay {
            // The headers describe the streams, and there is no more than this before the edge.
            context.pointee.max_analyze_duration = max(delay / 2, Self.liveAnalysis)
        }
        let file = loader.file?.identity
        if known?.describe(context, of: file) != true {
            // A transport stream may add streams at any time. If its tables have arrived, probing
            // ends with the parameters of the streams in them, and not with the longest analysis.
            let hasTables = loader.arriving != nil && context.pointee.nb_streams > 0
            let flag = hasTables ? context.pointee.ctx_flags & AVFMTCTX_NOHEADER : 0
            context.pointee.ctx_flags &= ~flag
            defer { context.pointee.ctx_flags |= flag }
            try Self.findStreamInformation(context, limits: options.limits, loader: loader)
            if let failure = packets?.failure { throw failure }
            known?.learn(context, of: file)
        }
        try Self.check(context, against: options.limits, subject: subject)
        let first = FirstPackets(loader.listed)
        first.readAhead(in: context)
        Self.setUnitsOfFrames(context)
        Self.setDurationOfFrames(context)
        // If a file is an image only by its name, it has no size.
        if picture != nil, context.pointee.streams[0]?.pointee.codecpar.pointee.width == 0 {
            throw Self.unknownFormat(subject)
        }
        isComplete = true
        input.finishOpening()
        pointer = context
        self.loader = loader
        self.input = input
        self.followed = followed
        self.packets = packets
        self.first = first
        beganInside = start > .zero
    }

    deinit {
        var context: UnsafeMutablePointer<AVFormatContext>? = pointer
        avformat_close_input(&context)
    }

    // MARK: - Reading

    /// Reads the next packet into an empty one.
    func read(into packet: UnsafeMutablePointer<AVPacket>) -> FFmpegError {
        first.read(into: packet, from: pointer)
    }

    /// Moves to a timestamp, or to a position in bytes, and returns whether that succeeded.
    ///
    /// - Parameters:
    ///   - index: The stream in whose units the timestamp is; -1 for microseconds.
    ///   - least: The earliest acceptable timestamp or position.
    ///   - isToBeginning: A Boolean value that indicates whether the first packets follow.
    func move(
        to target: Int64, notBefore least: Int64 = .min, along index: Int32 = -1,
        flags: Int32 = 0, isToBeginning: Bool = false
    ) -> Bool {
        // Formats without an index are searched by the last timestamps of the file.
        let isMoved = input.withoutWaiting {
            avformat_seek_file(pointer, index, least, target, target, flags) >= 0
        }
        guard isMoved else { return false }
        first.move(isToBeginning: isToBeginning)
        return true
    }

    /// The cause of an FFmpeg error or of a premature end: a limit that was exceeded, or a byte
    /// stream that failed.
    var failure: MediaError? { loader.violation ?? input.failure ?? packets?.failure }

    /// The reason why the last file or address to which the asset refers could not be opened.
    var childFailure: MediaError? { loader.childFailure }

    /// Forgets the failure of a child, because reading went on after it.
    func forgetChildFailure() { loader.forgetChildFailure() }

    /// The size of the file according to its header, in bytes; nil if the header states no size.
    var declaredByteCount: Int64? { loader.declaredByteCount }

    /// The variants of an HLS playlist, and the current variant.
    var variants: (all: [VariantChoice.Variant], current: VariantChoice.Variant?) {
        (loader.variants, loader.variant)
    }

    /// The renditions of subtitles in an HLS playlist.
    var textRenditions: [TextRendition] { loader.textRenditions }

    /// Loads the playlist of a rendition of subtitles.
    func textPlaylist(_ address: String) throws(MediaError) -> TextPlaylist {
        try loader.textPlaylist(address)
    }

    /// Loads a segment of subtitles.
    ///
    /// - Parameter limit: The maximum number of bytes.
    func loadText(_ place: TextPlaylist.Place, limit: Int) throws(MediaError) -> [UInt8] {
        try loader.load(place, limit: limit).bytes
    }

    /// The address of the first media playlist or, without one, of the file; nil for sources that
    /// are not on a network.
    var mediaAddress: String? { loader.mediaAddress }

    /// The playlists of the source.
    var reading: LiveReading { loader.reading }

    /// The titles that internet radio sends; nil for other sources.
    var titles: RadioTitles? { loader.titles }

    /// Removes and returns the tags of the segments of audio that were opened.
    func takeTags() -> [ID3Tag] { loader.takeTags() }

    /// Removes and returns the messages of the segments of MP4 that were opened.
    func takeSegmentEvents() -> [SegmentEvents] { loader.takeSegmentEvents() }

    /// Loads the playlist of a live stream again, without reading on.
    func reloadPlaylist() throws(MediaError) { try loader.reloadPlaylist() }

    /// A Boolean value that indicates whether seeking requires opening the source again at the new
    /// time. This is true for an HLS playlist with MP4 segments: after a seek, FFmpeg's demuxer
    /// uses its state from the previous segments, and reads invalid data or nothing (confirmed in
    /// 5.1; fixed after 7.1), for a playlist with a first time that FFmpeg has invented, for a
    /// presentation, of which only one period is open, and for a file that is followed while it is
    /// being written and has no index.
    var isMovedByOpening: Bool {
        loader.hasPartsWithHeaders || presentation != nil || followed?.hasParts == true
            || first.hasInventedTimes || beganInside
    }

    /// The presentation that the source is, if it is an MPD.
    var presentation: PresentationReading? { loader.presentation }

    /// The end of the open period on the timeline of the presentation; nil if no period follows.
    var periodEnd: MediaTime? { loader.presentation?.periodEnd }

    /// The file that the source is; nil for other sources.
    var file: FileDescriptorDataSource? { loader.file }

    /// A Boolean value that indicates whether the file is an MP4 that can be read only once, in
    /// order. Such a file plays only if its index is at the beginning.
    var needsToGoBack: Bool {
        pointer.pointee.pb.map { $0.pointee.seekable == 0 } ?? false
            && String(cString: pointer.pointee.iformat.pointee.name).hasPrefix("mov,")
    }

    /// A Boolean value that indicates whether the source is a live stream of images from a network
    /// camera or a pipe.
    ///
    /// FFmpeg detects the multipart streams of some cameras as plain Motion JPEG. Plain Motion JPEG
    /// in a pipe may be a recording, so it keeps the rate that FFmpeg assumes.
    var isCamera: Bool {
        guard pointer.pointee.pb.map({ $0.pointee.seekable == 0 }) ?? false else { return false }
        switch String(cString: pointer.pointee.iformat.pointee.name) {
        case "mpjpeg": return true
        case "mjpeg":
            let space = Set("\r\n ".utf8)
            // This is a boundary as in RFC 2046, 5.1.1.
            let isMultipart = input.beginning.drop { space.contains($0) }.starts(with: "--".utf8)
            return isMultipart || isRemote
        default: return false
        }
    }

    /// The stream of a network camera; nil for other sources.
    var camera: CameraStream? { loader.camera }

    /// The source, if its media arrives as it is made; nil for other sources.
    var arriving: (any ArrivingSource)? { loader.arriving }

    /// A Boolean value that indicates whether the source is an RTSP session of separate streams.
    var isSession: Bool { packets != nil }

    /// Handles the end of the media. Returns the error of a live session, which may come back; nil
    /// for other sources.
    func endOfSession() -> MediaError? { loader.session?.end() }

    /// Permits reads after one that has failed.
    func readOn() {
        guard let pb = pointer.pointee.pb else { return }
        (pb.pointee.eof_reached, pb.pointee.error) = (0, 0)
    }

    /// A Boolean value that indicates whether the source is on a network.
    var isRemote: Bool { loader.isRemote }

    var streams: UnsafeBufferPointer<UnsafeMutablePointer<AVStream>?> {
        UnsafeBufferPointer(start: pointer.pointee.streams, count: Int(pointer.pointee.nb_streams))
    }

    /// Returns a stream; nil if the container has no stream with this number. Another period of a
    /// presentation may have fewer streams.
    func stream(_ index: Int) -> UnsafeMutablePointer<AVStream>? {
        streams.indices.contains(index) ? streams[index] : nil
    }

    /// The first timestamp of the video or, without video, the earliest one of all streams; nil if
    /// no stream has timestamps. Segments of a stream begin with a keyframe.
    var firstTimestamp: MediaTime? {
        let timed = streams.compactMap { $0 }.filter { $0.isTimed }
        let video = timed.filter { $0.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_VIDEO }
        return (video.isEmpty ? timed : video)
            .map { MediaTime($0.pointee.start_time, timeBase: $0.pointee.time_base) }
            .filter(\.isNumeric).min()
    }

    // MARK: - Steps of opening

    /// The duration of a live stream that is examined when it is opened again, in microseconds.
    private static let liveAnalysis: Int64 = 200_000
    /// The longest duration of an arriving stream that is examined, in microseconds. It is longer
    /// than the distance between the keyframes of most streams.
    private static let arrivingAnalysis: Int64 = 2_500_000

    /// The smallest number of bytes of a followed file that are examined.
    private static let smallestProbe: Int64 = 1 << 12

    /// Sets the properties with which a container is opened as a stream without an end, although it
    /// is a file.
    private static func prepare(
        _ context: UnsafeMutablePointer<AVFormatContext>, _ format: AVInputFormat,
        toFollow file: FileDescriptorDataSource
    ) {
        // The demuxer of MP4 reads fragment after fragment instead of all at once.
        context.pointee.flags |= AVFMT_FLAG_IGNIDX
        // Probing should not have to wait for the file to grow.
        context.pointee.probesize = min(
            context.pointee.probesize, max((file.byteCount ?? 0) / 2, smallestProbe))
        // To find the duration of a transport stream, FFmpeg would read it to its end.
        if format.flags & AVFMT_TS_DISCONT != 0 { context.pointee.pb?.pointee.seekable = 0 }
        // The streams are known already.
        context.pointee.fps_probe_size = 0
    }

    private static func settings(_ options: AssetOptions) -> Options {
        var settings = Options()
        // No protocol has this name, so FFmpeg cannot open anything itself.
        settings["protocol_whitelist"] = "none"
        // This list is for the files to which a playlist refers. The format of the asset itself has
        // already been checked.
        settings["format_whitelist"] = options.rules.demuxers.sorted().joined(separator: ",")
        // MPEG transport streams that were cut from a broadcast may list their programs late.
        // ffprobe and ffplay set this option too.
        settings["scan_all_pmts"] = "1"
        settings["max_streams"] = String(options.limits.tracks)
        // This option is for MicroDVD files that state no rate.
        settings["subfps"] = String(SubtitleFrameCount.unitsPerSecond)
        // To reuse connections, the HLS demuxer would bypass `AssetResourceLoader`. It would also
        // restrict local files by their extensions, whereas `AssetResourceLoader` restricts them by
        // their folders.
        settings["http_persistent"] = "0"
        // The playlist of a live stream is cut so that it begins at the wanted segment.
        settings["live_start_index"] = "0"
        settings["http_multiple"] = "0"
        settings["allowed_extensions"] = "ALL"
        settings["allowed_segment_extensions"] = "ALL"
        settings["extension_picky"] = "0"
        return settings
    }

    /// Sets the options with which the demuxer for session descriptions opens nothing and reads
    /// packets from `PacketInput`. Packets over a connection are in order.
    private static func addSessionSettings(to settings: inout Options) {
        settings["format_whitelist"] = "sdp"
        settings["sdp_flags"] = "custom_io"
        settings["reorder_queue_size"] = "0"
    }

    private static func findStreamInformation(
        _ context: UnsafeMutablePointer<AVFormatContext>, limits: MediaLimits,
        loader: AssetResourceLoader
    ) throws(MediaError) {
        // Probing decodes some frames. With the limit, these decoders do not allocate the sizes
        // that a malicious header states.
        let count = Int(context.pointee.nb_streams)
        var options = (0..<count).map { _ in
            var options = Options()
            options["max_pixels"] = String(limits.picturePixels)
            return options.release()
        }
        let texts = TextDurations(context)
        let found = FFmpegError(avformat_find_stream_info(context, &options))
        texts.restore(in: context)
        for index in options.indices { av_dict_free(&options[index]) }
        // The file may play with incomplete information, unless reading was cancelled or
        // interrupted.
        if let violation = loader.violation { throw violation }
        if loader.interrupt.isTriggered || found == .outOfMemory {
            let error = found == .outOfMemory ? found : .interrupted
            throw error.whileReading(loader.subject, interrupt: loader.interrupt)
        }
    }

    /// Sets the time base of a Dirac stream without a container to the duration of a frame. FFmpeg
    /// states a finer one, but numbers the frames (confirmed in 5.1).
    private static func setUnitsOfFrames(_ context: UnsafeMutablePointer<AVFormatContext>) {
        guard String(cString: context.pointee.iformat.pointee.name) == "dirac",
            let stream = context.pointee.streams[0]
        else { return }
        let rate = stream.pointee.r_frame_rate
        guard rate.num > 0, rate.den > 0 else { return }
        stream.pointee.time_base = AVRational(num: rate.den, den: rate.num)
    }

    /// Sets the duration of Filmstrip, whose header states the number of frames.
    private static func setDurationOfFrames(_ context: UnsafeMutablePointer<AVFormatContext>) {
        guard String(cString: context.pointee.iformat.pointee.name) == "filmstrip",
            let stream = context.pointee.streams[0], stream.pointee.nb_frames > 0
        else { return }
        (stream.pointee.start_time, stream.pointee.duration) = (0, stream.pointee.nb_frames)
        context.pointee.duration = av_rescale_q(
            stream.pointee.nb_frames, stream.pointee.time_base, microseconds)
        context.pointee.duration_estimation_method = AVFMT_DURATION_FROM_STREAM
    }

    private static func check(
        _ context: UnsafeMutablePointer<AVFormatContext>, against limits: MediaLimits,
        subject: String
    ) throws(MediaError) {
        func refusal(_ cause: String) -> MediaError {
            MediaError(
                .limitExceeded, subject: subject, cause: cause,
                remedy: "raise the limit if you trust the file")
        }
        guard Int(context.pointee.nb_streams) <= limits.tracks else {
            throw refusal("it has more than \(limits.tracks) tracks")
        }
        for index in 0..<Int(context.pointee.nb_streams) {
            guard let parameters = context.pointee.streams[index]?.pointee.codecpar.pointee else {
                continue
            }
            if let cause = limits.refusal(
                ofPictureWidth: Int(parameters.width), height: Int(parameters.height))
            {
                throw refusal(cause)
            }
            let channels = Int(parameters.ch_layout.nb_channels)
            guard channels <= limits.audioChannels else {
                throw refusal(
                    "its \(channels) audio channels exceed the limit of \(limits.audioChannels)")
            }
            guard Int(parameters.sample_rate) <= limits.audioSampleRate else {
                throw refusal(
                    "its sample rate of \(parameters.sample_rate) Hz exceeds the limit of "
                        + "\(limits.audioSampleRate)")
            }
        }
    }
}
