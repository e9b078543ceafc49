// SPDX-License-Identifier: Apache-2.0

package import PlayheadAssets
import PlayheadBuffers
public import PlayheadPlayback
import PlayheadThreads
public import PlayheadTime
package import PlayheadWriting
import Synchronization

/// An output that records frames and audio into a file.
///
///     let movie = CaptureMovieFileOutput()
///     try session.addOutput(movie)
///     try session.startRunning()
///     try movie.startRecording(to: "out.mkv")
///     ...
///     try await movie.stopRecording()
///
/// Frames are encoded on separate threads. If the encoder is too slow for a frame, the frame is
/// dropped and counted, and leaves a gap in the file's times. Every sample of audio is kept. A
/// pause or a new file cuts the audio at the same time as the frames. If a microphone stops, the
/// file continues with silence. If the process is killed or the disk becomes full, a temporary file
/// remains, which plays up to its last fragment. If `startRecording` is called while a recording is
/// in progress, the recording continues in the new file with the next frame: no frame is lost, and
/// no frame is in both files.
///
/// - Concurrency: any thread.
/// - Ownership: a recording is completed when the session stops or the output is removed. This
///   takes a moment, and `Event.didFinish` reports the end. If the program ends before that, a
///   temporary file remains.
/// - Corresponds to: `AVCaptureMovieFileOutput`.
public final class CaptureMovieFileOutput: CaptureOutput, @unchecked Sendable {
    // Unchecked as its superclass is; the state is under a lock.

    /// An event of a recording.
    public enum Event: Sendable, Hashable {
        /// The first frame is in the file.
        case didStart(path: String)
        /// The file is complete, or failed with an error. If the error is `maximumDurationReached`
        /// or `maximumFileSizeReached`, the file is complete.
        case didFinish(path: String, error: CaptureError?)
    }

    fileprivate struct State {
        var current: MovieRecording?
        /// The recordings whose last audio has not arrived yet.
        var ending: [MovieRecording] = []
        /// The audio of the last second. A recording that starts with a late frame may need it.
        var recentAudio: [AudioBuffer] = []
        /// The recording that starts with the next frame.
        var next: MovieRecording?
        /// The recordings whose files are not complete, in the order in which they were started.
        var incomplete: [MovieRecording] = []
        /// The current recording, or one that is being completed.
        var latest: MovieRecording?
        /// The duration and the dropped frames of the last recording that has been completed.
        var completed = (duration: MediaTime.zero, droppedCount: 0)
        var isPaused = false
        var maxRecordedDuration = MediaTime.invalid
        var maxRecordedFileSize: Int64 = 0
        var fragmentInterval = MediaTime(value: 2, timescale: 1)
        var codec: VideoCodecType?
        var audioCodec: AudioCodecType?
    }

    private let engine: any WritingEngine
    private let state = Mutex(State())
    private let observers = EventObservers<Event>()

    /// Creates an output that writes with an engine.
    package init(engine: any WritingEngine) {
        self.engine = engine
        super.init()
    }

    deinit {
        let recordings = state.withLock { [$0.current, $0.next] + $0.ending }
        for recording in recordings { recording?.finish(waitsForAudio: false) }
    }

    // MARK: - Settings

    /// The duration after which a recording ends by itself, not counting pauses; `invalid`, the
    /// default, for no limit. A change applies to recordings that start later.
    public var maxRecordedDuration: MediaTime {
        get { state.withLock { $0.maxRecordedDuration } }
        set { state.withLock { $0.maxRecordedDuration = newValue } }
    }

    /// The size, in bytes, that the file of a recording does not exceed; 0, the default, for no
    /// limit. The recording ends by itself while there is still room for the frames that the
    /// encoder holds. A change applies to recordings that start later.
    public var maxRecordedFileSize: Int64 {
        get { state.withLock { $0.maxRecordedFileSize } }
        set { state.withLock { $0.maxRecordedFileSize = newValue } }
    }

    /// The duration of the fragments of a file, two seconds by default. A crash loses at most one
    /// fragment. A Matroska file starts a cluster at each keyframe, and keyframes have this
    /// interval too.
    public var movieFragmentInterval: MediaTime {
        get { state.withLock { $0.fragmentInterval } }
        set { state.withLock { $0.fragmentInterval = newValue } }
    }

    /// The codec of recordings that start later; nil, the default, for a fast codec that the
    /// container can store.
    package var videoCodec: VideoCodecType? {
        get { state.withLock { $0.codec } }
        set { state.withLock { $0.codec = newValue } }
    }

    /// The audio codec of recordings that start later; nil, the default, for the container's
    /// default codec.
    package var audioCodec: AudioCodecType? {
        get { state.withLock { $0.audioCodec } }
        set { state.withLock { $0.audioCodec = newValue } }
    }

    // MARK: - State

