// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import PlayheadAssets
import PlayheadBuffers
import PlayheadTime

/// A demuxer based on libavformat.
///
/// - Concurrency: one thread at a time, as `Demuxer` requires.
/// - Corresponds to: `AVFormatContext`.
final class FFmpegDemuxer: Demuxer, @unchecked Sendable {
    // Unchecked: only one thread at a time, as the protocol requires, accesses mutable state.

    var description: AssetDescription
    /// The monitor of the transfer. It is nil for a source whose frames have the times of their
    /// arrival, because nothing is loaded ahead.
    var transfer: TransferMonitor? { arrivals == nil ? monitor : nil }
    var limits: MediaLimits { options.limits }
    var liveMonitor: LiveMonitor? {
        live.timeline == nil && followed == nil ? nil : live.monitor
    }
    let monitor = TransferMonitor()
    let live: LiveStream
    let source: AssetSource
    var options: AssetOptions
    let interrupt: Interrupt

    /// The open container. It is replaced when another variant takes over, and when a container
    /// that cannot seek is opened again.
    var context: FormatContext
    var choice: VariantChoice
    /// The file, if it is still being written and the demuxer follows it.
    var followed: FollowedFile?
    /// The transition to a new variant. It is nil once the packets of the new variant have replaced
    /// those of the previous one in all tracks.
    var junction: VariantJunction?
    /// The tracks whose decoders have not received the header of the new variant yet.
    var changed: Set<Int> = []
    /// The end of the packets read so far, for each track.
    var ends: [Int: MediaTime] = [:]
    /// The correction of timestamps that restart; nil for formats in which timestamps cannot
    /// restart.
    var continuity: TimestampContinuity?
    /// The arrival times of a camera's frames; nil for sources with timestamps.
    private var arrivals: ArrivalTimes?
    let arrivalMonitor: ArrivalMonitor?
    /// The arrival of the packets of a transport stream.
    var origin = ArrivalOrigin()
    /// A Boolean value that indicates whether what arrived while the source was opened was read.
    var hasCaughtUp = false
    /// A Boolean value that indicates whether the times of packets are not those of the timeline,
    /// because the source has just been resumed.
    var isRealigning = false
    /// The time bases that the streams had when the asset was opened. Decoders use them.
    let timeBases: [AVRational]
    var palettes = Palettes()
    var x264Builds = X264Builds()
    private var hasReadAny = false
    var selection: Set<Int> = []
    /// The packets that were read ahead to find the position after a seek, and cover images, in
    /// order.
    var pending: [MediaPacket] = []
    var pendingIndex = 0
    /// A Boolean value that indicates whether the container seeks to estimated positions; nil
    /// before the first seek.
    var positionsAreGuessed: Bool?
    /// The latest time of a packet that was returned; nil before the first packet.
    var lastTaken: MediaTime?
    /// The time of the last keyframe of the leading track that was read from a live stream or a
    /// playlist with discontinuities.
    var lastKeyframe: MediaTime?
    /// For each track, the number of ticks that is subtracted from the times of packets since the
    /// last seek; see `corrected(_:by:)`.
    var delays: [Int: Int64] = [:]
    /// The beginnings of tracks, as far as they have been read.
    var trackStarts: [Int: TrackStart] = [:]
    /// A Boolean value that indicates whether packets are no longer read from the beginning.
    var hasMoved = false
    /// The tracks whose cover was returned since the last seek. A cover is returned only once.
    var queuedPictures: Set<Int> = []
    /// The streams that can have captions.
    var captionHosts: [Int: CaptionHost] = [:]
    /// The selected tracks of captions within other streams, in order, and the streams that contain
    /// them.
    var selectedCaptions: [Int] = []
    var captionStreams: Set<Int> = []
    /// The renditions of subtitles, whose tracks follow those of the streams.
    var textRenditions: [TextRendition] = []
    /// For each caption track, the number of captions that it has read and that are still kept,
    /// because another track of the same stream has not read them.
    var captionCounts: [Int: Int] = [:]
    /// The timed metadata that is read.
    var metadata = MetadataReading()
    /// The time on the timeline of a presentation at which the asset's timeline is zero.
    var presentationStart = MediaTime.zero
    /// The times at which the open period of a presentation begins and ends; nil if they are not
    /// known, and if it is the last one.
    var periodStart: MediaTime?
    var periodEnd: MediaTime?
    /// A Boolean value that indicates whether the presentation has, or has had, several periods, or
    /// the recording has several parts with headers of their own.
    var hasSeveralPeriods = false
    /// The error that occurred when the first packets were read ahead. It is thrown after these
    /// packets have been returned.
    var openingError: MediaError?

