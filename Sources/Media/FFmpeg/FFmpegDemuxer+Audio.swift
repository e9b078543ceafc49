// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import PlayheadAssets
import PlayheadTime

/// Audio before the place where a seek lands: decoders need some to be in the state in which
/// decoding in a row would be there.
extension FFmpegDemuxer {
    /// MP3 refers back by up to 511 bytes, nine frames at the lowest rate; AAC, AC-3, WMA, Vorbis
    /// overlap with the previous frame. Several frames more are needed to place the first.
    private static let preroll = MediaTime(value: 3, timescale: 10)
    /// RFC 7845, 4.6 asks for 80 ms, after which FFmpeg's decoder is still 30 dB below the signal
    /// away from decoding in a row; it comes 6 dB nearer with each frame of 20 ms.
    private static let opusPreroll = MediaTime(value: 1, timescale: 2)
    /// After a seek FFmpeg counts the first page of Ogg from its end, cut on the last page,
    /// and is wrong about frames of FLAC that go across pages. Pages last a second as a rule.
    private static let oggPreroll = MediaTime(value: 3, timescale: 2)
    /// The limits of reading ahead for the first packet of each track.
    private static let startSearch = (packets: 512, bytes: 8 << 20)
    /// The maximum time between audio and the video that is stored next to it, which limits how far
    /// is read to find audio near a keyframe.
    private static let longestInterleave = MediaTime(value: 2, timescale: 1)
    private static let maximumSkippedPackets = 1 << 15
    private static let maximumTries = 4

    var audioTracks: [AssetTrack] {
        description.tracks(of: .audio).filter { selection.contains($0.id) }
    }

    /// The duration of audio that is decoded before the place of a seek.
    var audioPreroll: MediaTime {
        let durations = audioTracks.map { track in
            if description.container == "ogg" { return Self.oggPreroll }
            let codec = context.streams[track.id]?.pointee.codecpar.pointee.codec_id
            return codec == AV_CODEC_ID_OPUS ? Self.opusPreroll : Self.preroll
        }
        return durations.max() ?? .zero
    }

    // MARK: - Beginnings

    /// Learns where a track begins, from a packet that was read without a seek before it.
    func noteStart(_ packet: MediaPacket, in box: PacketBox) {
        if !hasMoved, trackStarts[packet.trackID] == nil, packet.presentationTime.isNumeric {
            trackStarts[packet.trackID] = TrackStart(
                time: packet.presentationTime,
                skippedSamples: skippedSamples(box, packet.trackID))
        }
        box.trackStart = trackStarts[packet.trackID]
    }

    private func skippedSamples(_ box: PacketBox, _ track: Int) -> Int {
        var size = 0
        if let data = av_packet_get_side_data(box.pointer, AV_PKT_DATA_SKIP_SAMPLES, &size),
            size >= 4
        {
            // u32le: the number of samples to skip from the start of the packet.
            return (0..<4).reduce(0) { $0 | Int(data[$1]) << (8 * $1) }
        }
        // Matroska has it in its header, and in that of Opus.
        guard let codec = context.streams[track]?.pointee.codecpar.pointee,
            codec.codec_id == AV_CODEC_ID_OPUS
        else { return 0 }
        return Int(codec.initial_padding)
    }

    /// Reads up to the first packet of each selected track before the first seek. They wait in
    /// memory since the asset was opened.
    func learnStarts() throws(MediaError) {
        guard !hasMoved, !context.isMovedByOpening,
            context.pointer.pointee.pb.map({ $0.pointee.seekable != 0 }) ?? false
        else { return }
        var (count, bytes) = (0, 0)
        while selection.contains(where: { needsStart($0) }), count < Self.startSearch.packets,
            bytes < Self.startSearch.bytes, let packet = try readFromContainer()
        {
            count += 1
            bytes += packet.byteCount
        }
    }

    private func needsStart(_ track: Int) -> Bool {
        let type = description.tracks[track].mediaType
        return trackStarts[track] == nil && !description.tracks[track].isAttachedPicture
            && (type == .video || type == .audio)
    }

    /// Reads up to the first packets of the tracks whose beginnings are known; returns false if one
    /// is another than the first.
    func isAtStart() throws(MediaError) -> Bool {
        var missing = Set(selection.filter { trackStarts[$0] != nil })
        var bytes = 0
        while !missing.isEmpty, pending.count < Self.startSearch.packets,
            bytes < Self.startSearch.bytes, let packet = try readFromContainer()
        {
            pending.append(packet)
            bytes += packet.byteCount
            guard missing.remove(packet.trackID) != nil else { continue }
            if trackStarts[packet.trackID]?.time != packet.presentationTime { return false }
        }
        return true
    }

    /// Moves to the first packet of the audio, which in some containers brings that of the video
    /// along where the reverse leaves audio out.
    func moveToFirstAudio() -> Bool {
        guard let track = audioTracks.first(where: { trackStarts[$0.id] != nil }),
            let start = trackStarts[track.id]
        else { return false }
        return moveContainer(to: start.time, along: track.id, flags: 0)
    }

