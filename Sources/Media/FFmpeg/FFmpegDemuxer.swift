// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import PlayheadAssets
import PlayheadBuffers
import PlayheadTime

/// A demuxer over libavformat.
///
/// - Concurrency: one thread at a time, as `Demuxer` says.
/// - Corresponds to: `AVFormatContext`.
final class FFmpegDemuxer: Demuxer, @unchecked Sendable {
    // Unchecked: mutable state is touched by the one thread that the protocol allows at a time.

    private(set) var description: AssetDescription
    var transfer: TransferMonitor? { monitor }
    var limits: MediaLimits { options.limits }
    private let monitor = TransferMonitor()
    let source: AssetSource
    private(set) var options: AssetOptions
    let interrupt: Interrupt

    /// Replaced when a container that cannot seek is opened anew, and by another variant.
    private(set) var context: FormatContext
    private var choice: VariantChoice
    /// While the packets of a new variant have not yet taken the place of those before everywhere.
    private var junction: VariantJunction?
    /// Tracks whose decoders have yet to be told of another header.
    private var changed: Set<Int> = []
    /// Where the packets of each track have got to.
    private var ends: [Int: MediaTime] = [:]
    /// Only where the format says that its timestamps may begin anew; others mean what they say.
    private var continuity: TimestampContinuity?
    /// Of the streams that there were when the asset was opened, which decoders go by.
    private let timeBases: [AVRational]
    private var palettes = Palettes()
    private var hasReadAny = false
    private var selection: Set<Int> = []
    /// Packets read ahead to find where a seek has landed, and cover pictures, in order.
    private var pending: [MediaPacket] = []
    private var pendingIndex = 0
    /// Tracks whose cover picture has been among them since the last seek: it comes once.
    private var queuedPictures: Set<Int> = []

    /// How many damaged stretches in a row are skipped before reading gives up. FFmpeg's demuxers
    /// resynchronise within one or two; one that does not advance must not be asked for ever.
    private static let maximumReadErrors = 16

    init(
        _ source: AssetSource, options: AssetOptions, interrupt: Interrupt
    ) throws(MediaError) {
        self.source = source
        self.options = options
        self.interrupt = interrupt
        context = try FormatContext(
            source, options: options, interrupt: interrupt, transfer: monitor)
        description = AssetDescription(context)
        timeBases = context.streams.map { $0?.pointee.time_base ?? microseconds }
        let flags = context.pointer.pointee.iformat.pointee.flags
        continuity = flags & AVFMT_TS_DISCONT != 0 ? TimestampContinuity() : nil
        let variants = context.variants
        choice = VariantChoice(
            variants.all, current: variants.current, preference: options.variants)
        var playable: Set<MediaType> = [.video, .audio]
        if options.allowsSubtitlesOnly { playable.insert(.subtitle) }
        guard description.tracks.contains(where: { playable.contains($0.mediaType) }) else {
            if description.tracks.isEmpty, let failure = context.childFailure { throw failure }
            throw MediaError(
                .noPlayableTracks, subject: source.description,
                cause: "it has no picture and no sound",
                remedy: "open a file that has, and this one with it if it holds subtitles")
        }
        selectTracks(Set(description.tracks.map(\.id)))
    }

