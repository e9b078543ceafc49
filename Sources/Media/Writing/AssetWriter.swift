// SPDX-License-Identifier: Apache-2.0

public import PlayheadAssets
import PlayheadThreads
public import PlayheadTime
import Synchronization

/// A writer of a media file from frames, audio, subtitles and compressed samples.
///
/// Add inputs, start writing, start a session, append samples to the inputs, mark each input as
/// finished, and finish the file. Each input encodes its samples on a separate thread, and another
/// thread writes them. The queues between the threads are bounded.
///
///     let writer = try AssetWriter(path: "out.mp4")
///     let settings = VideoOutputSettings(codec: .h264, width: 1280, height: 720)
///     let input = AssetWriterInput(video: settings)
///     try writer.add(input)
///     try writer.startWriting()
///     try writer.startSession(atSourceTime: .zero)
///     for (index, frame) in frames.enumerated() {
///         try await input.append(frame, at: MediaTime(value: Int64(index), timescale: 30))
///     }
///     try await writer.finishWriting()
///
/// The file has a temporary name that ends with `.part` until it is complete. At the path, there is
/// therefore either the complete file or the previous one. If the process is killed, the temporary
/// file remains; with a `movieFragmentInterval`, it plays up to its last fragment.
///
/// - Concurrency: any thread.
/// - Ownership: if the writer is released before the file is finished, it removes the file.
/// - Errors: `MediaWritingError`. After a failure, all calls throw the error of that failure, and
///   there is no new file.
/// - Corresponds to: `AVAssetWriter`.
public final class AssetWriter: Sendable {
    /// The state of writing the file.
    ///
    /// - Corresponds to: `AVAssetWriter.Status`.
    public enum Status: Sendable, Hashable {
        /// `startWriting` has not been called.
        case unknown
        /// Samples can be appended, or the file is being completed.
        case writing
        /// The file is complete and in its final place.
        case completed
        /// The file could not be written.
        case failed(MediaWritingError)
        /// `cancelWriting` was called.
        case cancelled
    }

    /// The path of the file.
    public let path: String
    /// The container.
    public let fileType: MediaFileType

    private struct Options {
        var muxer = MuxerOptions()
        var replaces = false
        var discards = false
        var keepsPartialFile = false
        var sources: [String] = []
        var inputs: [AssetWriterInput] = []
        var file: WritingFile?
        var capacity: Int64?
        var completion = WritingFile.Completion()
    }

    let core: WriterCore
    private let engine: any WritingEngine
    private let delegate: (any AssetWriterDelegate)?
    private let options = Mutex(Options())

    /// Creates a writer.
    ///
    /// - Parameters:
    ///   - fileType: The container; nil selects it by the path's extension.
    /// - Throws: `unsupportedFormat` if no container has the extension.
    package init(
        path: String, fileType: MediaFileType? = nil, engine: any WritingEngine
    ) throws(MediaWritingError) {
        guard let type = fileType ?? MediaFileType(path: path) else {
            throw MediaWritingError(
                .unsupportedFormat, subject: path, cause: "no container has this extension",
                remedy: "use .mp4, .mov, .mkv or .webm, or .m4a, .wav, .flac or .opus for audio")
        }
        self.path = path
        self.fileType = type
        self.engine = engine
        delegate = nil
        core = WriterCore(subject: path)
    }

    /// Creates a writer of segments in fragmented MP4.
    ///
    /// - Precondition: The interval is positive.
    package init(
        segmentInterval: MediaTime, delegate: any AssetWriterDelegate, engine: any WritingEngine
    ) {
        precondition(
            segmentInterval.isNumeric && segmentInterval > .zero, "the interval is positive")
        path = "segments"
        fileType = .mp4
        self.engine = engine
        self.delegate = delegate
        core = WriterCore(subject: path, segmentInterval: segmentInterval)
        options.withLock { $0.muxer.segmentInterval = segmentInterval }
    }

    deinit { cancelWriting() }

    // MARK: - Properties