    /// A Boolean value that indicates whether a recording is in progress or starts with the next
    /// frame.
    public var isRecording: Bool { state.withLock { $0.current != nil || $0.next != nil } }

    /// A Boolean value that indicates whether the recording is paused.
    public var isRecordingPaused: Bool { state.withLock { $0.isPaused } }

    /// The duration of the current recording without pauses. After the recording it keeps its
    /// value, until `startRecording` is called again.
    public var recordedDuration: MediaTime {
        state.withLock { $0.latest?.recordedDuration ?? $0.completed.duration }
    }

    /// The number of frames of the current recording that were dropped because the encoder was too
    /// slow. After the recording it keeps its value, until `startRecording` is called again.
    public var droppedFrameCount: Int {
        state.withLock { $0.latest?.droppedCount ?? $0.completed.droppedCount }
    }

    /// The number of frames of the current recording that wait for the encoder.
    package var waitingFrameCount: Int { state.withLock { $0.current?.waitingCount ?? 0 } }

    /// Calls a handler for each event, until the token is cancelled or released.
    public func observe(
        on queue: ObservationQueue = .background, _ handler: @escaping @Sendable (Event) -> Void
    ) -> ObservationToken {
        observers.observe(on: queue, handler)
    }

    private func post(_ event: Event) { observers.post(event) }

    // MARK: - Recording

    /// Starts a recording with the next frame, or with the next audio if there is no video. The
    /// extension of the path selects the container. If a recording is in progress, it ends where
    /// the new one starts.
    ///
    /// The session does not have to run yet: in this case, the recording starts with the first
    /// frame of the session. AVFoundation reports an error (`sessionNotRunning`) instead.
    ///
    /// - Parameter replacesExistingFile: A Boolean value that indicates whether a file at the path
    ///   is replaced when the recording is complete.
    /// - Throws: `wrongState` if the output has no connection; `cannotWrite` if the extension does
    ///   not belong to a container that can store the media, or if there is a file at the path that
    ///   may not be replaced.
    public func startRecording(
        to path: String, replacesExistingFile: Bool = false
    ) throws(CaptureError) {
        guard connection != nil else {
            throw CaptureError(
                .wrongState, subject: path, cause: "the output is not connected to a device",
                remedy: "add it to a session with an input first")
        }
        let hasVideo = connection(with: .video) != nil
        let type = MediaFileType(path: path)
        guard let type, hasVideo ? type.storesVideo && !type.holdsOneTrack : type.storesAudio else {
            throw CaptureError(
                .cannotWrite, subject: path,
                cause: "no container for recordings has this extension",
                remedy: hasVideo
                    ? "use .mkv, .mp4, .mov or .webm" : "use .wav, .flac, .m4a, .opus or .mka")
        }
        do throws(MediaWritingError) {
            try WritingFile.check(path, replaces: replacesExistingFile, inputs: [])
        } catch {
            throw CaptureError(
                .cannotWrite, subject: path, cause: error.cause, remedy: error.remedy)
        }
        var audioFormat: AudioFormat?
        if let connection = connection(with: .audio), connection.isEnabled {
            audioFormat = try connection.input.device.loadConfiguration().format.audioFormat
        }
        let recording = state.withLock { state in
            let settings = MovieRecording.Settings(
                type: type, hasVideo: hasVideo, audioFormat: audioFormat, videoCodec: state.codec,
                audioCodec: state.audioCodec, fragmentInterval: state.fragmentInterval,
                limit: state.maxRecordedDuration, maximumByteCount: state.maxRecordedFileSize,
                replaces: replacesExistingFile)
            let recording = MovieRecording(path: path, settings: settings, engine: engine) {
                [weak self] event in self?.handle(event)
            }
            let former = state.next
            state.next = recording
            state.incomplete.append(recording)
            state.isPaused = false
            if state.current == nil { (state.latest, state.completed) = (nil, (.zero, 0)) }
            return former
        }
        recording?.finish()
    }

    /// Leaves out all frames until `resumeRecording` is called. In the file, the frames before and
    /// after the pause follow each other without a gap.
    public func pauseRecording() { state.withLock { $0.isPaused = true } }

    /// Resumes the recording after `pauseRecording`.
    public func resumeRecording() { state.withLock { $0.isPaused = false } }

    /// Ends the recording and completes its file, and those of recordings that it has followed.
    ///
    /// - Throws: `cannotWrite` or `diskFull` if the file could not be written; `wrongState` if no
    ///   recording is in progress.
    public func stopRecording() async throws(CaptureError) {
        let (recordings, files, stop) = take()
        guard !recordings.isEmpty else {
            throw CaptureError(
                .wrongState, subject: "", cause: "no recording is in progress",
                remedy: "call startRecording first")
        }
        for recording in recordings { recording.finish(stop: stop) }
        let error = await waitForCompletion(orCancellation: CaptureError?.none) { completion in
            Self.whenFinished(files[...], completion)
        }
        if let error, !error.isLimitOfRecording { throw error }
    }