    /// Replaces estimated ends of tracks by measured ones, before anything is read.
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
        applySelection()
        pending.removeSubrange(..<pendingIndex)
        pendingIndex = 0
        pending.removeAll { !identifiers.contains($0.trackID) }
        queuedPictures.formIntersection(identifiers)
        queueAttachedPictures()
    }

    private func applySelection() {
        for case let stream? in context.streams {
            let isSelected =
                selection.contains(Int(stream.pointee.index)) && !stream.isAttachedPicture
            stream.pointee.discard = isSelected ? AVDISCARD_DEFAULT : AVDISCARD_ALL
        }
    }

    func readPacket() throws(MediaError) -> MediaPacket? {
        if pendingIndex < pending.count {
            pendingIndex += 1
            return pending[pendingIndex - 1]
        }
        pending.removeAll(keepingCapacity: true)
        pendingIndex = 0
        interrupt.begin()
        return try readFromContainer(maySwitch: true)
    }

    /// - Parameter maySwitch: whether another variant may take over, which drops what is pending.
    private func readFromContainer(
        maySwitch: Bool = false
    ) throws(MediaError) -> MediaPacket? {
        let subject = source.description
        var errors = 0
        while true {
            guard let box = PacketBox() else {
                throw FFmpegError.outOfMemory.whileReading(subject, interrupt: interrupt)
            }
            let result = FFmpegError(av_read_frame(context.pointer, box.pointer))
            if result.rawValue >= 0 {
                palettes.complete(box.pointer)
                guard Int(box.pointer.pointee.size) <= options.limits.packetBytes else {
                    throw MediaError(
                        .limitExceeded, subject: subject,
                        cause: "a packet of \(box.pointer.pointee.size) bytes passes the limit of "
                            + "\(options.limits.packetBytes)",
                        remedy: "raise the limit if the file is to be trusted")
                }
                guard let packet = packet(from: box) else { continue }
                if maySwitch, try goesOnElsewhere(before: packet) { return try readPacket() }
                hasReadAny = true
                ends[packet.trackID] = packet.end
                return packet
            }
            if let failure = context.failure { throw failure }
            if !hasReadAny, let failure = context.childFailure { throw failure }
            if result == .endOfFile { return nil }
            if result == .interrupted || result == .outOfMemory || interrupt.isCancelled {
                throw result.whileReading(subject, interrupt: interrupt)
            }
            if !hasReadAny, context.needsToGoBack {
                throw MediaError(
                    .cannotOpen, subject: subject,
                    cause: "its index lies behind its pictures and sound, and what comes through a "
                        + "pipe, or from a server that gives no parts, is read once",
                    remedy: "save it to a file, or write it with its index in front (faststart)")
            }
            // A file that was cut off plays up to there, if there is anything before it.
            if let input = context.pointer.pointee.pb, input.pointee.eof_reached != 0 {
                if hasReadAny { return nil }
                throw MediaError(
                    .damaged, subject: subject,
                    cause: "the file is incomplete: it ends before its first picture or sound",
                    remedy: "copy or download it again")
            }
            errors += 1
            if errors == Self.maximumReadErrors {
                throw result.whileReading(subject, interrupt: interrupt)
            }
        }
    }

    /// The packet as ours; nil for one that nobody selected.
    private func packet(from box: PacketBox) -> MediaPacket? {
        let values = box.pointer.pointee
        let index = Int(values.stream_index)
        // Formats without a header may find further streams while reading.
        guard selection.contains(index), index < description.tracks.count,
            let stream = context.streams[index], !stream.isAttachedPicture
        else { return nil }
        let base = timeBases[index]
        av_packet_rescale_ts(box.pointer, stream.pointee.time_base, base)
        let packet = continued(packet(from: box, index, base), in: base)
        return admits(packet) ? packet : nil
    }

    private func packet(from box: PacketBox, _ index: Int, _ base: AVRational) -> MediaPacket {
        let values = box.pointer.pointee
        let offset = description.timestampOffset
        return MediaPacket(
            trackID: index,
            presentationTime: MediaTime(values.pts, timeBase: base) - offset,
            decodeTime: MediaTime(values.dts, timeBase: base) - offset,
            duration: MediaTime(duration: values.duration, timeBase: base),
            isKeyframe: values.flags & AV_PKT_FLAG_KEY != 0, byteCount: Int(values.size),
            payload: box)
    }

    /// The packet at the time at which it goes on what has been read since the last seek. Decoders go by
    /// the times in FFmpeg's packet, so those are changed.
    private func continued(_ packet: MediaPacket, in base: AVRational) -> MediaPacket {
        let type = description.tracks[packet.trackID].mediaType
        guard let box = packet.payload as? PacketBox,
            let offset = continuity?.offset(
                of: packet, isContinuous: type == .video || type == .audio),
            offset != .zero, let ticks = offset.timestamp(in: base)
        else { return packet }
        for stamp in [\AVPacket.pts, \AVPacket.dts] {
            let value = box.pointer.pointee[keyPath: stamp]
            guard value != ph_AV_NOPTS_VALUE() else { continue }
            let (moved, isTooFar) = value.addingReportingOverflow(ticks)
            box.pointer.pointee[keyPath: stamp] = isTooFar ? ph_AV_NOPTS_VALUE() : moved
        }
        return self.packet(from: box, packet.trackID, base)
    }

    // MARK: - Variants

    func prefer(_ variants: VariantPreference) {
        choice.preference = variants
        options.variants = variants
    }

    /// Switches to another variant, if it is time for that, at the keyframe that has just been read: it
    /// then comes again.
    private func goesOnElsewhere(before packet: MediaPacket) throws(MediaError) -> Bool {
        // Where its times are not the container's own, its place in another variant cannot be sought.
        let canBeSought = continuity?.isMoving != true || !description.duration.isNumeric
        guard choice.isChoice, canBeSought, packet.isKeyframe, packet.presentationTime.isNumeric,
            let leading = leadingStream.map({ Int($0.pointee.index) }), packet.trackID == leading,
            let variant = choice.next(after: monitor.statistics, isRemote: context.isRemote)
        else { return false }
        do {
            let next = try open(variant)
            guard next.variants.current == variant, hasSameTracks(as: next) else {
                choice.drop(variant)
                return false
            }
            context = next
        } catch {
            if interrupt.isCancelled { throw error }
            choice.drop(variant)
            return false
        }
        choice.take(variant)
        applySelection()
        var starts = ends
        for track in selection { starts[track] = ends[track] ?? packet.presentationTime }
        starts[leading] = packet.presentationTime
        continuity?.forgetPlaces()
        // Live streams go on from where they begin, which is before the newest part.
        if description.duration.isNumeric { _ = try land(at: packet.presentationTime) }
        changed = selection
        junction = VariantJunction(starts: starts, leading: leading)
        pending = pending[pendingIndex...].filter { admits($0) }
        pendingIndex = 0
        return true
    }

    /// Opens the container once more, of several variants this one, and from a place if it can be moved
    /// no other way.
    private func open(
        _ variant: VariantChoice.Variant?, from start: MediaTime = .zero
    ) throws(MediaError) -> FormatContext {
        defer { interrupt.begin() }
        var options = options
        if let variant {
            options.variants = VariantPreference(
                peakBitRate: variant.bandwidth, followsThroughput: false)
        }
        return try FormatContext(
            source, options: options, interrupt: interrupt, transfer: monitor, from: start)
    }

    /// Whether a packet is to be read on, where one variant takes the place of another.
    private func admits(_ packet: MediaPacket) -> Bool {
        guard let box = packet.payload as? PacketBox else { return true }
        switch junction?.use(packet) {
        case .dropped: return false
        case .decodedOnly: box.pointer.pointee.flags |= AV_PKT_FLAG_DISCARD
        case .used, nil: break
        }
        if changed.remove(packet.trackID) != nil {
            announce(context.streams[packet.trackID]?.pointee.codecpar, in: box)
        }
        return true
    }

    /// Gives a decoder the header of another variant, which parts in MP4 do not carry.
    private func announce(_ codec: UnsafePointer<AVCodecParameters>?, in box: PacketBox) {
        guard let codec, let header = codec.pointee.extradata, codec.pointee.extradata_size > 0,
            let data = av_packet_new_side_data(
                box.pointer, AV_PKT_DATA_NEW_EXTRADATA, Int(codec.pointee.extradata_size))
        else { return }
        data.update(from: header, count: Int(codec.pointee.extradata_size))
    }

    /// Whether decoders for what is read now do for another variant.
    private func hasSameTracks(as other: FormatContext) -> Bool {
        context.streams.count == other.streams.count
            && zip(context.streams, other.streams).allSatisfy { ours, theirs in
                guard let ours = ours?.pointee.codecpar, let theirs = theirs?.pointee.codecpar
                else { return false }
                return ours.pointee.codec_id == theirs.pointee.codec_id
                    && ours.pointee.codec_type == theirs.pointee.codec_type
            }
    }

    /// Puts the cover pictures among the selected tracks before everything else: the container has
    /// them as part of its header, not at a place in time.
    private func queueAttachedPictures() {
        for track in description.tracks where track.isAttachedPicture {
            guard selection.contains(track.id), let stream = context.streams[track.id],
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

    // MARK: - Seeking

    /// How far a seek that landed late goes back before it tries again; doubled each time.
    private static let firstStepBack = MediaTime(value: 1, timescale: 2)
    /// Packets that are read ahead at most to see where a seek has landed; their bytes are limited
    /// by `MediaLimits`.
    private static let maximumReadAhead = 4096

    /// Beyond any film, and not so far that it does not fit in a container's units.
    private static let furthestTime = MediaTime(value: Int64(Int32.max), timescale: 1)

    func seek(to time: MediaTime) throws(MediaError) { _ = try land(at: time) }

    func seek(
        to time: MediaTime, notBefore earliest: MediaTime, notAfter latest: MediaTime
    ) throws(MediaError) -> Bool {
        guard let landed = try land(at: time), landed < earliest, latest > time,
            let keyframe = pending.last
        else { return false }
        let decodeTime =
            keyframe.decodeTime.isNumeric ? keyframe.decodeTime : landed
        // An index holds decoding times in some containers, presentation times in others: by the
        // latter, the first entry found may be the keyframe itself. Containers are searched by
        // presentation time.
        for number in [0, 1] as [Int32] {
            guard let next = indexedKeyframe(number, after: decodeTime), next <= latest else {
                break
            }
            guard try moveContainer(to: next + (landed - decodeTime)),
                case .keyframe(let ahead) = try readAheadToKeyframe()
            else { break }
            guard ahead > time else { continue }
            guard ahead <= latest else { break }
            queueAttachedPictures()
            return true
        }
        _ = try land(at: time)
        return false
    }

    /// The time by which the container's index knows a keyframe after another; nil without an index,
    /// and after the last.
    private func indexedKeyframe(_ number: Int32, after time: MediaTime) -> MediaTime? {
        guard let stream = leadingStream else { return nil }
        let base = stream.pointee.time_base
        guard let timestamp = (time + description.timestampOffset).timestamp(in: base) else {
            return nil
        }
        var index = av_index_search_timestamp(stream, timestamp + 1, 0)
        for _ in 0..<number where index >= 0 {
            guard let entry = avformat_index_get_entry(stream, index) else { return nil }
            index = av_index_search_timestamp(stream, entry.pointee.timestamp + 1, 0)
        }
        guard index >= 0, let entry = avformat_index_get_entry(stream, index) else { return nil }
        return MediaTime(entry.pointee.timestamp, timeBase: base) - description.timestampOffset
    }

    func keyframeIndex(of track: AssetTrack) -> KeyframeIndex {
        guard let stream = context.streams[track.id] else { return KeyframeIndex() }
        let base = stream.pointee.time_base
        var index = KeyframeIndex()
        for number in 0..<avformat_index_get_entries_count(stream) {
            guard let entry = avformat_index_get_entry(stream, number) else { break }
            let isKeyframe = entry.pointee.flags & AVINDEX_KEYFRAME != 0
            guard isKeyframe || number == avformat_index_get_entries_count(stream) - 1 else {
                continue
            }
            let time = MediaTime(entry.pointee.timestamp, timeBase: base)
            guard time.isNumeric else { return KeyframeIndex() }
            index.end = time - description.timestampOffset
            if isKeyframe { index.times.append(index.end) }
        }
        return index
    }

    /// Moves to the last keyframe at or before a time, and gives its own time: nil where it is not
    /// known, or where there is nothing.
    private func land(at time: MediaTime) throws(MediaError) -> MediaTime? {
        precondition(time.isNumeric || time.isNegativeInfinity, "seek to \(time): not a time")
        interrupt.begin()
        let wanted = time.isNumeric ? min(time, Self.furthestTime) : description.startTime
        let target = max(wanted, description.startTime)
        try readPalettes()
        var aim = target
        var step = Self.firstStepBack
        // 1. Go to the aim. 2. Read on to the first packet that can be decoded by itself. 3. If it
        // lies behind the target, or there is none, aim earlier: containers are searched by decoding
        // time or by position, which is not always where the picture is shown. 4. At the start, take
        // what comes.
        while aim > description.startTime {
            guard try moveContainer(to: aim) else { break }
            if case .keyframe(let landed) = try readAheadToKeyframe(), landed <= target {
                queueAttachedPictures()
                return landed
            }
            aim -= step
            step += step
        }
        try rewind()
        let landing = try readAheadToKeyframe()
        queueAttachedPictures()
        if case .keyframe(let landed) = landing { return landed }
        return nil
    }

    /// Reads up to the first packets of the tracks whose pictures are indices into palettes: these
    /// bring them, and packets after a seek do not.
    private func readPalettes() throws(MediaError) {
        let tracks = description.tracks(of: .video).filter {
            selection.contains($0.id) && !$0.isAttachedPicture
                && context.streams[$0.id]?.pointee.codecpar.pointee.format
                    == AV_PIX_FMT_PAL8.rawValue
        }
        var (count, bytes) = (0, 0)
        while !tracks.allSatisfy({ palettes.isKnown($0.id) }), count < Self.maximumReadAhead,
            bytes < options.limits.readAheadBytes, let packet = try readFromContainer()
        {
            count += 1
            bytes += packet.byteCount
        }
    }

    /// The stream whose keyframes decide: the film, else the sound.
    private var leadingStream: UnsafeMutablePointer<AVStream>? {
        let tracks = description.tracks.filter {
            selection.contains($0.id) && !$0.isAttachedPicture
        }
        let leading =
            tracks.first { $0.mediaType == .video } ?? tracks.first { $0.mediaType == .audio }
            ?? tracks.first { $0.mediaType == .subtitle }
        return leading.flatMap { context.streams[$0.id] }
    }

    private func moveContainer(to time: MediaTime) throws(MediaError) -> Bool {
        clearPending()
        if context.isMovedByOpening {
            try reopen(from: time - description.startTime)
            return true
        }
        let fileTime = time + description.timestampOffset
        if let stream = leadingStream, let target = fileTime.timestamp(in: stream.pointee.time_base)
        {
            return avformat_seek_file(
                context.pointer, stream.pointee.index, .min, target, target, 0) >= 0
        }
        guard let target = fileTime.timestamp(in: microseconds) else { return false }
        return avformat_seek_file(context.pointer, -1, .min, target, target, 0) >= 0
    }

    /// Goes to the first packet: by position where the format is a stream of packets that says
    /// where it begins nowhere, else by time, else by opening the container anew.
    private func rewind() throws(MediaError) {
        clearPending()
        guard !context.isMovedByOpening else { return try reopen() }
        let pointer = context.pointer
        let flags = pointer.pointee.iformat.pointee.flags
        if flags & AVFMT_NO_BYTE_SEEK == 0, flags & AVFMT_TS_DISCONT != 0,
            avformat_seek_file(pointer, -1, 0, 0, 0, AVSEEK_FLAG_BYTE) >= 0
        {
            return
        }
        let start = description.startTime + description.timestampOffset
        if let stream = leadingStream,
            let target = start.timestamp(in: stream.pointee.time_base),
            avformat_seek_file(pointer, stream.pointee.index, .min, target, target, 0) >= 0
        {
            return
        }
        try reopen()
    }

    private func reopen(from start: MediaTime = .zero) throws(MediaError) {
        let reopened = try open(choice.current, from: start)
        guard reopened.streams.count >= description.tracks.count else {
            throw MediaError(
                .damaged, subject: source.description,
                cause: "its tracks have changed since it was opened", remedy: "open it again")
        }
        context = reopened
        applySelection()
    }

    /// Where reading stands after a seek.
    private enum Landing {
        /// Before a keyframe that is shown at this time.
        case keyframe(MediaTime)
        /// Before one whose time is not known, or too far from any to tell.
        case unknown
        /// There is nothing more.
        case end
    }

    /// Reads up to the first keyframe of the leading stream and keeps what was read, without the
    /// pictures before it that cannot be decoded.
    private func readAheadToKeyframe() throws(MediaError) -> Landing {
        guard let leading = leadingStream.map({ Int($0.pointee.index) }) else { return .unknown }
        var bytes = 0
        while pending.count < Self.maximumReadAhead, bytes < options.limits.readAheadBytes {
            guard let packet = try readFromContainer() else { return .end }
            guard packet.trackID == leading else {
                pending.append(packet)
                bytes += packet.byteCount
                continue
            }
            if packet.isKeyframe {
                pending.append(packet)
                let isShown = packet.presentationTime.isNumeric
                let time = isShown ? packet.presentationTime : packet.decodeTime
                return time.isNumeric ? .keyframe(time) : .unknown
            }
        }
        return .unknown
    }

    private func clearPending() {
        pending.removeAll(keepingCapacity: true)
        pendingIndex = 0
        queuedPictures.removeAll()
        junction = nil
        ends = [:]
        palettes.restart()
        // Containers are searched by their own timestamps: times are theirs again up to the next joint.
        if continuity != nil { continuity = TimestampContinuity() }
    }

    // MARK: - Decoders

    func makeVideoDecoder(
        for track: AssetTrack, pool: (any PixelBufferPool)?
    ) throws(MediaError) -> any VideoDecoder {
        precondition(track.mediaType == .video, "track \(track.id) is \(track.mediaType)")
        return try FFmpegVideoDecoder(
            StreamParameters(track, of: context, description, source.description),
            options: options, pool: pool)
    }

    func makeAudioDecoder(
        for track: AssetTrack, format: AudioFormat
    ) throws(MediaError) -> any AudioDecoder {
        precondition(track.mediaType == .audio, "track \(track.id) is \(track.mediaType)")
        return try FFmpegAudioDecoder(
            StreamParameters(track, of: context, description, source.description), format: format)
    }
}
