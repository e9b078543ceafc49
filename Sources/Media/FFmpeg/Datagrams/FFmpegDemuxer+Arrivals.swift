// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import PlayheadAssets
import PlayheadTime

/// Live sources whose media arrives as it is made.
extension FFmpegDemuxer {
    var canResume: Bool { context.arriving != nil }

    /// Reads what has arrived while the source was opened. Packets before the last keyframe are
    /// dropped, because they will never be shown.
    func catchUp() throws(MediaError) {
        guard !hasCaughtUp, let source = context.arriving else { return }
        hasCaughtUp = true
        interrupt.begin()
        let leading = leadingStream.map { Int($0.pointee.index) }
        let byteTotal = source.byteTotal
        while source.byteTotal == byteTotal, let packet = try readFromContainer() {
            if packet.trackID == leading, packet.isKeyframe {
                pending.removeAll()
                pendingIndex = 0
            }
            pending.append(packet)
        }
    }

    /// Records the arrival of a packet.
    func noteArrival(of packet: MediaPacket) {
        let type = description.tracks[packet.trackID].mediaType
        let time = Self.time(of: packet)
        guard !isRealigning, type == .video || type == .audio, time.isNumeric else { return }
        let start = origin.note(time, ofTrack: packet.trackID, at: HostClock.shared.time)
        arrivalMonitor?.note(origin: start)
    }

    /// The time of a packet for the comparison with its arrival. Packets arrive in the order of
    /// their decode times, which some streams do not state.
    private static func time(of packet: MediaPacket) -> MediaTime {
        packet.decodeTime.isNumeric ? packet.decodeTime : packet.presentationTime
    }

    /// Continues after an outage with the next keyframe, whose time is returned. If the connection
    /// was lost, the source is opened again.
    ///
    /// The timeline is tied to the time of arrival, so it is as much later as the outage was long,
    /// whatever timestamps the source has now.
    func resumeArriving() throws(MediaError) -> MediaTime? {
        guard let source = context.arriving else { return nil }
        let isLost = !source.isConnected
        if isLost {
            // A listener can use its port again only if nothing else does.
            source.disconnect()
            try reopen(from: source.position)
        }
        context.readOn()
        interrupt.begin()
        clearPending()
        (hasCaughtUp, isRealigning) = (true, true)
        defer { isRealigning = false }
        continuity = nil
        let newest = try readToNewestKeyframe()
        let now = HostClock.shared.time
        var offset = MediaTime.zero
        if let newest, Self.time(of: newest).isNumeric,
            let due = origin.time(ofTrack: newest.trackID, at: now)
        {
            offset = due - Self.time(of: newest)
        }
        continuity = TimestampContinuity(offset: offset)
        pending = pending.map { continued($0, in: timeBases[$0.trackID]) }
        for packet in pending { ends[packet.trackID] = packet.end }
        if isLost { announceHeaders() }
        return pending.first?.presentationTime
    }

    /// Attaches the headers of the streams, which may be others now, to their first packets.
    private func announceHeaders() {
        changed = selection
        for packet in pending where changed.remove(packet.trackID) != nil {
            guard let box = packet.payload as? PacketBox else { continue }
            announce(context.stream(packet.trackID)?.pointee.codecpar, in: box)
        }
    }

    /// Reads up to a packet that arrives now, and keeps the packets since the last keyframe.
    /// Returns the last packet.
    private func readToNewestKeyframe() throws(MediaError) -> MediaPacket? {
        let leading = leadingStream.map { Int($0.pointee.index) }
        let byteTotal = context.arriving?.byteTotal
        while let packet = try readFromContainer() {
            if packet.trackID == leading, packet.isKeyframe { pending.removeAll() }
            let isKept = !pending.isEmpty || packet.trackID == leading && packet.isKeyframe
            guard isKept else { continue }
            pending.append(packet)
            if context.arriving?.byteTotal != byteTotal { return packet }
        }
        return nil
    }
}