    /// The state of writing the file.
    public var status: Status {
        switch core.monitor.withLock({ $0.writing.phase }) {
        case .unknown: .unknown
        case .writing, .finishing, .committing: .writing
        case .completed: .completed
        case .cancelled: .cancelled
        case .failed(let error): .failed(error)
        }
    }

    /// The metadata, such as title and artist. Set it before `startWriting`.
    public var metadata: [MetadataItem] {
        get { options.withLock { $0.muxer.metadata } }
        set { options.withLock { $0.muxer.metadata = newValue } }
    }

    /// The chapters. Set them before `startWriting`.
    public var chapters: [Chapter] {
        get { options.withLock { $0.muxer.chapters } }
        set { options.withLock { $0.muxer.chapters = newValue } }
    }

    /// The duration of a fragment of an MP4 or QuickTime file. Such a file plays up to its last
    /// fragment, even if it is not finished. `invalid`, the default, means no fragments. Set it
    /// before `startWriting`.
    public var movieFragmentInterval: MediaTime {
        get { options.withLock { $0.muxer.fragmentInterval } }
        set { options.withLock { $0.muxer.fragmentInterval = newValue } }
    }

    /// A Boolean value that indicates whether the index of an MP4 or QuickTime file is placed
    /// before the samples, so that the file can play during a download. Set it before
    /// `startWriting`.
    public var shouldOptimizeForNetworkUse: Bool {
        get { options.withLock { $0.muxer.movesIndexToFront } }
        set { options.withLock { $0.muxer.movesIndexToFront = newValue } }
    }

    /// A Boolean value that indicates whether an existing file at the path is replaced when the new
    /// file is complete; `false` by default. Set it before `startWriting`.
    public var replacesExistingFile: Bool {
        get { options.withLock { $0.replaces } }
        set { options.withLock { $0.replaces = newValue } }
    }

    /// The paths of the files from which the samples come. None of them may be the output.
    public var sourcePaths: [String] {
        get { options.withLock { $0.sources } }
        set { options.withLock { $0.sources = newValue } }
    }

    /// A Boolean value that indicates whether the temporary file stays if it cannot be written any
    /// further, for recordings, which cannot be repeated; `false` by default. Set it before
    /// `startWriting`.
    package var keepsPartialFile: Bool {
        get { options.withLock { $0.keepsPartialFile } }
        set { options.withLock { $0.keepsPartialFile = newValue } }
    }

    /// A Boolean value that indicates whether nothing is written, as in the first of two passes.
    package var discardsOutput: Bool {
        get { options.withLock { $0.discards } }
        set { options.withLock { $0.discards = newValue } }
    }

    /// The file size, in bytes, above which the disk is treated as full, for tests.
    package var diskCapacity: Int64? {
        get { options.withLock { $0.capacity } }
        set { options.withLock { $0.capacity = newValue } }
    }

    /// The system calls that complete the file, for tests.
    package var completion: WritingFile.Completion {
        get { options.withLock { $0.completion } }
        set { options.withLock { $0.completion = newValue } }
    }

    /// The path of the temporary file during writing; nil before.
    package var temporaryPath: String? { options.withLock { $0.file?.path } }

    // MARK: - Writing

    /// Adds an input. Call it before `startWriting`.
    ///
    /// - Throws: `unsupportedFormat` if the container does not store the type of the input, or
    ///   stores only one track and already has it.
    public func add(_ input: AssetWriterInput) throws(MediaWritingError) {
        let stores =
            switch input.mediaType {
            case .video: fileType.storesVideo
            case .audio: fileType.storesAudio
            case .subtitle: fileType.storesSubtitles
            case .closedCaption, .timecode, .metadata, .data, .attachment: false
            }
        let count = options.withLock { $0.inputs.count }
        guard stores, count == 0 || !fileType.holdsOneTrack else {
            throw MediaWritingError(
                .unsupportedFormat, subject: path,
                cause: stores
                    ? "\(fileType.rawValue) files hold only one track"
                    : "\(fileType.rawValue) files cannot store \(input.mediaType.rawValue)",
                remedy: "remove the input, or use .mp4, .mov or .mkv")
        }
        try input.attach(
            to: core,
            as: WritingState.Input(
                mediaType: input.mediaType, isPassthrough: input.isPassthrough,
                timescale: min(input.timescale, fileType.ticksPerSecond),
                maximumFrameTicks: fileType.maximumFrameTicks), path)
        options.withLock { $0.inputs.append(input) }
    }

