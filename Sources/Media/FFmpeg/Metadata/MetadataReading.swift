// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import PlayheadAssets
import PlayheadTime

/// The timed metadata that a demuxer reads, and where it puts it.
///
/// - Concurrency: a value, on the demuxer's thread.
struct MetadataReading {
    /// The place for what is read; nil for a demuxer that has no client for metadata.
    var inbox: TimedMetadataInbox?
    /// A Boolean value that indicates whether metadata was wanted when this was last checked.
    var isWanted = false
    /// The streams of metadata, while they are wanted.
    var streams: Set<Int> = []
    /// The newest title of internet radio, in case it is wanted later.
    var title: [MetadataItem] = []
    /// The messages of segments whose packets have been read, until the next packet is returned.
    private(set) var placed: [SegmentPlacement.Placed] = []
    /// The newest messages of segments that were put into the inbox. Several segments may repeat a
    /// message.
    private var known: [KnownMessage] = []
    /// The number of changes of the ranges of dates that were put into the inbox.
    var dateCount = 0

    /// The maximum size of a packet of metadata, in bytes. An image in ID3 is much smaller.
    static let packetLimit = 4 << 20
    /// The maximum number of messages that are recognised, and the largest difference between the
    /// times of two that count as simultaneous. It is larger than the difference between the first
    /// frame of a segment and its first audio.
    private static let knownLimit = (
        count: 512, difference: MediaTime(value: 100, timescale: 1000)
    )
    /// The maximum number and the maximum size of the messages that wait for the next packet.
    private static let placedLimit = (
        count: TimedMetadataInbox.countLimit, bytes: TimedMetadataInbox.byteLimit
    )

    /// A message that was put into the inbox.
    private struct KnownMessage {
        let scheme: String
        let value: String
        let identifier: Int
        let start: MediaTime
        let contents: Int
    }

    mutating func add(_ messages: [SegmentPlacement.Placed]) {
        guard !messages.isEmpty else { return }
        placed += messages
        let size = placed.reduce(0) { $0 + $1.message.byteCount }
        guard placed.count > Self.placedLimit.count || size > Self.placedLimit.bytes else { return }
        placed.removeLast(messages.count)
    }

    /// Removes and returns the messages that wait, except for those that were returned before.
    mutating func takeMessages() -> [SegmentPlacement.Placed] {
        guard !placed.isEmpty else { return [] }
        defer { placed = [] }
        return placed.filter { note($0.message, at: $0.start) }
    }

    mutating func dropPlacedMessages() { placed = [] }

    /// Records a message. Returns false if it is one of the newest ones.
    ///
    /// Messages with the same scheme, value and identifier are the same (ISO/IEC 23009-1,
    /// 5.10.3.3.4), but many writers do not count. Two of them therefore count as different if both
    /// their times and their contents differ, and without an identifier (0) if either differs.
    private mutating func note(_ message: EventMessage, at start: MediaTime) -> Bool {
        let contents = message.bytes.hashValue
        let index = known.firstIndex { known in
            guard known.identifier == message.identifier, known.scheme == message.scheme,
                known.value == message.value
            else { return false }
            let isSimultaneous = (known.start - start).magnitude <= Self.knownLimit.difference
            let isEqual = known.contents == contents
            return message.identifier == 0 ? isSimultaneous && isEqual : isSimultaneous || isEqual
        }
        if let index {
            // It may be repeated again.
            known.append(known.remove(at: index))
            return false
        }
        if known.count == Self.knownLimit.count { known.removeFirst() }
        known.append(
            KnownMessage(
                scheme: message.scheme, value: message.value, identifier: message.identifier,
                start: start, contents: contents))
        return true
    }

    mutating func forgetMessages() { known = [] }
}

/// Timed metadata.
///
/// Packets of metadata go through the list of pending packets like all others, so that what is read
/// for a seek is not lost, and leave it here instead of through `readPacket`.
extension FFmpegDemuxer {
    func deliverTimedMetadata(to inbox: TimedMetadataInbox) {
        metadata.inbox = inbox
        selectMetadata()
    }