    /// The maximum number of consecutive read errors that are skipped. FFmpeg's demuxers
    /// resynchronise after one or two errors. The limit ends reading if a demuxer does not advance.
    private static let maximumReadErrors = 16

    /// - Parameters:
    ///   - known: The streams that earlier openings of the source have probed.
    ///   - timeline: The timeline of earlier openings, if the source is a live stream.
    init(
        _ source: AssetSource, options: AssetOptions, interrupt: Interrupt,
        known: KnownStreams? = nil, timeline: LiveTimelineStore = LiveTimelineStore()
    ) throws(MediaError) {
        self.source = source
        self.options = options
        self.interrupt = interrupt
        live = LiveStream(
            monitor: LiveMonitor(
                interruptHandler: { interrupt.stopWaiting() },
                resumeHandler: { interrupt.resumeWaiting() }), store: timeline)
        context = try FormatContext(
            source, options: options, interrupt: interrupt, transfer: monitor, live: live,
            known: known)
        description = AssetDescription(context)
        let isCamera = context.isCamera
        arrivals =
            isCamera
            ? ArrivalTimes(
                shortestStep: context.camera == nil
                    ? ArrivalTimes.stepOfPipes : ArrivalTimes.stepOfCameras) : nil
        arrivalMonitor = context.arrivalMonitor(of: description)
        if isCamera { description.forgetRates() }
        timeBases = context.streams.map {
            isCamera ? ArrivalTimes.timeBase : $0?.pointee.time_base ?? microseconds
        }
        let flags = context.pointer.pointee.iformat.pointee.flags
        continuity = flags & AVFMT_TS_DISCONT != 0 ? TimestampContinuity() : nil
        let variants = context.variants
        choice = VariantChoice(
            variants.all, current: variants.current, preference: options.variants)
        noteVariant(isFirst: true)
        beginLive()
        beginPresentation()
        beginRecording()
        var playable: Set<MediaType> = [.video, .audio]
        if options.allowsSubtitlesOnly { playable.formUnion([.subtitle, .closedCaption]) }
        guard description.tracks.contains(where: { playable.contains($0.mediaType) }) else {
            if description.tracks.isEmpty, let failure = context.childFailure { throw failure }
            guard !description.tracks.contains(where: { $0.mediaType.isLegible }) else {
                throw MediaError(subtitlesAlone: source.description)
            }
            throw MediaError(
                .noPlayableTracks, subject: source.description,
                cause: "it has neither video nor audio", remedy: "open a video or audio file")
        }
        addTextRenditions()
        selectTracks(Set(description.tracks.map(\.id)))
        guard !isCamera else { return }
        examineImages()
        findCaptions()
        selectTracks(Set(description.tracks.map(\.id)))
    }

    /// The number of streams that the container had when it was opened. Tracks with this number or
    /// a higher one are captions within those streams.
    var streamCount: Int { timeBases.count }

    /// Replaces the estimated ends of tracks with measured ones. Called before anything is read.
    func correctDurations(_ ends: [Int: MediaTime]) {
        for index in description.tracks.indices {
            let track = description.tracks[index]
            guard let end = ends[track.id], track.timeRange.start.isNumeric else { continue }
            description.tracks[index].timeRange =
                MediaTimeRange(start: track.timeRange.start, end: end)
        }
        guard let end = ends.values.max() else { return }
        description.duration = end - description.startTime
        description.providesPreciseDurationAndTiming = true
    }

    // MARK: - Reading

    func selectTracks(_ identifiers: Set<Int>) {
        selection = identifiers
        selectedCaptions = identifiers.filter { captionStream(of: $0) != nil }.sorted()
        captionStreams = Set(selectedCaptions.compactMap { captionStream(of: $0) })
        applySelection()
        pending.removeSubrange(..<pendingIndex)
        pendingIndex = 0
        // Before a packet is taken, another selection may follow that needs the packets at the
        // start. A cover is queued again.
        pending.removeAll { packet in
            !identifiers.contains(packet.trackID) && !metadata.streams.contains(packet.trackID)
                && (lastTaken != nil || queuedPictures.contains(packet.trackID))
        }
        queuedPictures.formIntersection(identifiers)
        queueAttachedPictures()
        for stream in captionHosts.keys where !captionStreams.contains(stream) {
            captionHosts[stream]?.clear()
        }
        captionCounts = captionCounts.filter { identifiers.contains($0.key) }
    }

