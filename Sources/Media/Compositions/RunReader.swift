// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadBuffers
import PlayheadTime

/// A reader of one `CompositionRun`. It makes the composition's packets from the packets of the
/// run's source.
///
/// Decoding begins at a keyframe before the run. It continues slightly past the end of the run if
/// frames before the end refer to later ones. Packets that are only needed for decoding are grouped
/// with packets that are shown.
///
/// - Concurrency: one thread at a time.
final class RunReader {
    private let run: CompositionRun
    private let source: OpenSource
    private let trackID: Int
    private let isVideo: Bool
    private let pass: Int
    /// The complete packets for the consumer.
    private var ready: [MediaPacket] = []
    private var readyHead = 0
    /// The group of the last packet that is shown. Packets that follow it and are not shown are
    /// added to the group.
    private var open: Group?
    private var hasEnded = false
    private var laterCount = 0
    private var lastDue: MediaTime

    /// A packet of the composition that is being assembled.
    private struct Group {
        var time: MediaTime
        var duration: MediaTime
        var isKeyframe: Bool
        var packets: [MediaPacket]
    }

    /// The maximum reordering of H.264 and HEVC, in frames. If more packets than this are shown
    /// after a time, no packet that follows is shown before that time.
    private static let maximumReordering = 16
    /// The duration of audio that is decoded before the first sample, as in `AssetReader`, so that
    /// this sample is correct. The same duration is read past the end, so that filters receive the
    /// samples that follow.
    private static let soundLead = MediaTime(value: 1, timescale: 4)
    private static let soundTail = MediaTime(value: 1, timescale: 20)
    /// The distance to move back for the next attempt if a seek landed too late. It is doubled
    /// after each attempt.
    private static let firstStepBack = MediaTime(value: 1, timescale: 2)
    /// The maximum number of packets and bytes that are read to find the frame that is shown at the
    /// start of the run.
    private static let maximumLead = (packets: 4096, bytes: 64 << 20)

    /// - Parameter entry: the time of the composition at which to begin; nil for the start of the
    ///   run.
    init(
        _ run: CompositionRun, from source: OpenSource, trackID: Int, isVideo: Bool, pass: Int,
        at entry: MediaTime?
    ) throws(MediaError) {
        self.run = run
        self.source = source
        self.trackID = trackID
        self.isVideo = isVideo
        self.pass = pass
        lastDue = run.targetRange.start
        try begin(at: entry.map { run.sourceTime(ofTargetTime: $0) } ?? run.sourceRange.start)
    }

    /// Returns the next packet; nil at the end of the run.
    func next() throws(MediaError) -> MediaPacket? {
        while readyHead == ready.count {
            ready.removeAll(keepingCapacity: true)
            readyHead = 0
            if hasEnded { return nil }
            try readMore()
        }
        readyHead += 1
        return ready[readyHead - 1]
    }

    private func read() throws(MediaError) -> MediaPacket? {
        try source.withDemuxer { (demuxer) throws(MediaError) in try demuxer.readPacket() }
    }

    private func seek(to time: MediaTime) throws(MediaError) {
        let id = run.source.track.id
        try source.withDemuxer { (demuxer) throws(MediaError) in
            demuxer.selectTracks([id])
            try demuxer.seek(to: time)
        }
    }

    // MARK: - Beginning

    /// Moves the source to a position from which the frame or sample at a time can be decoded.
    private func begin(at time: MediaTime) throws(MediaError) {
        let time = min(max(time, run.sourceRange.start), run.sourceRange.end)
        let lead = isVideo ? MediaTime.zero : Self.soundLead
        let earliest = run.source.track.timeRange.start
        let floor = earliest.isNumeric ? earliest : .zero
        var aim = max(time - lead, floor)
        var step = Self.firstStepBack
        while true {
            try seek(to: aim)
            let first = try readLead(upTo: time)
            let isEarly = first.map { !$0.isNumeric || $0 <= time - lead } ?? false
            if isEarly || aim <= floor { break }
            aim = max(aim - step, floor)
            step += step
        }
    }

    /// Reads the packets that must be decoded before a time of the source, and those of the first
    /// frame.
    ///
    /// - Returns: the time of the first keyframe; nil if there is no packet.
    private func readLead(upTo time: MediaTime) throws(MediaError) -> MediaTime? {
        ready.removeAll()
        (readyHead, open, hasEnded, laterCount) = (0, nil, false, 0)
        // Of the frames before the run, only the last one is shown.
        var packets: [MediaPacket] = []
        var (bytes, later) = (0, 0)
        var landed: MediaTime?
        while packets.count < Self.maximumLead.packets, bytes < Self.maximumLead.bytes {
            guard let packet = try read() else {
                hasEnded = true
                break
            }
            packets.append(packet)
            bytes += packet.byteCount
            let shown = packet.presentationTime
            if landed == nil, packet.isKeyframe || !isVideo { landed = shown }
            guard shown.isNumeric else { break }
            if shown > run.startLimit { later += 1 }
            if later > (isVideo ? Self.maximumReordering : 0) { break }
        }
        group(packets)
        if hasEnded { close(isLast: true) }
        return landed
    }