    /// Begins or ends to read the streams of metadata, if they have become wanted or unwanted.
    func selectMetadata() {
        guard let inbox = metadata.inbox else { return }
        if !inbox.wantsDateRanges { metadata.dateCount = 0 }
        guard inbox.isWanted != metadata.isWanted else { return }
        let streams = context.streams.lazy.compactMap { $0 }.filter { $0.isTimedMetadata }
            .map { Int($0.pointee.index) }.filter { $0 < self.streamCount }
        metadata.isWanted = inbox.isWanted
        metadata.streams = inbox.isWanted ? Set(streams) : []
        applySelection()
        if inbox.isWanted { addTitle(at: lastTaken ?? description.startTime) }
    }

    /// Takes the metadata that precedes a packet, and the metadata in it.
    ///
    /// - Returns: A Boolean value that indicates whether the packet is metadata that `readPacket`
    ///   does not return.
    func takesMetadata(in packet: MediaPacket) -> Bool {
        takeMessages()
        guard let inbox = metadata.inbox else { return false }
        takeTitles(before: packet)
        takeTags(before: packet)
        noteDateRanges()
        guard metadata.streams.contains(packet.trackID) else { return false }
        let stated = [packet.presentationTime, packet.decodeTime].first(where: \.isNumeric)
        let start = stated ?? lastTaken ?? description.startTime
        let items = items(of: packet)
        if !items.isEmpty {
            let isLong = packet.duration.isNumeric && packet.duration > .zero
            inbox.add(
                TimedMetadata(
                    trackID: packet.trackID,
                    timeRange: MediaTimeRange(
                        start: start, duration: isLong ? packet.duration : .zero),
                    items: items))
        }
        return !selection.contains(packet.trackID)
    }

    /// Returns the items in a packet; none if it is larger than any metadata.
    private func items(of packet: MediaPacket) -> [MetadataItem] {
        guard let box = packet.payload as? PacketBox, let data = box.pointer.pointee.data,
            packet.byteCount > 0, packet.byteCount <= MetadataReading.packetLimit,
            let codec = context.stream(packet.trackID)?.pointee.codecpar
        else { return [] }
        let bytes = Array(UnsafeBufferPointer(start: data, count: packet.byteCount))
        if codec.pointee.codec_id == AV_CODEC_ID_TIMED_ID3 { return ID3Tag.items(in: bytes) }
        if codec.pointee.codec_id == AV_CODEC_ID_SCTE_35 {
            return [
                MetadataItem(
                    keySpace: .scte35, key: "splice_info_section",
                    value: .data(bytes, type: "application/x-scte35"))
            ]
        }
        let format = description.tracks[packet.trackID].formatDescription
        return [
            MetadataItem(
                keySpace: .trackData, key: format.codecTag ?? format.codec,
                value: .data(bytes, type: "application/octet-stream"))
        ]
    }

    // MARK: - Beside the packets

    /// Takes the titles of internet radio that the server sent before the bytes of a packet.
    private func takeTitles(before packet: MediaPacket) {
        guard let titles = context.titles, !titles.isEmpty else { return }
        let position = (packet.payload as? PacketBox)?.pointer.pointee.pos ?? -1
        let time = packet.presentationTime.isNumeric ? packet.presentationTime : packet.decodeTime
        while let items = titles.take(before: position < 0 ? .max : position + 1) {
            metadata.title = items
            if time.isNumeric { addTitle(at: time) }
        }
    }

    private func addTitle(at time: MediaTime) {
        guard let inbox = metadata.inbox, inbox.isWanted, !metadata.title.isEmpty else { return }
        inbox.add(
            TimedMetadata(
                trackID: nil,
                timeRange: MediaTimeRange(start: time, duration: .positiveInfinity),
                items: metadata.title))
    }

    /// The time after which timestamps of 33 bits repeat.
    private static let timestampRange = MediaTime(value: 1 << 33, timescale: 90_000)

