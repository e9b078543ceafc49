// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadAudio
import PlayheadBuffers
import PlayheadTime
import PlayheadWriting

/// The work of the thread that runs an export with encoding. It reads frames and audio in the order
/// of their times and appends them to a writer, whose threads encode and write.
///
/// - Concurrency: one thread.
struct ExportRun {
    private let source: ExportSource
    private let range: MediaTimeRange
    private let plan: ExportPlan
    /// A Boolean value that indicates whether times without a frame are black.
    private let hasGaps: Bool
    let writer: AssetWriter
    private let cancellation: Cancellation
    private let ending: Cancellation
    private var video: Video?
    private var sound: (audio: ExportAudio, input: AssetWriterInput)?
    private let reader: AssetReader
    private let subtitles: ExportSubtitles?

    /// The state of the video: the frame that is due, and the one after it.
    private struct Video {
        let output: any ExportVideoOutput
        let input: AssetWriterInput
        var frames: ExportFrames
        var current: VideoFrame?
        /// The end of the last appended frame; nil before the first frame.
        var end: MediaTime?
    }

    /// Opens the source and the writer.
    ///
    /// - Parameters:
    ///   - started: A function that is called before the writer starts, with the writer and the
    ///     duration of the range, if known.
    init(
        _ job: ExportJob, engine: any WritingEngine, cancellation: Cancellation,
        started: (AssetWriter, MediaTime?) throws(MediaWritingError) -> Void
    ) throws(MediaWritingError) {
        self.cancellation = cancellation
        ending = job.ending
        let reader = try reading { () throws(MediaError) in
            try AssetReader(
                asset: job.asset, timeRange: job.timeRange, cancellation: cancellation)
        }
        let source = try reading { () throws(MediaError) in
            try ExportSource(
                reader.description, subject: job.asset.subject, audioTrackIDs: job.audioTrackIDs
            ).composed(by: job.videoComposition)
        }
        self.source = source
        hasGaps = source.isComposition && job.videoComposition == nil
        range = try reading { () throws(MediaError) in try source.range(job.timeRange) }
        let duration = source.duration(of: range)
        // Outputs must be added before anything is read, but the plan depends on the first frame.
        let draft = try ExportPlan(
            source, picture: nil, duration: duration, job: job, sampleRate: engine.sampleRate)
        let pictures = try source.video.flatMap { track in
            draft.video == nil ? nil : track
        }.map { [range] track throws(MediaWritingError) in
            try reading { () throws(MediaError) in
                try Self.output(of: track, reader, range, job, cancellation)
            }
        }
        let sounds = try Self.sources(of: source, draft, reader, range, job)
        self.reader = reader
        subtitles =
            pictures == nil || source.isComposition
            ? nil : ExportSubtitles(of: reader.demuxer, in: range, for: job.fileType)
        if let subtitles { reader.addSparseTracks(subtitles.trackIDs) }
        let first = try pictures.flatMap { pictures throws(MediaWritingError) in
            try reading { () throws(MediaError) in try pictures.copyNextSampleBuffer() }
        }
        plan = try ExportPlan(
            source,
            picture: first.map {
                source.picture(first: $0.pixelBuffer, of: job.videoComposition)
            }, duration: duration, job: job, sampleRate: engine.sampleRate)
        writer = try AssetWriter(path: job.path, fileType: job.fileType, engine: engine)
        writer.replacesExistingFile = job.replacesExistingFile
        writer.sourcePaths = job.sourcePaths
        writer.shouldOptimizeForNetworkUse = job.movesIndexToFront
        let start = range.start
        let timecode = ExportTimecode.text(
            of: source.video, in: source.description, at: start, for: job.fileType)
        writer.metadata = job.metadata ?? ExportTimecode.removed(from: source.description.metadata)
        writer.chapters =
            job.chapters ?? ExportChapters.moved(source.description.chapters, into: range)
        if let pictures, let first, let planned = plan.video {
            let input = AssetWriterInput(video: planned.settings)
            input.orientation = planned.geometry.orientation
            input.pixelAspectRatio = planned.geometry.pixelAspectRatio
            input.languageTag = source.video?.languageTag
            input.timecode = timecode
            try writer.add(input)
            video = Video(
                output: pictures, input: input,
                frames: ExportFrames(planned, subject: source.subject), current: first)
        }
        if let settings = plan.audio, !sounds.isEmpty {
            let input = AssetWriterInput(audio: settings)
            input.languageTag = source.audio.first?.languageTag
            input.title = source.audio.count == 1 ? source.audio.first?.title : nil
            try writer.add(input)
            let isMixed =
                sounds.count > 1 || job.audioMix != nil
                || source.audio.contains {
                    ($0.formatDescription.audio?.channelCount ?? 0) > settings.format.channelCount
                }
            sound = (
                ExportAudio(
                    sounds, format: settings.format, start: range.start, isMixed: isMixed), input
            )
        }
        guard video != nil || sound != nil else {
            throw MediaWritingError(
                .noSamples, subject: source.subject, cause: "the range contains no frame",
                remedy: "choose another range")
        }
        try subtitles?.add(to: writer)
        try started(writer, duration)
    }