    /// Opens the encoders, creates the file and writes its header.
    ///
    /// Blocks until the encoders have started, which takes some tens of milliseconds.
    ///
    /// - Throws: `fileExists`, `outputIsInput` or `cannotCreate` if the file cannot be created;
    ///   `encoderMissing` or `unsupportedFormat` if an input cannot be encoded or stored.
    public func startWriting() throws(MediaWritingError) {
        try core.attempt { state throws(MediaWritingError) in try state.writing.start() }
        do throws(MediaWritingError) {
            try start()
        } catch {
            options.withLock { $0.file }?.remove()
            core.fail(error)
            throw error
        }
    }

    private func start() throws(MediaWritingError) {
        let (inputs, replaces, sources, muxing) = options.withLock {
            ($0.inputs, $0.replaces, $0.sources, $0.muxer)
        }
        // This check comes before the encoders are opened, because opening them takes longer.
        let isInMemory = delegate != nil || discardsOutput
        if !isInMemory {
            try WritingFile.check(path, replaces: replaces, inputs: sources)
        }
        var tracks: [EncodedTrackFormat] = []
        var runs: [@Sendable () throws(MediaWritingError) -> Void] = []
        for (lane, input) in inputs.enumerated() {
            let (format, run) = try input.prepare(engine, fileType, core, lane)
            tracks.append(format)
            if let run { runs.append(run) }
        }
        let file =
            isInMemory
            ? WritingFile(inMemoryFor: path)
            : try WritingFile(path, replaces: replaces, inputs: sources)
        options.withLock { options in
            file.capacity = options.capacity
            file.completion = options.completion
            file.staysAfterFailure = options.keepsPartialFile
            options.file = file
        }
        let muxer: any MediaMuxer =
            discardsOutput
            ? DiscardingMuxer()
            : try engine.makeMuxer(of: file, type: fileType, tracks: tracks, options: muxing)
        try muxer.begin()
        let core = core
        for run in runs {
            _ = WorkerThread(name: "ph-encode") { Self.perform(run, core, file) }
        }
        let writing = WritingRun(
            core: core, muxer: muxer, file: file, segments: segments(of: inputs, muxer, file))
        _ = WorkerThread(name: "ph-write") {
            Self.perform({ () throws(MediaWritingError) in try writing.run() }, core, file)
            // This removes the file of a writer that was cancelled.
            file.remove()
        }
    }

    /// Returns an object that divides the stream into segments; nil for a file.
    private func segments(
        of inputs: [AssetWriterInput], _ muxer: any MediaMuxer, _ file: WritingFile
    ) -> SegmentRun? {
        guard let delegate, let interval = core.segmentInterval else { return nil }
        let lane = inputs.firstIndex { $0.mediaType == .video } ?? 0
        return SegmentRun(muxer, file, lane: lane, interval: interval) { [weak self] segment in
            if let self { delegate.assetWriter(self, didOutput: segment) }
        }
    }

    /// Runs the work of a thread. If it throws an error, the file is removed before callers receive
    /// the error.
    private static func perform(
        _ body: () throws(MediaWritingError) -> Void, _ core: WriterCore, _ file: WritingFile
    ) {
        do throws(MediaWritingError) {
            try body()
        } catch {
            if file.staysAfterFailure, error.code == .diskFull || error.code == .writeFailed {
                file.keep()
            } else {
                file.remove()
            }
            core.fail(error)
        }
    }

    /// Starts the session. Samples at this time are at the beginning of the file, and everything
    /// before it is cut off.
    public func startSession(atSourceTime time: MediaTime) throws(MediaWritingError) {
        try core.attempt { state throws(MediaWritingError) in
            try state.writing.startSession(at: time)
        }
    }

