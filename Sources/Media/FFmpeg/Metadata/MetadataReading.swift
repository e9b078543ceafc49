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
    /// The number of changes of the ranges of dates that were put into the inbox.
    var dateCount = 0

    /// The maximum size of a packet of metadata, in bytes. An image in ID3 is much smaller.
    static let packetLimit = 4 << 20
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
            let codec = context.streams[packet.trackID]?.pointee.codecpar
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
    fileprivate var isTimedMetadata: Bool {
        let codec = pointee.codecpar.pointee
        guard codec.codec_type == AVMEDIA_TYPE_DATA else { return false }
        // The titles of chapters are read by FFmpeg, and a programme guide has no times.
        let isText = codec.codec_tag == 0x7478_6574 || codec.codec_tag == 0x6733_7874
        return !isText && codec.codec_id != AV_CODEC_ID_EPG
    }
}
