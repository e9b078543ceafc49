// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime
import PlayheadWriting

/// The work of the thread that runs an export without encoding. It copies compressed samples.
///
/// Copying starts at the keyframe before the start of the range, and an edit list hides the samples
/// before the start. A sample on which samples of the range depend is copied even if it is shown
/// after the end.
///
/// - Concurrency: one thread.
struct PassthroughRun {
    let writer: AssetWriter
    private let demuxer: any Demuxer
    private let range: MediaTimeRange
    private let hasRange: Bool
    private let cancellation: Cancellation
    private let ending: Cancellation
    private var inputs: [Int: AssetWriterInput] = [:]
    private let videoID: Int?
    private let subtitles: ExportSubtitles

    /// The duration of audio before the start that decoders need in order to decode the samples at
    /// the start correctly.
    private static let preroll = MediaTime(value: 1, timescale: 10)

    init(
        _ job: ExportJob, engine: any WritingEngine, cancellation: Cancellation,
        started: (AssetWriter, MediaTime?) throws(MediaWritingError) -> Void
    ) throws(MediaWritingError) {
        self.cancellation = cancellation
        ending = job.ending
        let demuxer = try reading { () throws(MediaError) in
            try job.asset.openDemuxer(cancellation: cancellation)
        }
        self.demuxer = demuxer
        let description = demuxer.description
        let source = try reading { () throws(MediaError) in
            try ExportSource(
                description, subject: job.asset.subject, audioTrackIDs: job.audioTrackIDs)
        }
        range = try reading { () throws(MediaError) in try source.range(job.timeRange) }
        hasRange = job.timeRange != nil
        videoID = source.video?.id
        guard job.preset.fileTypes.contains(job.fileType) else {
            throw MediaWritingError(
                .unsupportedFormat, subject: job.path,
                cause: "compressed samples cannot be copied to \(job.fileType.rawValue) files",
                remedy: "use .mp4, .mov, .mkv or .webm")
        }
        writer = try AssetWriter(path: job.path, fileType: job.fileType, engine: engine)
        writer.replacesExistingFile = job.replacesExistingFile
        writer.sourcePaths = job.sourcePaths
        writer.shouldOptimizeForNetworkUse = job.movesIndexToFront
        writer.metadata = job.metadata ?? ExportTimecode.removed(from: description.metadata)
        writer.chapters =
            job.chapters ?? ExportChapters.moved(description.chapters, into: range)
        let sounds = job.audioTrackIDs == nil ? description.tracks(of: .audio) : source.audio
        for track in [source.video].compactMap({ $0 }) + sounds {
            guard let parameters = demuxer.sampleParameters(of: track) else {
                throw MediaWritingError(
                    .unsupportedFormat, subject: job.path,
                    cause: "the samples of \(job.asset.subject) cannot be copied",
                    remedy: track.isEncrypted
                        ? "use media that is not encrypted" : "use a preset that re-encodes")
            }
            var format = EncodedTrackFormat(track, parameters: parameters)
            format.isEnabled = track.isDefault || track.id == source.audio.first?.id
            let input = AssetWriterInput(passthrough: format)
            if track.id == source.video?.id {
                input.timecode = ExportTimecode.text(
                    of: track, in: description, at: range.start, for: job.fileType)
            }
            try writer.add(input)
            inputs[track.id] = input
        }
        subtitles = ExportSubtitles(of: demuxer, in: range, for: job.fileType)
        try subtitles.add(to: writer)
        guard !inputs.isEmpty else {
            throw MediaWritingError(
                .noSamples, subject: job.asset.subject, cause: "it has neither video nor audio",
                remedy: "use media with video or audio")
        }
        try started(writer, source.duration(of: range))
    }

    // MARK: - Work

    /// The state of a track that is being copied.
    private struct Lane {
        let input: AssetWriterInput
        let isVideo: Bool
        var times: DecodeTimes
        /// The packets that are shown after the end. They are copied if a later packet is shown
        /// before the end.
        var late: [MediaPacket] = []
    }

