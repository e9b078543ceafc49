// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import PlayheadAssets
import PlayheadTime

/// Seeking.
extension FFmpegDemuxer {
    /// The first step back after a seek that landed too late. The step is doubled for each further
    /// attempt.
    private static let firstStepBack = MediaTime(value: 1, timescale: 2)
    /// The step back from a keyframe if decoding cannot begin at it.
    private static let nearestStepBack = MediaTime(value: 1, timescale: 1000)
    /// The maximum number of packets that are read ahead to find the position after a seek.
    /// `MediaLimits` limits their total size.
    private static let maximumReadAhead = 4096
    /// The number of packets at the start whose times are examined.
    private static let timedPackets = 3

    /// A time that is later than any media, but fits into a container's units.
    private static let furthestTime = MediaTime(value: Int64(Int32.max), timescale: 1)

    func seek(to time: MediaTime) throws(MediaError) {
        metadata.forgetMessages()
        _ = try land(at: time)
    }

    func seek(
        to time: MediaTime, notBefore earliest: MediaTime, notAfter latest: MediaTime
    ) throws(MediaError) -> Bool {
        metadata.forgetMessages()
        guard let landed = try land(at: time), landed < earliest, latest > time,
            live.segments == nil, context.arriving == nil, !decodesFromStart,
            let leading = leadingStream.map({ Int($0.pointee.index) }),
            description.tracks[leading].mediaType != .audio,
            let keyframe = pending.first(where: { $0.trackID == leading })
        else { return false }
        let decodeTime =
            keyframe.decodeTime.isNumeric ? keyframe.decodeTime : landed
        // Some containers index decode times, others presentation times. If presentation times are
        // indexed, the first entry may be the keyframe itself. Containers are searched by
        // presentation time.
        for number in [0, 1] as [Int32] {
            guard let next = indexedKeyframe(number, after: decodeTime), next <= latest else {
                break
            }
            guard try moveContainer(to: next + (landed - decodeTime)),
                case .keyframe(let ahead) = try readAheadToKeyframe()
            else { break }
            guard ahead > time else { continue }
            guard ahead <= latest, try entryTime(notAfter: latest) != nil else { break }
            try addPreroll(before: ahead)
            queueAttachedPictures()
            return true
        }
        _ = try land(at: time)
        return false
    }

    /// Returns the time of a keyframe that follows `time` in the container's index: the first one
    /// if `number` is 0, the second one if it is 1. Returns nil if there is no index or no such
    /// keyframe.
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
        guard track.id < streamCount, let stream = context.stream(track.id) else {
            return KeyframeIndex()
        }
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

    /// Moves to the last keyframe at or before a time, and returns the time of the keyframe.
    /// Returns nil if that time is unknown or there is no keyframe.
    ///
    /// - Parameter prerolls: A Boolean value that indicates whether audio decoders need the packets
    ///   before the keyframe.
    func land(
        at time: MediaTime, prerolls: Bool = true
    ) throws(MediaError) -> MediaTime? {
        precondition(time.isNumeric || time.isNegativeInfinity, "seek to \(time): not a time")
        interrupt.begin()
        let wanted = time.isNumeric ? min(time, Self.furthestTime) : description.startTime
        if isReadOnce {
            let landed = try readOn(to: max(wanted, description.startTime))
            queueAttachedPictures()
            return landed
        }
        if let source = context.arriving {
            // A live source has only the present. After a failure, reads fail until they are
            // permitted again.
            if !source.isConnected || context.failure != nil { return try resumeArriving() }
            clearPending()
            if case .keyframe(let time) = try readAheadToKeyframe() { return time }
            return nil
        }
        if isLive { return try landAtSegment(of: time) }
        try learnStarts()
        try readPalettes()
        let isAudio =
            prerolls
            && leadingStream?.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_AUDIO
        let target = max(isAudio ? wanted - audioPreroll : wanted, description.startTime)
        if live.segments != nil { return try landAtSegment(of: target) }
        var aim = target
        var step = Self.firstStepBack
        // 1. Move to the aim. 2. Read up to a keyframe. 3. Aim earlier if there is no keyframe, if
        //    its frame is incomplete, or if its frame is shown after the target. The last case
        //    occurs because containers are searched by decoding time or by position, and frames are
        //    shown in another order. 4. At the start, take every packet.
        while aim > description.startTime, try !guessesPositions() {
            guard try moveContainer(to: aim) else { break }
            var landed = MediaTime.positiveInfinity
            if case .keyframe(let time) = try readAheadToKeyframe() {
                landed = time
                if landed <= target, let entry = try entryTime(notAfter: target) {
                    if prerolls { try addPreroll(before: target) }
                    markEntry()
                    queueAttachedPictures()
                    return entry
                }
            }
            aim = min(aim - step, landed - Self.nearestStepBack)
            step += step
        }
        let landed = try landAtStart()
        queueAttachedPictures()
        return landed
    }

