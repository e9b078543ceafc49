// SPDX-License-Identifier: Apache-2.0

package import PlayheadAssets
package import PlayheadTime
package import PlayheadWriting

/// The text subtitles of an export.
///
/// A track is copied if the container stores its codec in the same form: SubRip and ASS to
/// Matroska, timed text of MP4 to MP4. Other tracks become plain text in the container's own codec.
/// Bitmap subtitles, and closed captions in the video, are left out.
///
/// - Concurrency: one thread at a time.
package final class ExportSubtitles {
    private struct Lane {
        let track: AssetTrack
        let input: AssetWriterInput
        /// The decoder that converts packets to plain text; nil if packets are copied.
        let decoder: (any SubtitleDecoder)?
        var flattener = SubtitleFlattener()
        var last = MediaTime.negativeInfinity
    }

    private var lanes: [Int: Lane] = [:]
    private var range: MediaTimeRange
    private let origin: MediaTime
    /// The packets that begin before the range, until they are appended.
    private var earlier: [MediaPacket] = []
    private var earlierEnd = MediaTime.negativeInfinity

    /// The duration before the range in which the session searches for subtitles that are still
    /// shown at the start of the range.
    private static let preroll = MediaTime(value: 10, timescale: 1)

    /// The tracks whose packets are appended.
    package var trackIDs: [Int] { lanes.keys.sorted() }

    /// The codecs of text subtitles.
    private static let textCodecs: Set<String> = [
        "mov_text", "subrip", "srt", "ass", "ssa", "webvtt", "ttml", "text",
    ]

    /// Chooses the tracks of a source, and reads the subtitles that are shown at the start of the
    /// range. This changes the demuxer's position and its selected tracks.
    ///
    /// - Parameters:
    ///   - range: The range of the source that is exported.
    ///   - type: The container.
    ///   - origin: The time of the source at which the writer's time is 0.
    package init(
        of demuxer: any Demuxer, in range: MediaTimeRange, for type: MediaFileType,
        origin: MediaTime = .zero
    ) {
        self.range = range
        self.origin = origin
        guard type.storesSubtitles else { return }
        for track in demuxer.description.tracks(of: .subtitle) {
            guard track.captions == nil, !track.isEncrypted,
                Self.textCodecs.contains(track.formatDescription.codec)
            else { continue }
            let input: AssetWriterInput
            var decoder: (any SubtitleDecoder)?
            if Self.isStored(track.formatDescription, in: type),
                let parameters = demuxer.sampleParameters(of: track)
            {
                input = AssetWriterInput(
                    passthrough: EncodedTrackFormat(track, parameters: parameters))
            } else {
                // If a track cannot be decoded, it is left out, and the export does not fail.
                guard let made = try? demuxer.makeSubtitleDecoder(for: track) else { continue }
                decoder = made
                input = .subtitles()
            }
            input.languageTag = track.languageTag
            input.title = track.title
            input.isEnabled = track.isDefault
            lanes[track.id] = Lane(track: track, input: input, decoder: decoder)
        }
        let start = demuxer.description.startTime
        // A pipe is read from its beginning.
        guard !lanes.isEmpty, !demuxer.isReadOnce, start.isNumeric, range.start.isNumeric,
            range.start > start
        else { return }
        // If this fails, only these subtitles are missing, so the export does not fail.
        try? readEarlier(demuxer, from: max(range.start - Self.preroll, start))
    }

    /// Reads the subtitles that begin in the seconds before the range. The packets of the video, or
    /// of the audio, show how far the file has been read.
    private func readEarlier(_ demuxer: any Demuxer, from time: MediaTime) throws(MediaError) {
        let pilot =
            demuxer.description.preferredTrack(of: .video)
            ?? demuxer.description.preferredTrack(of: .audio)
        guard let pilot else { return }
        demuxer.selectTracks([pilot.id])
        try demuxer.seek(to: time)
        demuxer.selectTracks(Set(lanes.keys).union([pilot.id]))
        while let packet = try demuxer.readPacket() {
            let begin =
                packet.decodeTime.isNumeric ? packet.decodeTime : packet.presentationTime
            if packet.trackID == pilot.id {
                if begin.isNumeric, begin >= range.start { break }
            } else if packet.presentationTime < range.start {
                earlier.append(packet)
            }
        }
        earlierEnd = range.start
    }

    /// Returns a Boolean value that indicates whether a container can store the samples unchanged.
    private static func isStored(_ format: FormatDescription, in type: MediaFileType) -> Bool {
        switch type {
        case .mp4: format.codec == "mov_text" && format.codecTag == "tx3g"
        case .matroska: ["subrip", "ass"].contains(format.codec)
        default: false
        }
    }

    /// Adds an input for each track to a writer that has not started.
    package func add(to writer: AssetWriter) throws(MediaWritingError) {
        for id in trackIDs { if let lane = lanes[id] { try writer.add(lane.input) } }
    }

    /// Appends the subtitles that are shown at the start of the session. The session may start
    /// before the range.
    package func begin(at time: MediaTime) throws(MediaWritingError) {
        range = MediaTimeRange(start: time, duration: range.end - time)
        for packet in earlier { try write(packet) }
        earlier = []
    }

    /// Appends a packet of one of the tracks. The part of its time range that is outside of the
    /// session is cut off.
    package func append(_ packet: MediaPacket) throws(MediaWritingError) {
        if packet.presentationTime >= earlierEnd { try write(packet) }
    }

    private func write(_ packet: MediaPacket) throws(MediaWritingError) {
        guard var lane = lanes[packet.trackID] else { return }
        if let decoder = lane.decoder {
            // A damaged packet is left out.
            let cues = (try? decoder.decode(packet)) ?? []
            for cue in cues {
                try write(
                    lane.flattener.add(
                        cue.text, in: cue.timeRange, isOpenEnded: cue.isOpenEnded), to: &lane)
            }
        } else if let clipped = clip(packet, after: lane.last) {
            lane.last = clipped.presentationTime
            try lane.input.appendAndWait(clipped.moved(by: origin))
        }
        lanes[packet.trackID] = lane
    }

    /// Appends the remaining subtitles, and marks the inputs as finished.
    package func finish() throws(MediaWritingError) {
        for id in trackIDs {
            guard var lane = lanes[id] else { continue }
            for cue in lane.decoder?.finish() ?? [] {
                try write(lane.flattener.add(cue.text, in: cue.timeRange), to: &lane)
            }
            try write(lane.flattener.finish(), to: &lane)
            try lane.input.markAsFinished()
        }
        lanes = [:]
    }

    private func write(
        _ pieces: [SubtitleFlattener.Piece], to lane: inout Lane
    ) throws(MediaWritingError) {
        for piece in pieces {
            let start = max(piece.range.start, range.start)
            let end = min(piece.range.end, range.end)
            guard end > start else { continue }
            try lane.input.appendAndWait(
                piece.text, in: MediaTimeRange(start: start - origin, duration: end - start))
        }
    }

    /// Returns the packet, cut to the range and to the time after the previous packet. Returns nil
    /// if nothing is left, or if the packet has no text because it fills the gap between two
    /// subtitles.
    private func clip(_ packet: MediaPacket, after last: MediaTime) -> MediaPacket? {
        var packet = packet
        guard packet.presentationTime.isNumeric, packet.presentationTime < range.end else {
            return nil
        }
        let isTimedText = lanes[packet.trackID]?.track.formatDescription.codec == "mov_text"
        // Such a packet has only the length field, because the text is empty (3GPP TS 26.245,
        // 5.17). The muxer writes its own packets for gaps.
        if isTimedText, packet.byteCount <= 2 { return nil }
        let end = packet.duration.isNumeric ? min(packet.end, range.end) : .invalid
        let start = max(packet.presentationTime, max(range.start, last))
        if end.isNumeric, end <= start { return nil }
        packet.presentationTime = start
        packet.decodeTime = start
        if end.isNumeric { packet.duration = end - start }
        return packet
    }
}