    /// Takes the tags at the beginnings of segments that contain only audio.
    private func takeTags(before packet: MediaPacket) {
        guard let inbox = metadata.inbox else { return }
        for tag in context.takeTags() where inbox.isWanted {
            guard let timestamp = tag.timestamp, !tag.items.isEmpty else { continue }
            let leading = leadingStream.map { Int($0.pointee.index) }
            let offset = leading.flatMap { continuity?.offset(ofTrack: $0) } ?? .zero
            var time =
                MediaTime(value: timestamp, timescale: 90_000) - description.timestampOffset
                + offset
            // Timestamps of 33 bits begin again at zero, and those of packets continue.
            let rounds = ((packet.decodeTime - time).seconds / Self.timestampRange.seconds)
                .rounded()
            if let count = Int32(exactly: rounds) { time += Self.timestampRange * count }
            inbox.add(
                TimedMetadata(
                    trackID: leading, timeRange: MediaTimeRange(start: time, duration: .zero),
                    items: tag.items))
        }
    }

    // MARK: - Messages of segments

    /// Places the messages of the segment that begins with a packet that was just read.
    ///
    /// - Parameters:
    ///   - values: The packet as FFmpeg returned it.
    ///   - base: The unit of its times.
    func placeMessages(at packet: MediaPacket, _ values: AVPacket, _ base: AVRational) {
        for events in context.takeSegmentEvents() { context.placement.add(events) }
        guard context.placement.isWaiting, values.dts != ph_AV_NOPTS_VALUE(),
            values.pts != ph_AV_NOPTS_VALUE(), base.num == 1
        else { return }
        let video = description.tracks(of: .video).filter { !$0.isAttachedPicture }
        let taken = SegmentPlacement.Packet(
            stream: packet.trackID, isVideo: video.contains { $0.id == packet.trackID },
            isKeyframe: values.flags & AV_PKT_FLAG_KEY != 0, byteCount: Int(values.size),
            timescale: base.den, decodeTime: values.dts, timestamp: values.pts,
            presentationTime: packet.presentationTime)
        metadata.add(
            context.placement.take(
                taken, expectsVideo: video.contains { selection.contains($0.id) },
                from: isLive ? nil : description.startTime))
    }

    /// Puts the messages of segments that have begun into the inbox.
    private func takeMessages() {
        guard let inbox = metadata.inbox, inbox.isWanted else {
            metadata.dropPlacedMessages()
            return
        }
        for placed in metadata.takeMessages() {
            let items = placed.message.items
            guard !items.isEmpty else { continue }
            let range = MediaTimeRange(start: placed.start, duration: placed.message.duration)
            inbox.add(TimedMetadata(trackID: nil, timeRange: range, items: items))
        }
    }

    /// Forgets the metadata of segments before reading continues elsewhere. Segments that are
    /// opened again bring it again.
    func forgetSegmentMetadata() {
        _ = context.takeTags()
        _ = context.takeSegmentEvents()
        context.placement = SegmentPlacement()
        metadata.dropPlacedMessages()
    }

    /// Puts the ranges of dates that the newest playlist states into the inbox, if they have
    /// changed.
    func noteDateRanges() {
        guard let inbox = metadata.inbox, inbox.wantsDateRanges,
            metadata.dateCount != live.dateCount
        else { return }
        metadata.dateCount = live.dateCount
        inbox.set(live.dateRanges(from: description.startTime))
    }
}

extension UnsafeMutablePointer<AVStream> {
    /// A Boolean value that indicates whether the packets of the stream are metadata with times.
    var isTimedMetadata: Bool {
        let codec = pointee.codecpar.pointee
        guard codec.codec_type == AVMEDIA_TYPE_DATA else { return false }
        // The titles of chapters are read by FFmpeg, and a programme guide has no times.
        let isText = codec.codec_tag == 0x7478_6574 || codec.codec_tag == 0x6733_7874
        return !isText && !hasTextSamples && codec.codec_id != AV_CODEC_ID_EPG
    }

    /// A Boolean value that indicates whether the stream is a track of MP4 with text for display,
    /// whose samples are parsed here: WebVTT (`wvtt`) or TTML (`stpp`).
    var hasTextSamples: Bool {
        let codec = pointee.codecpar.pointee
        // FFmpeg stores the first character of a tag in the lowest byte.
        return [AVMEDIA_TYPE_DATA, AVMEDIA_TYPE_SUBTITLE].contains(codec.codec_type)
            && [0x7474_7677, 0x7070_7473].contains(codec.codec_tag)
    }
}