    // MARK: - Audio beside video

    /// Sees to it that audio decoding begins early enough for a time, once a seek has landed at a
    /// keyframe: reads on from earlier, without the video before the keyframe.
    func addPreroll(before time: MediaTime) throws(MediaError) {
        guard !audioTracks.isEmpty, !context.isMovedByOpening, delays.isEmpty,
            let leading = leadingStream.map({ Int($0.pointee.index) }),
            description.tracks[leading].mediaType == .video,
            let keyframe = pending.first(where: { $0.trackID == leading }),
            keyframe.decodeTime.isNumeric
        else { return }
        let need = time - audioPreroll
        if try hasAudio(from: need, near: keyframe) { return }
        let found = pending
        var aim = need
        var step = Self.preroll
        for _ in 0..<Self.maximumTries {
            if try moveBefore(aim), try readOn(to: keyframe), begins(at: need) { return }
            aim = min(aim, keyframe.decodeTime) - step
            step = step * Int32(4)
        }
        // Without: audio may begin here.
        let place = found.first { $0.trackID == leading }.map(\.decodeTime) ?? time
        _ = try moveContainer(to: place)
        if try readOn(to: keyframe) { return }
        _ = try rewind()
        _ = try readOn(to: keyframe)
    }

    /// Returns whether the audio after a keyframe, in the order of the file, begins early enough.
    private func hasAudio(from need: MediaTime, near keyframe: MediaPacket) throws(MediaError)
        -> Bool
    {
        // Closer than audio and video are apart in the file, it has to be looked at.
        if keyframe.decodeTime < need - Self.longestInterleave { return true }
        var bytes = 0
        let tracks = Set(audioTracks.map(\.id))
        while !tracks.isSubset(of: pending.map(\.trackID)) {
            guard pending.count < Self.startSearch.packets, bytes < Self.startSearch.bytes,
                let packet = try readFromContainer()
            else { return true }
            pending.append(packet)
            bytes += packet.byteCount
            if packet.trackID == keyframe.trackID,
                packet.decodeTime > keyframe.decodeTime + Self.longestInterleave
            {
                return true
            }
        }
        return begins(at: need)
    }

    /// Returns whether the first pending packet of each audio track is at or before a time, or is
    /// the first of all.
    private func begins(at need: MediaTime) -> Bool {
        audioTracks.allSatisfy { track in
            guard let first = pending.first(where: { $0.trackID == track.id }) else { return false }
            return first.presentationTime <= need
                || trackStarts[track.id]?.time == first.presentationTime
        }
    }

    /// Moves to audio at a time, as precisely as the container can.
    private func moveBefore(_ time: MediaTime) throws(MediaError) -> Bool {
        clearPending()
        guard time > description.startTime, let track = audioTracks.first else {
            _ = try rewind()
            return true
        }
        // Without cues for audio, FFmpeg reads Matroska from the beginning to find it.
        if description.container.hasPrefix("matroska") { return try moveContainer(to: time) }
        // Where each track has an index, video need not begin at a keyframe: it is left out.
        let isIndexed = ["mov", "avi"].contains { description.container.hasPrefix($0) }
        return moveContainer(
            to: time, along: track.id, flags: isIndexed ? AVSEEK_FLAG_ANY : 0)
    }

    private func moveContainer(to time: MediaTime, along track: Int, flags: Int32) -> Bool {
        clearPending()
        guard let stream = context.streams[track],
            let target = (time + description.timestampOffset)
                .timestamp(in: stream.pointee.time_base)
        else { return false }
        return avformat_seek_file(
            context.pointer, stream.pointee.index, .min, target, target, flags) >= 0
    }

    /// Reads up to a keyframe, without the other packets of its track before it; returns false if
    /// it does not come.
    private func readOn(to keyframe: MediaPacket) throws(MediaError) -> Bool {
        func isKeyframe(_ packet: MediaPacket) -> Bool {
            packet.trackID == keyframe.trackID && packet.decodeTime == keyframe.decodeTime
                && packet.byteCount == keyframe.byteCount
        }
        // Those that a rewind has read.
        if let place = pending.firstIndex(where: isKeyframe) {
            let before = pending[..<place].filter { $0.trackID != keyframe.trackID }
            pending = before + pending[place...]
            return true
        }
        pending.removeAll { $0.trackID == keyframe.trackID }
        var (count, bytes) = (0, 0)
        while count < Self.maximumSkippedPackets, bytes < options.limits.readAheadBytes,
            let packet = try readFromContainer()
        {
            count += 1
            if packet.trackID == keyframe.trackID {
                if isKeyframe(packet) {
                    pending.append(packet)
                    return true
                }
                if packet.decodeTime > keyframe.decodeTime { return false }
                continue
            }
            pending.append(packet)
            bytes += packet.byteCount
        }
        return false
    }
}