    func applySelection() {
        for case let stream? in context.streams {
            let index = Int(stream.pointee.index)
            let isSelected =
                (selection.contains(index) || captionStreams.contains(index)
                    || metadata.streams.contains(index)) && !stream.isAttachedPicture
            stream.pointee.discard = isSelected ? AVDISCARD_DEFAULT : AVDISCARD_ALL
        }
    }

    func readPacket() throws(MediaError) -> MediaPacket? {
        selectMetadata()
        guard let packet = try nextPacket() else { return nil }
        let time =
            packet.presentationTime.isNumeric ? packet.presentationTime : packet.decodeTime
        if time.isNumeric { lastTaken = max(lastTaken ?? time, time) }
        return packet
    }

    private func nextPacket() throws(MediaError) -> MediaPacket? {
        try catchUp()
        if let captions = nextCaptions() { return captions }
        while pendingIndex < pending.count {
            pendingIndex += 1
            let packet = pending[pendingIndex - 1]
            if takesMetadata(in: packet) { continue }
            if selection.contains(packet.trackID) { return packet }
        }
        pending.removeAll(keepingCapacity: true)
        pendingIndex = 0
        interrupt.begin()
        if let error = openingError {
            openingError = nil
            throw error
        }
        while let packet = try readFromContainer(maySwitch: true) {
            if !takesMetadata(in: packet) { return packet }
        }
        return nil
    }

    /// Reads the next packet from the container.
    ///
    /// - Parameter maySwitch: A Boolean value that indicates whether another variant may take over.
    ///   Such a switch discards pending packets.
    func readFromContainer(
        maySwitch: Bool = false
    ) throws(MediaError) -> MediaPacket? {
        let subject = source.description
        var errors = 0
        while true {
            guard let box = PacketBox() else {
                throw FFmpegError.outOfMemory.whileReading(subject, interrupt: interrupt)
            }
            let bytesBefore = context.arriving?.byteTotal
            let result = context.read(into: box.pointer)
            // A packet of RTP need not contain the rest of a frame.
            if result == .again, context.isSession { continue }
            if result.rawValue >= 0 {
                palettes.complete(box.pointer)
                guard Int(box.pointer.pointee.size) <= options.limits.packetBytes else {
                    throw MediaError(
                        .limitExceeded, subject: subject,
                        cause: "a packet of \(box.pointer.pointee.size) bytes exceeds the limit of "
                            + "\(options.limits.packetBytes)",
                        remedy: "raise the limit if you trust the file")
                }
                guard let packet = packet(from: box) else { continue }
                if captionStreams.contains(packet.trackID) {
                    captionHosts[packet.trackID]?.take(packet, box)
                    guard selection.contains(packet.trackID) else {
                        if let captions = nextCaptions() { return captions }
                        continue
                    }
                }
                if maySwitch, try goesOnElsewhere(before: packet) { return try nextPacket() }
                hasReadAny = true
                ends[packet.trackID] = packet.end
                noteKeyframe(packet)
                noteTransfer(of: packet)
                noteGrowth(packet)
                // Other packets were read earlier, when the source was opened.
                if context.arriving?.byteTotal != bytesBefore { noteArrival(of: packet) }
                return packet
            }
            if let failure = context.failure { throw failure }
            if !hasReadAny, let failure = context.childFailure { throw failure }
            // FFmpeg reports the end of a live stream if a wait for its next segment was ended, and
            // that of a file if its last read was cancelled.
            if interrupt.stopsWaiting || interrupt.isCancelled {
                throw FFmpegError.interrupted.whileReading(subject, interrupt: interrupt)
            }
            if result == .endOfFile, isLive, try entersNextPeriod() { continue }
            if result != .outOfMemory, let failure = liveFailure { throw failure }
            if result == .endOfFile {
                if let failure = context.endOfSession() { throw failure }
                if !isLive, try entersNextPeriod() { continue }
                if try entersNextPart() { continue }
                noteEndOfGrowth()
                for stream in captionHosts.keys { captionHosts[stream]?.finish() }
                return nextCaptions()
            }
            if result == .interrupted || result == .outOfMemory {
                throw result.whileReading(subject, interrupt: interrupt)
            }
            if !hasReadAny, context.needsToGoBack {
                throw MediaError(
                    .cannotOpen, subject: subject,
                    cause: "its index is at the end of the file, but a pipe, or a server without "
                        + "range requests, can be read only from start to end",
                    remedy: "save the input to a file, or write the index at the start "
                        + "(faststart)")
            }
            // A truncated file plays up to its end, if anything could be read.
            if let input = context.pointer.pointee.pb, input.pointee.eof_reached != 0 {
                if hasReadAny { return nil }
                throw MediaError(
                    .damaged, subject: subject,
                    cause: "the file is incomplete: it ends before the first frame or audio sample",
                    remedy: "copy or download it again")
            }
            errors += 1
            if errors == Self.maximumReadErrors {
                throw result.whileReading(subject, interrupt: interrupt)
            }
        }
    }

