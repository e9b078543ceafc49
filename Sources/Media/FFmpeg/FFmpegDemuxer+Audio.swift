// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import PlayheadAssets
import PlayheadTime

/// Reading of audio before the position of a seek. Decoders need this audio to reach the state that
/// they would have after continuous decoding.
extension FFmpegDemuxer {
    /// The preroll that most codecs need. MP3 refers back by up to 511 bytes, which is nine frames
    /// at the lowest rate; AAC, AC-3, WMA and Vorbis overlap with the previous frame. Several more
    /// frames are needed to place the first one.
    private static let preroll = MediaTime(value: 3, timescale: 10)
    /// The preroll of Opus. RFC 7845, 4.6 requires 80 ms. After 80 ms, the error of FFmpeg's
    /// decoder, compared with continuous decoding, is still only 30 dB below the signal; it falls
    /// by 6 dB with each frame of 20 ms.
    private static let opusPreroll = MediaTime(value: 1, timescale: 2)
    /// The preroll of Ogg. After a seek, FFmpeg's times in the first page of Ogg are unreliable.
    /// FFmpeg counts them back from the end of the page. They are wrong on the last page if its end
    /// is cut off, and for FLAC frames that cross pages. A page usually lasts a second.
    private static let oggPreroll = MediaTime(value: 3, timescale: 2)
    /// The limits for reading ahead to the first packet of each track.
    private static let startSearch = (packets: 512, bytes: 8 << 20)
    /// The maximum time between audio and the video stored next to it. It limits how far the
    /// demuxer reads to find audio near a keyframe.
    private static let longestInterleave = MediaTime(value: 2, timescale: 1)
    private static let maximumSkippedPackets = 1 << 15
    private static let maximumTries = 4

    var audioTracks: [AssetTrack] {
        description.tracks(of: .audio).filter { selection.contains($0.id) }
    }

    /// The duration of audio that is decoded before the position of a seek.
    var audioPreroll: MediaTime {
        let durations = audioTracks.map { track in
            if description.container == "ogg" { return Self.oggPreroll }
            let codec = context.stream(track.id)?.pointee.codecpar.pointee.codec_id
            return codec == AV_CODEC_ID_OPUS ? Self.opusPreroll : Self.preroll
        }
        return durations.max() ?? .zero
    }

    // MARK: - Beginnings

    /// Records where a track begins, from a packet that was read without an earlier seek.
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
        // Matroska stores this number in its own header, and in the header of Opus.
        guard let codec = context.stream(track)?.pointee.codecpar.pointee,
            codec.codec_id == AV_CODEC_ID_OPUS
        else { return 0 }
        return Int(codec.initial_padding)
    }

    /// Reads up to the first packet of each selected track, before the first seek. These packets
    /// have been in memory since the asset was opened.
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
        guard track < streamCount else { return false }
        let type = description.tracks[track].mediaType
        return trackStarts[track] == nil && !description.tracks[track].isAttachedPicture
            && (type == .video || type == .audio)
    }

    /// Reads up to the first packets of the tracks whose beginnings are known. Returns false if a
    /// packet is not the first of its track.
    func isAtStart() throws(MediaError) -> Bool {
        var missing = Set(selection.filter { trackStarts[$0] != nil })
        var bytes = 0
        while !missing.isEmpty, pending.count < Self.startSearch.packets,
            bytes < Self.startSearch.bytes
        {
            // Some demuxers return nothing after a seek until a packet is marked as a keyframe.
            guard let packet = try readFromContainer() else { return false }
            pending.append(packet)
            bytes += packet.byteCount
            guard missing.remove(packet.trackID) != nil else { continue }
            if trackStarts[packet.trackID]?.time != packet.presentationTime { return false }
        }
        return true
    }

    /// Moves to the first packet of the audio. In some containers, the first packet of the video is
    /// then read too, whereas a move to the first video packet leaves audio out.
    func moveToFirstAudio() -> Bool {
        guard let track = audioTracks.first(where: { trackStarts[$0.id] != nil }),
            let start = trackStarts[track.id]
        else { return false }
        return moveContainer(to: start.time, along: track.id, flags: 0)
    }

    // MARK: - Audio beside video

    /// Ensures that audio decoding begins early enough for a time after a seek has landed at a
    /// keyframe. To do so, it reads from an earlier position and leaves out the video before the
    /// keyframe.
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
        // No preroll was found. Audio may begin here.
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
        // If the keyframe precedes `need` by more than the interleave, the audio after it begins
        // early enough. For a later keyframe, the packets must be examined.
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
    /// the first packet of the track.
    private func begins(at need: MediaTime) -> Bool {
        audioTracks.allSatisfy { track in
            guard let first = pending.first(where: { $0.trackID == track.id }) else { return false }
            return first.presentationTime <= need
                || trackStarts[track.id]?.time == first.presentationTime
        }
    }

    /// Moves to audio at a time, as precisely as the container allows.
    private func moveBefore(_ time: MediaTime) throws(MediaError) -> Bool {
        clearPending()
        guard time > description.startTime, let track = audioTracks.first else {
            _ = try rewind()
            return true
        }
        // If a Matroska file has no cues for audio, FFmpeg would read it from the beginning to find
        // audio.
        if description.container.hasPrefix("matroska") { return try moveContainer(to: time) }
        // If each track has an index, video need not begin at a keyframe, because it is left out.
        let isIndexed = ["mov", "avi"].contains { description.container.hasPrefix($0) }
        return moveContainer(
            to: time, along: track.id, flags: isIndexed ? AVSEEK_FLAG_ANY : 0)
    }

    private func moveContainer(to time: MediaTime, along track: Int, flags: Int32) -> Bool {
        clearPending()
        guard let stream = context.stream(track),
            let target = (time + description.timestampOffset)
                .timestamp(in: stream.pointee.time_base)
        else { return false }
        return context.move(to: target, along: stream.pointee.index, flags: flags)
    }

    /// Reads up to a keyframe, and leaves out the earlier packets of the keyframe's track. Returns
    /// false if the keyframe is not found.
    private func readOn(to keyframe: MediaPacket) throws(MediaError) -> Bool {
        func isKeyframe(_ packet: MediaPacket) -> Bool {
            packet.trackID == keyframe.trackID && packet.decodeTime == keyframe.decodeTime
                && packet.byteCount == keyframe.byteCount
        }
        // These are the packets that a rewind has read.
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