    private static func output(
        of track: AssetTrack, _ reader: AssetReader, _ range: MediaTimeRange, _ job: ExportJob,
        _ cancellation: Cancellation
    ) throws(MediaError) -> any ExportVideoOutput {
        guard let composition = job.videoComposition, let engine = job.compositionEngine else {
            return try reader.addVideoOutput(trackID: track.id, includesPictureAtStart: true)
        }
        return try ComposedVideoOutput(
            composition, of: job.asset, in: range, engine: engine, cancellation: cancellation,
            drawing: job.drawing)
    }

    private static func sources(
        of source: ExportSource, _ plan: ExportPlan, _ reader: AssetReader,
        _ range: MediaTimeRange, _ job: ExportJob
    ) throws(MediaWritingError) -> [ExportAudioSource] {
        guard let format = plan.audio?.format else { return [] }
        var sources: [ExportAudioSource] = []
        let isExact = source.description.providesPreciseDurationAndTiming
        for track in source.audio where track.formatDescription.audio?.sampleRate ?? 0 > 0 {
            let output = try reading { () throws(MediaError) in
                try reader.addAudioOutput(trackID: track.id, format: format)
            }
            let end = isExact && track.timeRange.end.isNumeric ? track.timeRange.end : range.end
            sources.append(
                ExportAudioSource(
                    output, format: format,
                    mix: job.audioMix?.parameters(forTrack: track.id).map {
                        OfflineAudioMix($0, format: format)
                    }, start: range.start, end: min(end, range.end)))
        }
        return sources
    }

    // MARK: - Work

    /// Writes the file without moving it into place. The caller must finish the writer.
    consuming func run() throws(MediaWritingError) {
        try writer.startWriting()
        try writer.startSession(atSourceTime: range.start)
        if range.end.isNumeric { try writer.endSession(atSourceTime: range.end) }
        try subtitles?.begin(at: range.start)
        while !ending.isCancelled {
            if cancellation.isCancelled { throw .exportCancelled(writer.path) }
            let frameTime = video?.current?.presentationTime
            let soundTime = sound?.audio.time
            switch (frameTime, soundTime) {
            case (nil, nil):
                try appendSubtitles()
                return try subtitles?.finish() ?? ()
            case (.some(let frame), .some(let block)) where frame > block: try appendAudio()
            case (.some, _): try appendFrame()
            case (nil, .some): try appendAudio()
            }
            try appendSubtitles()
        }
    }

    private func appendSubtitles() throws(MediaWritingError) {
        guard let subtitles else { return }
        for packet in reader.takeSparsePackets() { try subtitles.append(packet) }
    }

    private mutating func appendAudio() throws(MediaWritingError) {
        guard let (audio, input) = sound else { return }
        guard let block = try reading({ () throws(MediaError) in try audio.next() }) else {
            sound = nil
            try input.markAsFinished()
            return
        }
        try input.appendAndWait(block)
    }

    private mutating func appendFrame() throws(MediaWritingError) {
        guard var video, let frame = video.current else { return }
        let next = try following(frame, video)
        let time = max(frame.presentationTime, range.start)
        try fillGap(until: time, &video)
        // Frames that are shorter than a unit of the file's time are not shown.
        if next.map({ tick($0.presentationTime, video) > tick(time, video) }) ?? true {
            try video.input.appendAndWait(
                try video.frames.frame(of: frame.pixelBuffer), at: time, duration: frame.duration)
        }
        let ownEnd = frame.presentationTime + frame.duration
        video.end =
            hasGaps && ownEnd.isNumeric ? max(ownEnd, time) : next?.presentationTime
        video.current = next
        if next == nil {
            if let end = hasGaps ? source.video?.timeRange.end : nil {
                try fillGap(until: min(end, range.end), &video)
            }
            try video.input.markAsFinished()
        }
        self.video = video
    }

    /// Returns the frame that follows another. Frames whose times go back are left out.
    private func following(
        _ frame: VideoFrame, _ video: Video
    ) throws(MediaWritingError) -> VideoFrame? {
        try reading { () throws(MediaError) in
            while let next = try video.output.copyNextSampleBuffer() {
                if next.presentationTime > frame.presentationTime { return next }
            }
            return nil
        }
    }

    /// Appends black from the end of the last frame to a time, if a composition has a gap there.
    private func fillGap(until time: MediaTime, _ video: inout Video) throws(MediaWritingError) {
        guard hasGaps, time.isNumeric else { return }
        let end = video.end ?? range.start
        guard tick(time, video) > tick(end, video) + 1 else { return }
        try video.input.appendAndWait(video.frames.black(), at: end, duration: time - end)
        video.end = time
    }

    private func tick(_ time: MediaTime, _ video: Video) -> Int64 {
        let scale = min(plan.video?.settings.timescale ?? 1000, writer.fileType.ticksPerSecond)
        return (max(time, range.start) - range.start).converted(toTimescale: scale).value
    }
}
