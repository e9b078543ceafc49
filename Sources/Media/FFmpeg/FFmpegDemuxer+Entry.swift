// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import PlayheadAssets
import PlayheadTime

/// Verification that decoding can begin at the position after a seek.
extension FFmpegDemuxer {
    /// The maximum number of packets that are decoded until a frame is returned. After some
    /// recovery points, H.264 takes seconds to recover.
    private static let maximumTrialPackets = 300
    /// The number of index entries to compare with a packet.
    private static let comparedEntries = 4096
    /// The size of a chunk's identifier and length together, in bytes.
    private static let chunkHeader: Int64 = 8
    /// The number of packets at the start of a file whose positions are compared.
    private static let comparedPackets = 8

    /// Returns the time of the first frame if decoding begins with the last pending packet, which
    /// is a keyframe. Returns nil if that frame is incomplete or begins after `target`.
    func entryTime(notAfter target: MediaTime) throws(MediaError) -> MediaTime? {
        guard let keyframe = pending.last, let box = keyframe.payload as? PacketBox else {
            return nil
        }
        let isShown = keyframe.presentationTime.isNumeric
        let time = isShown ? keyframe.presentationTime : keyframe.decodeTime
        guard let track = description.tracks.first(where: { $0.id == keyframe.trackID }),
            let codec = context.stream(track.id)?.pointee.codecpar, track.mediaType == .video
        else { return time }
        // When FFmpeg opens a container, it assigns times to the first packets. After a seek, the
        // same packets lack these times.
        if !isShown, codec.pointee.video_delay > 0, time <= description.startTime { return nil }
        // If the stream has B-frames, a frame without a PTS is shown later than it is decoded, and
        // only the decoder knows the delay.
        let isTimed = isShown || codec.pointee.video_delay == 0
        switch EntryPoint(box.pointer.pointee, of: codec.pointee) {
        case .dependent: return nil
        case .clean where isTimed: return time
        case .clean, .undetermined: break
        }
        guard
            let trial = EntryTrial(
                try StreamParameters(
                    track, of: context, description, source.description,
                    x264Build: x264Builds[track.id]),
                limits: options.limits)
        else { return time }
        let found = try decode(keyframe, by: trial, isTimed: isTimed)
        guard case .clean(let shown) = found else { return nil }
        // If the decoder does not assign a time to a frame, the time of the packet applies.
        guard shown.isNumeric, !isTimed || trial.withholds else { return isTimed ? time : nil }
        return shown <= target ? shown : nil
    }

    /// Sends packets to a trial until it returns the first frame.
    private func decode(
        _ keyframe: MediaPacket, by trial: EntryTrial, isTimed: Bool
    ) throws(MediaError) -> EntryTrial.Finding {
        var finding = trial.decode(keyframe)
        var (count, bytes) = (0, 0)
        // A frame that is returned only at the end has no time of its own.
        if case .nothing = finding, isTimed, !trial.withholds { return trial.decode(nil) }
        while case .nothing = finding, count < Self.maximumTrialPackets,
            bytes < options.limits.readAheadBytes
        {
            guard let packet = try readFromContainer() else {
                return isTimed ? trial.decode(nil) : .nothing
            }
            pending.append(packet)
            count += 1
            bytes += packet.byteCount
            if packet.trackID == keyframe.trackID { finding = trial.decode(packet) }
        }
        return finding
    }

    /// Returns a keyframe after a seek, with the time that the index states. In AVI files, FFmpeg
    /// counts frames from the target of the seek on, and counts preceding frames without data
    /// twice.
    func indexed(_ packet: MediaPacket) -> MediaPacket {
        guard description.container == "avi", let stream = context.stream(packet.trackID),
            let values = (packet.payload as? PacketBox)?.pointer.pointee,
            values.pos >= Self.chunkHeader, values.dts != ph_AV_NOPTS_VALUE()
        else { return packet }
        var index = av_index_search_timestamp(
            stream, values.dts, AVSEEK_FLAG_BACKWARD | AVSEEK_FLAG_ANY)
        for _ in 0..<Self.comparedEntries {
            guard index >= 0, let entry = avformat_index_get_entry(stream, index) else { break }
            if entry.pointee.pos == values.pos - Self.chunkHeader {
                let delay = values.dts - entry.pointee.timestamp
                return delay == 0 ? packet : corrected(packet, by: delay)
            }
            index -= 1
        }
        return packet
    }

    /// Returns whether seeks land at estimated positions, which makes the times after a seek wrong.
    /// This happens in raw H.261 and H.263, in Filmstrip, in a row of DPX images, in Vorbis in AVI,
    /// and in MXF without an index. MXF is checked once, by a seek to a packet whose position is
    /// known.
    func guessesPositions() throws(MediaError) -> Bool {
        if selection.contains(where: isCounted) { return true }
        if let known = positionsAreGuessed { return known }
        // Frames in these containers have no times. FFmpeg counts them, and counts differently
        // after probing or, in Filmstrip, from 0 after each seek. In DPX, it seeks into images.
        if ["dpx_pipe", "filmstrip", "h261", "h263"].contains(description.container) {
            positionsAreGuessed = true
            return true
        }
        guard description.container.hasPrefix("mxf") else {
            positionsAreGuessed = false
            return false
        }
        positionsAreGuessed = true
        let compared = try reopenedPackets(Self.comparedPackets)
        guard let packet = compared.last, compared.count > 1,
            let time = packet.decodeTime.isNumeric ? packet.decodeTime : nil,
            try moveContainer(to: time)
        else { return true }
        // If the index refers to earlier keyframes, a seek also reads all packets before the one
        // searched for.
        for _ in 0..<Self.comparedPackets * 64 {
            guard let next = try readFromContainer() else { break }
            guard next.trackID == packet.trackID, next.decodeTime >= time else { continue }
            positionsAreGuessed =
                next.decodeTime != time || next.byteCount != packet.byteCount
                || Self.position(of: next) != Self.position(of: packet)
            break
        }
        return positionsAreGuessed ?? true
    }

    /// Opens the file again, and returns the first packets of the leading stream.
    private func reopenedPackets(_ count: Int) throws(MediaError) -> [MediaPacket] {
        try reopen()
        guard let leading = leadingStream.map({ Int($0.pointee.index) }) else { return [] }
        var packets: [MediaPacket] = []
        var reads = 0
        while packets.count < count, reads < count * 64, let packet = try readFromContainer() {
            reads += 1
            if packet.trackID == leading { packets.append(packet) }
        }
        return packets
    }

    private static func position(of packet: MediaPacket) -> Int64 {
        (packet.payload as? PacketBox)?.pointer.pointee.pos ?? -1
    }
}
