// SPDX-License-Identifier: Apache-2.0

public import PlayheadAssets
public import PlayheadAudio
import PlayheadThreads
public import PlayheadTime
public import PlayheadVideoCompositions
public import PlayheadWriting
import Synchronization

/// A session that converts an asset, or a range of it, to a file.
///
/// A session exports once. Set its properties, then call `export(to:as:)`:
///
///     let session = AssetExportSession(asset: film, preset: .h264_1280x720)
///     session.timeRange = firstMinute
///     try await session.export(to: "short.mp4")
///
/// Another task may follow the progress:
///
///     for await state in session.states() { print(state) }
///
/// The session exports the video and audio tracks that a player would play. For a composition, it
/// mixes all enabled audio tracks, and times without video are black. Metadata, chapters, the
/// timecode and text subtitles are those of the source; subtitles of a codec that the container
/// does not store become plain text. Frames whose size and colours need no conversion are encoded
/// as they were decoded.
///
/// - Concurrency: any thread. Reading, encoding and writing use separate threads.
/// - Ownership: keeps the asset.
/// - Errors: `MediaWritingError`. After a failure or a cancellation there is no new file, and an
///   existing file is unchanged.
/// - Corresponds to: `AVAssetExportSession`.
public final class AssetExportSession: Sendable {
    /// The progress of an export.
    public enum State: Sendable, Hashable {
        /// `export(to:as:)` has not been called.
        case pending
        /// The file is being written. The progress, from 0 to below 1, is the fraction of the
        /// duration that has been processed: it is between the fraction that has been encoded and
        /// the fraction that has been written. It never decreases.
        case exporting(progress: Double)
        /// The file is complete and in its final place.
        case completed
        /// The file could not be written.
        case failed(MediaWritingError)
        /// The export was cancelled.
        case cancelled

        /// A Boolean value that indicates whether no other state follows.
        public var isFinal: Bool {
            switch self {
            case .pending, .exporting: false
            case .completed, .failed, .cancelled: true
            }
        }
    }

    private struct Options {
        var timeRange: MediaTimeRange?
        var metadata: [MetadataItem]?
        var chapters: [Chapter]?
        var audioMix: AudioMix?
        var audioTrackIDs: [Int]?
        var fileLengthLimit: Int64?
        var renderSize: (width: Double, height: Double)?
        var videoComposition: VideoComposition?
        var movesIndexToFront = false
        var replaces = false
        var sources: [String] = []
        var writer: AssetWriter?
        var isCancelled = false
    }

    /// The asset to export.
    public let asset: Asset
    /// The codecs, the size and the quality.
    public let preset: AssetExportPreset

    private let engine: any WritingEngine
    private let compositionEngine: (any VideoCompositionEngine)?
    private let options = Mutex(Options())
    private let progress = ExportStates()
    private let cancellation = Cancellation()
    private let ending = Cancellation()
    private let drawing = VideoCompositionDrawing()

    /// Creates a session.
    ///
    /// - Parameter compositionEngine: The engine that draws video compositions; nil if the session
    ///   exports none.
    package init(
        asset: Asset, preset: AssetExportPreset, engine: any WritingEngine,
        compositionEngine: (any VideoCompositionEngine)? = nil
    ) {
        self.asset = asset
        self.preset = preset
        self.engine = engine
        self.compositionEngine = compositionEngine
    }

    // MARK: - Properties

    /// The range to export; nil, the default, for the whole asset. Set it before the export.
    public var timeRange: MediaTimeRange? {
        get { options.withLock { $0.timeRange } }
        set { options.withLock { $0.timeRange = newValue } }
    }

    /// The metadata of the file; nil, the default, for that of the asset. Set it before the export.
    public var metadata: [MetadataItem]? {
        get { options.withLock { $0.metadata } }
        set { options.withLock { $0.metadata = newValue } }
    }

    /// The chapters of the file, in times of the file; nil, the default, for those of the asset.
    package var chapters: [Chapter]? {
        get { options.withLock { $0.chapters } }
        set { options.withLock { $0.chapters = newValue } }
    }

    /// The volumes and pans of the audio tracks; nil, the default, for unchanged audio. A mix with
    /// taps is refused, because taps are called only during playback on an audio device. Set it
    /// before the export.
    public var audioMix: AudioMix? {
        get { options.withLock { $0.audioMix } }
        set { options.withLock { $0.audioMix = newValue } }
    }

    /// The audio tracks to mix, by `AssetTrack.id`; nil, the default, for those that play by
    /// default. Set it before the export.
    public var audioTrackIDs: [Int]? {
        get { options.withLock { $0.audioTrackIDs } }
        set { options.withLock { $0.audioTrackIDs = newValue } }
    }