    var isReadOnce: Bool { source.isReadOnce }

    /// Seeks in a source that can be read only once, and returns the time of the new position, if
    /// known. If no packet has been taken yet, the position stays at the beginning. After that,
    /// every seek moves to the next keyframe.
    private func readOn(to target: MediaTime) throws(MediaError) -> MediaTime? {
        guard let taken = lastTaken else {
            if let first = pending.first(where: { selection.contains($0.trackID) }) {
                return first.presentationTime
            }
            return try readAheadToFirstPacket()
        }
        guard target >= taken else {
            throw MediaError(
                .cannotOpen, subject: source.description,
                cause: "it comes through a pipe, which cannot go back to "
                    + target.clockDescription, remedy: "save the input to a file")
        }
        let kept = pending[pendingIndex...]
        clearPending()
        pending = Array(kept)
        if case .keyframe(let time) = try readAheadToKeyframe() { return time }
        return nil
    }

    /// Moves to the first packet and returns its time. Returns nil if the time is unknown or there
    /// is no packet.
    private func landAtStart() throws(MediaError) -> MediaTime? {
        let isReopened = try rewind()
        let landed = try readAheadToFirstPacket()
        guard !isReopened, try lacksPresentationTimes() else { return landed }
        // If a container has only decode times, FFmpeg derives presentation times from the packets
        // that it has probed. After a seek, it derives different times.
        clearPending()
        try reopen()
        return try readAheadToFirstPacket()
    }

    /// Returns whether frames are reordered and at least one of the first packets states no
    /// presentation time.
    private func lacksPresentationTimes() throws(MediaError) -> Bool {
        guard let stream = leadingStream, stream.pointee.codecpar.pointee.video_delay > 0 else {
            return false
        }
        let leading = Int(stream.pointee.index)
        var (count, bytes) = (0, 0)
        while true {
            let times = pending.lazy.filter { $0.trackID == leading }.map(\.presentationTime)
            if times.contains(where: { !$0.isNumeric }) { return true }
            guard times.count < Self.timedPackets, count < Self.maximumReadAhead,
                bytes < options.limits.readAheadBytes, let packet = try readFromContainer()
            else { return false }
            pending.append(packet)
            count += 1
            bytes += packet.byteCount
        }
    }

    /// Marks the first packet of the leading stream as a keyframe, because decoding can begin at
    /// it.
    func markEntry() {
        guard let leading = leadingStream.map({ Int($0.pointee.index) }),
            let index = pending.firstIndex(where: { $0.trackID == leading })
        else { return }
        pending[index].isKeyframe = true
    }