    /// Converts a packet; returns nil if the track of the packet is not selected.
    func packet(from box: PacketBox) -> MediaPacket? {
        let values = box.pointer.pointee
        let index = Int(values.stream_index)
        // In formats without a header, further streams may be found while reading.
        guard
            selection.contains(index) || captionStreams.contains(index)
                || metadata.streams.contains(index),
            index < streamCount, let stream = context.stream(index), !stream.isAttachedPicture,
            !isBehindImage(values), !isBehindFrames(values, of: stream)
        else { return nil }
        let base = timeBases[index]
        if !hasMoved { x264Builds.examine(values, of: stream.pointee.codecpar) }
        // An image has the duration of its track. The time base may be unable to represent it.
        if description.holdsOneImage { box.pointer.pointee.duration = 0 }
        // FFmpeg states the duration in the time base that it announced.
        if description.container == "dirac" { box.pointer.pointee.duration = 1 }
        let arrival = context.camera?.arrivalTime ?? HostClock.shared.time
        if let ticks = arrivals?.time(ofArrivalAt: arrival).timestamp(in: base) {
            if let start = arrivals?.start { arrivalMonitor?.note(origin: start) }
            (box.pointer.pointee.pts, box.pointer.pointee.dts) = (ticks, ticks)
            box.pointer.pointee.duration = 0
        } else {
            av_packet_rescale_ts(box.pointer, stream.pointee.time_base, base)
            if let delay = delays[index] { Self.advance(box, by: delay) }
        }
        let packet = counted(continued(packet(from: box, index, base), in: base), in: box)
        if values.duration <= 0, description.tracks[index].mediaType == .subtitle {
            box.trackEnd =
                MediaTime(duration: stream.pointee.duration, timeBase: stream.pointee.time_base)
                - description.timestampOffset
        }
        placeMessages(at: packet, values, stream.pointee.time_base)
        guard isInPeriod(packet, in: box) else { return nil }
        noteStart(packet, in: box)
        return admits(packet) ? packet : nil
    }

    /// Corrects the times of a packet to which the container's index assigns an earlier time, and
    /// the times of the packets after it.
    func corrected(_ packet: MediaPacket, by delay: Int64) -> MediaPacket {
        guard let box = packet.payload as? PacketBox else { return packet }
        delays[packet.trackID] = delay
        Self.advance(box, by: delay)
        return self.packet(from: box, packet.trackID, timeBases[packet.trackID])
    }

    private static func advance(_ box: PacketBox, by delay: Int64) {
        for stamp in [\AVPacket.pts, \AVPacket.dts] {
            let value = box.pointer.pointee[keyPath: stamp]
            if value != ph_AV_NOPTS_VALUE() { box.pointer.pointee[keyPath: stamp] = value - delay }
        }
    }

    private func packet(from box: PacketBox, _ index: Int, _ base: AVRational) -> MediaPacket {
        let values = box.pointer.pointee
        let offset = description.timestampOffset
        return MediaPacket(
            trackID: index,
            presentationTime: MediaTime(values.pts, timeBase: base) - offset,
            decodeTime: MediaTime(values.dts, timeBase: base) - offset,
            duration: description.holdsOneImage
                ? description.duration : MediaTime(duration: values.duration, timeBase: base),
            isKeyframe: isKeyframe(box, index), byteCount: Int(values.size), payload: box)
    }