    /// Makes the first packets of the composition from the packets that were read up to a position
    /// in the run.
    private func group(_ packets: [MediaPacket]) {
        guard !packets.isEmpty else { return }
        // The first group contains all packets up to the frame that is shown at the start of the
        // run.
        let limit = isVideo ? run.startLimit : run.sourceRange.start
        let lead = packets.lastIndex { packet in
            let time = isVideo ? packet.presentationTime : packet.end
            return !time.isNumeric || time <= limit
        }
        guard let lead else {
            addAll(packets[...])
            return
        }
        let isWithin = packets[lead].presentationTime.isNumeric
        let onDisplay = packets[...lead].map(\.presentationTime).filter { $0 <= limit }.max()
        let following = packets[...lead].map(\.presentationTime).filter { $0 > limit }
        let group = Array(packets[...lead])
        if isVideo || !isWithin {
            open = Group(
                time: run.targetRange.start,
                duration: duration(from: onDisplay ?? run.sourceRange.start, group),
                isKeyframe: true, packets: group)
            for time in following where time < run.endLimit { addMarker(time, group) }
        } else {
            // Audio before the run is only needed to decode the audio that follows.
            open = Group(
                time: run.targetRange.start, duration: .zero, isKeyframe: true, packets: group)
        }
        addAll(packets[(lead + 1)...])
    }

    /// Adds packets up to the first one past the end of the run.
    private func addAll(_ packets: ArraySlice<MediaPacket>) {
        for packet in packets {
            add(packet)
            if isPastEnd(packet) {
                finish()
                return
            }
        }
    }

    private func duration(from time: MediaTime, _ packets: [MediaPacket]) -> MediaTime {
        let end = packets.first { $0.presentationTime == time }?.end ?? .invalid
        guard end.isNumeric else { return .invalid }
        return run.targetTime(ofSourceTime: end) - run.targetRange.start
    }

    /// Adds a packet without data for a frame that is part of the first group.
    private func addMarker(_ time: MediaTime, _ packets: [MediaPacket]) {
        close()
        let packet = packets.first { $0.presentationTime == time }
        open = Group(
            time: run.targetTime(ofSourceTime: time), duration: targetDuration(of: packet),
            isKeyframe: false, packets: [])
    }

    // MARK: - Going on

    private func readMore() throws(MediaError) {
        guard let packet = try read() else {
            finish()
            return
        }
        add(packet)
        if isPastEnd(packet) { finish() }
    }

    /// Returns whether no packet after this one is needed.
    private func isPastEnd(_ packet: MediaPacket) -> Bool {
        let end = run.sourceRange.end
        guard isVideo else {
            return packet.presentationTime.isNumeric
                && packet.presentationTime >= end + Self.soundTail
        }
        if packet.decodeTime.isNumeric, packet.decodeTime >= end,
            !packet.presentationTime.isNumeric || packet.decodeTime <= packet.presentationTime
        {
            return true
        }
        if packet.presentationTime.isNumeric, packet.presentationTime >= run.endLimit {
            laterCount += 1
        }
        return laterCount > Self.maximumReordering
    }

    private func isShown(_ packet: MediaPacket) -> Bool {
        let time = packet.presentationTime
        return !time.isNumeric || time < (isVideo ? run.endLimit : run.sourceRange.end)
    }

    private func add(_ packet: MediaPacket) {
        guard isShown(packet) else {
            open?.packets.append(packet)
            return
        }
        close()
        let time = packet.presentationTime
        open = Group(
            time: time.isNumeric ? run.targetTime(ofSourceTime: time) : time,
            duration: targetDuration(of: packet), isKeyframe: packet.isKeyframe,
            packets: [packet])
    }

    private func targetDuration(of packet: MediaPacket?) -> MediaTime {
        guard let packet, packet.presentationTime.isNumeric, packet.end.isNumeric,
            packet.duration.isNumeric
        else { return .invalid }
        return run.targetTime(ofSourceTime: packet.end)
            - run.targetTime(ofSourceTime: packet.presentationTime)
    }

    private func finish() {
        hasEnded = true
        close(isLast: true)
    }

    private func close(isLast: Bool = false) {
        guard let group = open else { return }
        open = nil
        // Packets are due in the order of decoding, regardless of their times.
        let decodeTime = group.packets.first?.decodeTime ?? .invalid
        if decodeTime.isNumeric {
            lastDue = max(lastDue, run.targetTime(ofSourceTime: decodeTime))
        } else if group.time.isNumeric, !group.packets.isEmpty {
            // The due time is not raised for a frame whose data came in an earlier packet. Frames
            // that are shown before this frame may follow, and a packet must not be due after its
            // frame is shown.
            lastDue = max(lastDue, group.time)
        }
        ready.append(
            MediaPacket(
                trackID: trackID, presentationTime: group.time, decodeTime: lastDue,
                duration: group.duration, isKeyframe: group.isKeyframe,
                byteCount: group.packets.reduce(0) { $0 + $1.byteCount },
                payload: CompositionPayload(
                    run: run, pass: pass, packets: group.packets, isLast: isLast)))
    }
}