    /// Reads up to the first packets of the tracks with palettes. These packets contain the
    /// palettes; the packets after a seek do not.
    private func readPalettes() throws(MediaError) {
        let tracks = description.tracks(of: .video).filter {
            selection.contains($0.id) && !$0.isAttachedPicture
                && context.stream($0.id)?.pointee.codecpar.pointee.format
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

    /// The stream whose keyframes determine the position after a seek: the video or, without video,
    /// the audio.
    var leadingStream: UnsafeMutablePointer<AVStream>? {
        let tracks = description.tracks.filter {
            selection.contains($0.id) && !$0.isAttachedPicture
        }
        let leading =
            tracks.first { $0.mediaType == .video } ?? tracks.first { $0.mediaType == .audio }
            ?? tracks.first { $0.mediaType.isLegible }
        return leading.flatMap { context.stream(captionStream(of: $0.id) ?? $0.id) }
    }

    func moveContainer(to time: MediaTime) throws(MediaError) -> Bool {
        clearPending()
        if context.isMovedByOpening {
            let isPresentation = context.presentation != nil
            try reopen(
                from: isPresentation ? time + presentationStart : time - description.startTime)
            return true
        }
        let fileTime = time + description.timestampOffset
        if let stream = leadingStream, let target = fileTime.timestamp(in: stream.pointee.time_base)
        {
            return context.move(to: target, along: stream.pointee.index)
        }
        guard let target = fileTime.timestamp(in: microseconds) else { return false }
        return context.move(to: target)
    }

    /// Moves to the first packet of every track. If the format is a stream of packets without a
    /// stated beginning, moves by position. Otherwise moves by time or, if that fails, opens the
    /// container again. Returns whether the container was opened again.
    func rewind() throws(MediaError) -> Bool {
        clearPending()
        if !context.isMovedByOpening, !decodesFromStart {
            for move in [moveToFirstByte, moveToFirstAudio, moveToFirstTime] {
                clearPending()
                if move(), try isAtStart() { return false }
            }
        }
        clearPending()
        try reopen()
        return true
    }

    private func moveToFirstByte() -> Bool {
        let flags = context.pointer.pointee.iformat.pointee.flags
        return flags & AVFMT_NO_BYTE_SEEK == 0 && flags & AVFMT_TS_DISCONT != 0
            && context.move(to: 0, notBefore: 0, flags: AVSEEK_FLAG_BYTE, isToBeginning: true)
    }

    private func moveToFirstTime() -> Bool {
        let start = description.startTime + description.timestampOffset
        guard let stream = leadingStream,
            let target = start.timestamp(in: stream.pointee.time_base)
        else { return false }
        // The first visible frame may depend on frames that an edit list hides.
        let first = avformat_index_get_entry(stream, 0)?.pointee.timestamp ?? target
        let least = min(first, target)
        return context.move(to: least, along: stream.pointee.index, isToBeginning: true)
    }

    func reopen(
        from start: MediaTime = .zero, at place: LiveReading.Place = .edge
    ) throws(MediaError) {
        let reopened = try open(choice.current, from: start, at: place)
        // A source may have come back as another one.
        let isPresentation = reopened.presentation != nil
        guard reopened.streams.count >= (isPresentation ? 1 : streamCount),
            context.arriving == nil || hasSameCodecs(as: reopened)
        else {
            throw MediaError(
                .damaged, subject: source.description,
                cause: "its tracks have changed since it was opened", remedy: "open it again")
        }
        take(reopened)
        applySelection()
        alignPeriod()
    }

    /// The position after a seek.
    enum Landing {
        /// The position is before a keyframe with this time.
        case keyframe(MediaTime)
        /// The position is before a keyframe whose time is unknown, or no keyframe was found within
        /// the limit.
        case unknown
        /// No keyframe follows before the end of the container.
        case end
    }

    /// Reads up to the first keyframe of the leading stream. The packets are kept, except for
    /// preceding frames that cannot be decoded.
    func readAheadToKeyframe() throws(MediaError) -> Landing {
        guard let leading = leadingStream.map({ Int($0.pointee.index) }) else { return .unknown }
        var bytes = 0
        while pending.count < Self.maximumReadAhead, bytes < options.limits.readAheadBytes {
            guard let packet = try readFromContainer() else { return .end }
            guard packet.trackID == leading else {
                pending.append(packet)
                bytes += packet.byteCount
                continue
            }
            if Self.isMarked(packet) {
                let packet = indexed(packet)
                pending.append(packet)
                let isShown = packet.presentationTime.isNumeric
                let time = isShown ? packet.presentationTime : packet.decodeTime
                return time.isNumeric ? .keyframe(time) : .unknown
            }
        }
        return .unknown
    }

    /// Returns whether the container marks a packet as a keyframe. Decoding verifies it.
    private static func isMarked(_ packet: MediaPacket) -> Bool {
        guard let box = packet.payload as? PacketBox else { return packet.isKeyframe }
        return box.pointer.pointee.flags & AV_PKT_FLAG_KEY != 0
    }

    /// Reads up to the first packet of the leading stream. All packets are kept, because at the
    /// start, decoding can begin with any packet.
    private func readAheadToFirstPacket() throws(MediaError) -> MediaTime? {
        guard let leading = leadingStream.map({ Int($0.pointee.index) }) else { return nil }
        func time(of packet: MediaPacket) -> MediaTime? {
            let time =
                packet.presentationTime.isNumeric ? packet.presentationTime : packet.decodeTime
            return time.isNumeric ? time : nil
        }
        if let first = pending.first(where: { $0.trackID == leading }) { return time(of: first) }
        var bytes = 0
        while pending.count < Self.maximumReadAhead, bytes < options.limits.readAheadBytes,
            let packet = try readFromContainer()
        {
            pending.append(packet)
            bytes += packet.byteCount
            if packet.trackID == leading { return time(of: packet) }
        }
        return nil
    }

    func clearPending() {
        hasMoved = true
        pending.removeAll(keepingCapacity: true)
        pendingIndex = 0
        clearCaptions()
        forgetSegmentMetadata()
        openingError = nil
        queuedPictures.removeAll()
        junction = nil
        delays = [:]
        ends = [:]
        lastKeyframe = nil
        palettes.restart()
        // A container is searched by its own timestamps, so times are again those of the file until
        // timestamps restart.
        // A source that arrives is not searched.
        if continuity != nil, context.arriving == nil { continuity = TimestampContinuity() }
    }
}