    /// Ends the session. The file ends at this time, and everything appended beyond it is cut off.
    /// Without this call, the file ends with the last sample.
    ///
    /// - Throws: `outOfOrder` if a frame that begins later, or audio that ends later, has already
    ///   been appended.
    public func endSession(atSourceTime time: MediaTime) throws(MediaWritingError) {
        try core.attempt { state throws(MediaWritingError) in
            try state.writing.endSession(at: time)
        }
    }

    /// Completes the file and moves it into place. Inputs that are not marked as finished are
    /// marked now.
    ///
    /// If the task is cancelled, writing is cancelled.
    ///
    /// - Throws: The error of a sample that could not be encoded or written. In this case there is
    ///   no new file.
    public func finishWriting() async throws(MediaWritingError) {
        try beginFinishing()
        let core = core
        let result = await waitForCompletion(
            orCancellation: Result<Void, MediaWritingError>?.none
        ) { completion in
            _ = WorkerThread(name: "ph-finish") { completion(Self.waitForEnd(core)) }
        }
        if let result { return try result.get() }
        cancelWriting()
        // If the file was already moving into place, it is complete now.
        let end = await withCheckedContinuation { continuation in
            _ = WorkerThread(name: "ph-finish") {
                continuation.resume(returning: Self.waitForEnd(core))
            }
        }
        try end.get()
    }

    /// Completes the file like `finishWriting`, but blocks the calling thread.
    package func finishWritingAndWait() throws(MediaWritingError) {
        try beginFinishing()
        try Self.waitForEnd(core).get()
    }

    private func beginFinishing() throws(MediaWritingError) {
        try core.attempt { state throws(MediaWritingError) in
            guard state.writing.sessionStart != nil || state.writing.phase != .writing else {
                throw MediaWritingError(
                    .noSession, subject: path, cause: "no session was started",
                    remedy: "call startSession(atSourceTime:), append samples, then finish")
            }
            try state.writing.finish()
        }
    }

    private static func waitForEnd(_ core: WriterCore) -> Result<Void, MediaWritingError> {
        core.monitor.wait { state in
            switch state.writing.phase {
            case .unknown, .writing, .finishing, .committing: nil
            case .completed: .success(())
            case .failed(let error): .failure(error)
            case .cancelled:
                .failure(
                    MediaWritingError(
                        .cancelled, subject: state.writing.subject,
                        cause: "writing was cancelled"))
            }
        }
    }

    /// Abandons the file and removes it, without waiting for encoders. A file that already existed
    /// at the path stays. Does nothing if the new file is complete.
    public func cancelWriting() {
        let wasWriting = core.update { $0.writing.cancel() }
        guard wasWriting else { return }
        options.withLock { $0.file }?.remove()
    }

    /// The time up to which the file contains the samples of all inputs.
    package var writtenTime: MediaTime { core.monitor.withLock(\.writtenTime) }

    /// Returns the packets that an input's encoder has returned so far: their number, their bytes,
    /// and the bytes of the largest.
    package func encodedSize(
        of input: AssetWriterInput
    ) -> (count: Int, byteCount: Int64, largest: Int64) {
        guard let lane = options.withLock({ $0.inputs.firstIndex { $0 === input } }) else {
            return (0, 0, 0)
        }
        return core.monitor.withLock { $0.lanes[lane].encoded }
    }

    /// Sets a handler that is called with `writtenTime` after each sample, on the writing thread.
    package func onWritten(_ handler: @escaping @Sendable (MediaTime) -> Void) {
        core.writtenHandler.withLock { $0 = handler }
    }

    /// Sets a handler that is called after each sample that an encoder has received or that has
    /// been written, with the part of the session that has been processed, in seconds. Progress
    /// reports use it. Calls come from several threads, and not in order.
    package func onProcessed(_ handler: @escaping @Sendable (Double) -> Void) {
        core.processedHandler.withLock { $0 = handler }
    }
}