    /// The maximum size of the file, in bytes; nil, the default, for no maximum. Bit rates are
    /// lowered so that the file stays below the maximum. If the preset does not allow this, the
    /// export fails before anything is written. Set this property before the export.
    public var fileLengthLimit: Int64? {
        get { options.withLock { $0.fileLengthLimit } }
        set { options.withLock { $0.fileLengthLimit = newValue } }
    }

    /// The size of the upright frames, in square pixels, before the preset's maximum is applied;
    /// nil, the default, for the size of the first frame. Frames with another aspect ratio get
    /// black bars. Set it before the export.
    public var renderSize: (width: Double, height: Double)? {
        get { options.withLock { $0.renderSize } }
        set { options.withLock { $0.renderSize = newValue } }
    }

    /// The composition that draws the video from several tracks; nil, the default, to export the
    /// frames of one track. Its render size replaces `renderSize`. Set it before the export.
    ///
    /// - Corresponds to: `AVAssetExportSession.videoComposition`.
    public var videoComposition: VideoComposition? {
        get { options.withLock { $0.videoComposition } }
        set { options.withLock { $0.videoComposition = newValue } }
    }

    /// A Boolean value that indicates whether the index of an MP4 or QuickTime file is placed
    /// before its samples. Set it before the export.
    public var shouldOptimizeForNetworkUse: Bool {
        get { options.withLock { $0.movesIndexToFront } }
        set { options.withLock { $0.movesIndexToFront = newValue } }
    }

    /// A Boolean value that indicates whether an existing file at the path is replaced when the new
    /// file is complete; `false` by default. Set it before the export.
    public var replacesExistingFile: Bool {
        get { options.withLock { $0.replaces } }
        set { options.withLock { $0.replaces = newValue } }
    }

    /// The paths of the files from which the asset is read. None of them may be the output.
    ///
    /// The session determines the paths of file assets and compositions itself.
    public var sourcePaths: [String] {
        get { options.withLock { $0.sources } }
        set { options.withLock { $0.sources = newValue } }
    }

    // MARK: - State

    /// The progress of the export.
    public var state: State { progress.state }

    /// Returns the states from now on: the current one first, and the final one last.
    ///
    /// - Parameter updateInterval: The minimum time between two reports of progress.
    /// - Corresponds to: `states(updateInterval:)`.
    public func states(
        updateInterval: MediaTime = MediaTime(value: 1, timescale: 10)
    ) -> AsyncStream<State> { progress.stream(updateInterval) }

    // MARK: - Export

    /// Exports the asset to a file, and returns when the file is complete and in its final place.
    ///
    /// Cancelling the task cancels the export.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - fileType: The container; nil selects it by the path's extension.
    /// - Throws: `fileExists`, `outputIsInput` or `cannotCreate` if the file cannot be created;
    ///   `unsupportedFormat` if the preset does not support the asset or the container;
    ///   `unreadable` if the asset cannot be read; `diskFull` or `writeFailed`; `cancelled`.
    /// - Corresponds to: `export(to:as:)`.
    public func export(
        to path: String, as fileType: MediaFileType? = nil
    ) async throws(MediaWritingError) {
        guard progress.begin() else {
            if progress.state == .cancelled { throw .exportCancelled(path) }
            throw MediaWritingError(
                .wrongState, subject: path, cause: "the session has exported before",
                remedy: "create a session for each file")
        }
        let job: ExportJob
        do throws(MediaWritingError) {
            job = try makeJob(path, fileType)
        } catch {
            // Observers of the states wait for a final one.
            progress.end(.failed(error))
            throw error
        }
        _ = WorkerThread(name: "ph-export") { self.run(job) }
        let progress = progress
        var end = await waitForCompletion(orCancellation: State?.none) { completion in
            progress.onEnd { completion($0) }
        }
        if end == nil {
            cancelExport()
            // If the file was already moving into place, it is complete now.
            end = await withCheckedContinuation { continuation in
                progress.onEnd { continuation.resume(returning: $0) }
            }
        }
        switch end {
        case .failed(let error): throw error
        case .cancelled: throw .exportCancelled(path)
        case .pending, .exporting, .completed, nil: return
        }
    }

    /// Cancels the export and removes its file, without waiting for encoders. Does nothing if the
    /// file is complete.
    public func cancelExport() {
        cancellation.cancel()
        let writer = options.withLock { options in
            options.isCancelled = true
            return options.writer
        }
        drawing.cancel()
        writer?.cancelWriting()
        switch writer?.status {
        // If the file is moving into place, the thread completes it.
        case .writing, .completed: break
        default: progress.end(.cancelled)
        }
    }

    /// Ends the export early. The file is completed with the samples that have been read so far.
    package func finishEarly() { ending.cancel() }