    /// Copies the samples. The caller must finish the writer.
    func run() throws(MediaWritingError) {
        try writer.startWriting()
        demuxer.selectTracks(Set(inputs.keys))
        if hasRange {
            try reading { () throws(MediaError) in try demuxer.seek(to: range.start) }
        }
        // Subtitles do not decide where reading begins.
        demuxer.selectTracks(Set(inputs.keys).union(subtitles.trackIDs))
        var lanes = inputs.reduce(into: [Int: Lane]()) { lanes, entry in
            let track = demuxer.description.tracks.first { $0.id == entry.key }
            guard let track else { return }
            lanes[entry.key] = Lane(
                input: entry.value, isVideo: entry.key == videoID, times: DecodeTimes(track))
        }
        var start: MediaTime?
        while !lanes.isEmpty, !ending.isCancelled,
            let packet = try reading({ () throws(MediaError) in try demuxer.readPacket() })
        {
            if cancellation.isCancelled { throw .exportCancelled(writer.path) }
            let isSubtitle = subtitles.trackIDs.contains(packet.trackID)
            guard isSubtitle || lanes[packet.trackID] != nil else { continue }
            if start == nil {
                start = try startSession(with: packet)
                if let start { try subtitles.begin(at: start) }
            }
            guard let start else { continue }
            if isSubtitle {
                try subtitles.append(packet)
                continue
            }
            guard var lane = lanes[packet.trackID] else { continue }
            // Decoders need some audio before the start, which only an edit list can hide.
            let lead = writer.fileType.isMovie ? Self.preroll : .zero
            if !lane.isVideo, packet.end.isNumeric, packet.end <= start - lead { continue }
            guard lane.isVideo else {
                if try !copy(packet, &lane) { lanes[packet.trackID] = nil }
                continue
            }
            guard let known = lane.times.add(packet) else {
                throw MediaWritingError(
                    .unsupportedFormat, subject: writer.path,
                    cause: "the compressed frames have no decode times",
                    remedy: "use a preset that re-encodes")
            }
            lanes[packet.trackID] = lane
            for packet in known where try !copy(packet, &lane) {
                lanes[packet.trackID] = nil
                break
            }
            if lanes[packet.trackID] != nil { lanes[packet.trackID] = lane }
        }
        for var lane in lanes.values {
            for packet in lane.times.finish() where try !copy(packet, &lane) { break }
            try? lane.input.markAsFinished()
        }
        try subtitles.finish()
        guard start != nil else {
            throw MediaWritingError(
                .noSamples, subject: writer.path, cause: "the range contains no sample",
                remedy: "choose another range")
        }
    }

    /// Starts the session at the start of the range or, in a container without edit lists, at the
    /// keyframe before it. Returns the start of the session; nil if the packet is before it.
    private func startSession(with packet: MediaPacket) throws(MediaWritingError) -> MediaTime? {
        var start = range.start
        if hasRange, !writer.fileType.isMovie {
            guard videoID == nil || packet.trackID == videoID, packet.presentationTime.isNumeric
            else { return nil }
            start = packet.presentationTime
        }
        try writer.startSession(atSourceTime: start)
        if range.end.isNumeric { try writer.endSession(atSourceTime: range.end) }
        return start
    }

    /// Copies a packet. If no packet of the range follows, finishes the input and returns false.
    private func copy(
        _ packet: MediaPacket, _ lane: inout Lane
    ) throws(MediaWritingError) -> Bool {
        let time =
            packet.presentationTime.isNumeric ? packet.presentationTime : packet.decodeTime
        guard time.isNumeric else { return true }
        if time >= range.end {
            lane.late.append(packet)
            let order = packet.decodeTime.isNumeric ? packet.decodeTime : time
            guard !lane.isVideo || order >= range.end else { return true }
            try lane.input.markAsFinished()
            return false
        }
        for earlier in lane.late { try lane.input.appendAndWait(earlier) }
        lane.late = []
        try lane.input.appendAndWait(packet)
        return true
    }
}