    /// Ends the recording like `stopRecording`, and blocks the calling thread until all files are
    /// complete, also that of a recording that has ended with its session. Returns the error if the
    /// last file could not be written.
    package func stopRecordingAndWait() -> CaptureError? {
        let (recordings, files, stop) = take()
        for recording in recordings { recording.finish(stop: stop) }
        let result = Monitor<CaptureError??>(nil)
        Self.whenFinished(files[...]) { error in result.change { $0 = .some(error) } }
        return result.wait { $0 }
    }

    /// Calls a handler when files are complete or have failed, with the error of the last one.
    private static func whenFinished(
        _ recordings: ArraySlice<MovieRecording>,
        _ handler: @escaping @Sendable (CaptureError?) -> Void
    ) {
        guard let first = recordings.first else { return handler(nil) }
        first.whenFinished { error in
            if recordings.count == 1 {
                handler(error)
            } else {
                whenFinished(recordings.dropFirst(), handler)
            }
        }
    }

    /// Takes the recordings that are in progress. Returns them, all whose files are not complete,
    /// and the time on the session's clock, which is `invalid` if the recording is paused.
    private func take() -> (
        recordings: [MovieRecording], incomplete: [MovieRecording], stop: MediaTime
    ) {
        let now = (owner as? CaptureSession)?.synchronizationClock.time ?? .invalid
        return state.withLock { state in
            let stop = state.isPaused ? .invalid : now
            defer { (state.current, state.next, state.isPaused) = (nil, nil, false) }
            let taken = [state.current, state.next].compactMap { $0 }
            state.ending += taken
            return (taken, state.incomplete, stop)
        }
    }

    private func handle(_ event: MovieRecording.Event) {
        switch event {
        case .started(let recording): post(.didStart(path: recording.path))
        case .finished(let recording, let error):
            state.withLock { state in
                if state.current === recording { state.current = nil }
                if state.latest === recording {
                    state.latest = nil
                    state.completed = (recording.recordedDuration, recording.droppedCount)
                }
                state.ending.removeAll { $0 === recording }
                state.incomplete.removeAll { $0 === recording }
            }
            post(.didFinish(path: recording.path, error: error))
        }
    }

    // MARK: - Interface of the session

    override func receive(
        _ frame: CaptureFrame, at time: MediaTime, from connection: CaptureConnection
    ) {
        let orientation = connection.orientation
        let frameDuration =
            connection.input.statistics.configuration?.frameDuration ?? .invalid
        // The lock is held so that audio keeps its order with the first frame.
        let ended = state.withLock { state -> MovieRecording? in
            let (recording, ended, earlier) = state.begin()
            if state.isPaused {
                recording?.notePause()
                return ended
            }
            recording?.append(
                frame.pixelBuffer, at: time, orientation: orientation, frameDuration: frameDuration)
            for audio in earlier { recording?.append(audio) }
            return ended
        }
        ended?.finish(at: time)
    }

    override func receive(_ audio: AudioBuffer, from connection: CaptureConnection) {
        let hasVideo = self.connection(with: .video) != nil
        let ended = state.withLock { state -> MovieRecording? in
            state.recentAudio.removeAll { $0.endTime < audio.endTime - RecordingTimeline.patience }
            state.recentAudio.append(audio)
            for recording in state.ending { recording.append(audio) }
            state.ending.removeAll(where: \.hasEnded)
            if hasVideo {
                state.current?.append(audio)
                return nil
            }
            let (recording, ended, _) = state.begin()
            if state.isPaused { recording?.notePause() } else { recording?.append(audio) }
            return ended
        }
        ended?.finish(at: audio.presentationTime)
    }

    package override var acceptedMediaTypes: Set<MediaType> { [.video, .audio] }

    override func sessionDidChange(isRunning: Bool) {
        if isRunning { return }
        let (taken, _, stop) = take()
        let recordings = taken + state.withLock { $0.ending }
        for recording in recordings { recording.finish(stop: stop, waitsForAudio: false) }
        state.withLock { ($0.recentAudio, $0.ending) = ([], []) }
    }
}

extension CaptureMovieFileOutput.State {
    /// Begins the recording that waits for its first sample, if any. Returns the recording that is
    /// now current, the one that it has replaced, and the audio that arrived before the first
    /// frame.
    fileprivate mutating func begin() -> (MovieRecording?, MovieRecording?, [AudioBuffer]) {
        guard let following = next else { return (current, nil, []) }
        let ended = current
        (current, latest, next) = (following, following, nil)
        if let ended { ending.append(ended) }
        return (current, ended, recentAudio)
    }
}