    private func run(_ job: ExportJob) {
        do throws(MediaWritingError) {
            let writer: AssetWriter
            if job.preset.isPassthrough {
                let run = try PassthroughRun(
                    job, engine: engine, cancellation: cancellation, started: begin)
                writer = run.writer
                try run.run()
            } else {
                let run = try ExportRun(
                    job, engine: engine, cancellation: cancellation, started: begin)
                writer = run.writer
                try run.run()
            }
            try writer.finishWritingAndWait()
            progress.end(.completed)
        } catch {
            options.withLock { $0.writer }?.cancelWriting()
            progress.end(
                error.code == .cancelled && cancellation.isCancelled
                    ? .cancelled : .failed(error))
        }
    }

    /// Stores a writer that is about to start, so that it can be cancelled.
    private func begin(_ writer: AssetWriter, _ duration: MediaTime?) throws(MediaWritingError) {
        let isCancelled = options.withLock { options in
            options.writer = writer
            return options.isCancelled
        }
        guard !isCancelled else { throw .exportCancelled(writer.path) }
        guard let total = duration?.seconds, total > 0 else { return }
        let progress = progress
        writer.onProcessed { progress.report(min($0 / total, 0.999)) }
    }

    private func makeJob(
        _ path: String, _ fileType: MediaFileType?
    ) throws(MediaWritingError) -> ExportJob {
        guard let type = fileType ?? MediaFileType(path: path) else {
            throw MediaWritingError(
                .unsupportedFormat, subject: path, cause: "no container has this extension",
                remedy: "use one of "
                    + preset.fileTypes.compactMap { $0.pathExtensions.first.map { ".\($0)" } }
                    .joined(separator: ", "))
        }
        if preset.isPassthrough, videoComposition != nil {
            throw MediaWritingError(
                .unsupportedFormat, subject: path,
                cause: "the preset \(preset.name) copies samples, but a video composition draws "
                    + "new frames",
                remedy: "use a preset that re-encodes")
        }
        return options.withLock { options in
            ExportJob(
                asset: asset, preset: preset, path: path, fileType: type,
                timeRange: options.timeRange, metadata: options.metadata,
                chapters: options.chapters, ending: ending,
                audioMix: options.audioMix, audioTrackIDs: options.audioTrackIDs,
                fileLengthLimit: options.fileLengthLimit,
                renderSize: options.videoComposition == nil ? options.renderSize : nil,
                videoComposition: options.videoComposition, compositionEngine: compositionEngine,
                drawing: drawing,
                movesIndexToFront: options.movesIndexToFront,
                replacesExistingFile: options.replaces, sourcePaths: options.sources)
        }
    }

    // MARK: - Queries

    /// Returns the expected size of the file, in bytes, or nil if the duration of the asset is not
    /// known.
    ///
    /// For presets with a constant quality, the estimate is for typical camera footage. Noise and
    /// fast motion need up to twice as much, drawings much less. The estimate does not exceed the
    /// preset's maximum bit rate.
    ///
    /// - Corresponds to: `estimatedOutputFileLengthInBytes`.
    public func estimateOutputFileLength(
        as fileType: MediaFileType? = nil
    ) async throws(MediaWritingError) -> Int64? {
        let description = try await Self.description(of: asset)
        let job = try makeJob("estimate", fileType ?? preset.fileTypes.first ?? .mp4)
        let source = try reading { () throws(MediaError) in
            try ExportSource(
                description, subject: asset.subject, audioTrackIDs: job.audioTrackIDs
            ).composed(by: job.videoComposition)
        }
        let range = try reading { () throws(MediaError) in try source.range(job.timeRange) }
        let duration = source.duration(of: range)
        if preset.isPassthrough {
            guard let seconds = duration?.seconds, description.dataRate > 0 else { return nil }
            return Int64(Double(description.dataRate) * seconds / 8)
        }
        return try ExportPlan(
            source, picture: nil, duration: duration, job: job, sampleRate: engine.sampleRate
        ).byteCount
    }

    /// Returns a Boolean value that indicates whether the asset can be exported with the preset to
    /// a container.
    ///
    /// - Corresponds to: `compatibility(ofExportPreset:with:outputFileType:)`.
    public func isCompatible(with fileType: MediaFileType) async -> Bool {
        guard let description = try? await Self.description(of: asset),
            let job = try? makeJob("", fileType),
            let source = try? ExportSource(
                description, subject: asset.subject, audioTrackIDs: job.audioTrackIDs
            ).composed(by: job.videoComposition)
        else { return false }
        if preset.isPassthrough {
            return preset.fileTypes.contains(fileType)
                && description.container != "composition"
                && (source.video != nil || !source.audio.isEmpty)
        }
        let plan = try? ExportPlan(
            source, picture: nil, duration: nil, job: job, sampleRate: engine.sampleRate)
        // A preset with a video codec requires a video track.
        return plan.map { preset.videoCodec == nil || $0.video != nil } ?? false
    }

    private static func description(
        of asset: Asset
    ) async throws(MediaWritingError) -> AssetDescription {
        do throws(MediaError) {
            return try await asset.load(.description)
        } catch {
            throw MediaWritingError(error)
        }
    }
}