    /// Returns whether the container marks a packet as a keyframe and the packet's header does not
    /// contradict the mark.
    private func isKeyframe(_ box: PacketBox, _ index: Int) -> Bool {
        guard box.pointer.pointee.flags & AV_PKT_FLAG_KEY != 0 else { return false }
        guard let codec = context.stream(index)?.pointee.codecpar,
            codec.pointee.codec_type == AVMEDIA_TYPE_VIDEO
        else { return true }
        switch EntryPoint(box.pointer.pointee, of: codec.pointee) {
        case .clean: return true
        case .dependent: return false
        case .undetermined: return !EntryPoint.isMarkedAtRandom(codec.pointee)
        }
    }

    /// Returns the packet with a time that continues the times read since the last seek. Decoders
    /// use the times in FFmpeg's packet, so these are changed too.
    func continued(_ packet: MediaPacket, in base: AVRational) -> MediaPacket {
        let type = description.tracks[packet.trackID].mediaType
        guard let box = packet.payload as? PacketBox,
            let offset = continuity?.offset(
                of: packet, isContinuous: type == .video || type == .audio,
                joint: {
                    // A joint between keyframes alone is not near them.
                    context.reading.isOfKeyframes ? nil : live.segments?.discontinuity(near: $0)
                }),
            offset != .zero,
            let ticks = (offset + MediaTime(1, timeBase: base) * 0.5).timestamp(in: base)
        else { return packet }
        for stamp in [\AVPacket.pts, \AVPacket.dts] {
            let value = box.pointer.pointee[keyPath: stamp]
            guard value != ph_AV_NOPTS_VALUE() else { continue }
            let (moved, isTooFar) = value.addingReportingOverflow(ticks)
            box.pointer.pointee[keyPath: stamp] = isTooFar ? ph_AV_NOPTS_VALUE() : moved
        }
        return self.packet(from: box, packet.trackID, base)
    }

    /// Queues the covers among the selected tracks before all other packets, because covers are in
    /// the container's header and have no time.
    func queueAttachedPictures() {
        for track in description.tracks where track.isAttachedPicture {
            guard selection.contains(track.id), let stream = context.stream(track.id),
                !queuedPictures.contains(track.id), let box = PacketBox(),
                stream.pointee.attached_pic.size > 0,
                av_packet_ref(box.pointer, &stream.pointee.attached_pic) >= 0
            else { continue }
            queuedPictures.insert(track.id)
            pending.insert(
                MediaPacket(
                    trackID: track.id, presentationTime: description.startTime,
                    decodeTime: description.startTime, duration: .invalid, isKeyframe: true,
                    byteCount: Int(box.pointer.pointee.size), payload: box), at: 0)
        }
    }

    func sampleParameters(of track: AssetTrack) -> (any AnyObject & Sendable)? {
        guard !track.isEncrypted, track.id < streamCount, let stream = context.stream(track.id)
        else { return nil }
        return CodecParameters(copying: stream.pointee.codecpar)
    }

    // MARK: - Decoders

    func makeVideoDecoder(
        for track: AssetTrack, pool: (any PixelBufferPool)?
    ) throws(MediaError) -> any VideoDecoder {
        precondition(track.mediaType == .video, "track \(track.id) is \(track.mediaType)")
        try requireStream(of: track)
        return try FFmpegVideoDecoder(
            StreamParameters(
                track, of: context, description, source.description,
                timeBase: timeBases[track.id], x264Build: x264Builds[track.id]),
            options: options, pool: pool)
    }

    func makeAudioDecoder(
        for track: AssetTrack, format: AudioFormat
    ) throws(MediaError) -> any AudioDecoder {
        precondition(track.mediaType == .audio, "track \(track.id) is \(track.mediaType)")
        try requireStream(of: track)
        try requirePackets(of: track)
        return try FFmpegAudioDecoder(
            StreamParameters(
                track, of: context, description, source.description,
                timeBase: timeBases[track.id]), format: format)
    }

    /// Checks that the open period of a presentation has a track.
    private func requireStream(of track: AssetTrack) throws(MediaError) {
        guard context.presentation != nil, context.stream(track.id) == nil else { return }
        throw MediaError(
            .noPlayableTracks, subject: source.description,
            cause: "its \(track.mediaType) track \(track.id) is not in the current period",
            remedy: "choose it in another period")
    }
}
