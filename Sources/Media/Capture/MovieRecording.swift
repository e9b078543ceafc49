// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadThreads
import PlayheadTime
import PlayheadWriting

/// One file of a `CaptureMovieFileOutput`.
///
/// Samples wait in a bounded queue. A thread opens the writer with the first sample, and appends
/// all samples to it. Devices never wait.
///
/// - Concurrency: any thread. The samples of one device are appended by one thread at a time.
final class MovieRecording: Sendable {
    enum Event {
        case started(MovieRecording)
        case finished(MovieRecording, CaptureError?)
    }

    private struct State {
        var timeline: RecordingTimeline
        var waiting: [RecordingTimeline.Sample] = []
        var waitingFrameCount = 0
        /// The duration of the audio in `waiting`.
        var waitingAudio = MediaTime.zero
        /// A Boolean value that indicates whether no further sample is accepted.
        var isEnding = false
        /// The host time, in nanoseconds, until which an ended recording waits for its last audio.
        var audioDeadline: Int64?
        var hasThread = false
        var droppedCount = 0
        var result: CaptureError??
        var waiters: [@Sendable (CaptureError?) -> Void] = []
        var orientation = PictureOrientation.up
        var frameDuration = MediaTime.invalid

        /// Adds samples to the queue. Audio is dropped only if the encoder is far behind. In the
        /// file, silence replaces the dropped audio.
        mutating func append(_ samples: [RecordingTimeline.Sample]) {
            for sample in samples {
                switch sample {
                case .frame:
                    guard waitingFrameCount < MovieRecording.maximumWaiting else {
                        droppedCount += 1
                        continue
                    }
                    waitingFrameCount += 1
                case .audio(let audio):
                    guard waitingAudio < MovieRecording.maximumAudio else { continue }
                    waitingAudio += audio.duration
                }
                waiting.append(sample)
            }
        }

        mutating func takeFirst() -> RecordingTimeline.Sample? {
            guard !waiting.isEmpty else { return nil }
            let sample = waiting.removeFirst()
            switch sample {
            case .frame: waitingFrameCount -= 1
            case .audio(let audio): waitingAudio -= audio.duration
            }
            return sample
        }
    }

    let path: String
    private let settings: Settings
    private let engine: any WritingEngine
    private let handler: @Sendable (Event) -> Void
    private let state: Monitor<State>

    /// The maximum number of frames that wait before they are passed to the encoder. It is large
    /// enough for the frames that arrive while the encoder is opened.
    private static let maximumWaiting = 16
    /// The coarsest time unit of a container, which is that of Matroska.
    private static let shortestFrame = MediaTime(value: 1, timescale: 1000)
    private static let maximumAudio = MediaTime(value: 30, timescale: 1)
    /// The maximum delay from the last frame to the arrival of the last audio, in nanoseconds.
    private static let audioPatience: Int64 = 500_000_000

    init(
        path: String, settings: Settings, engine: any WritingEngine,
        handler: @escaping @Sendable (Event) -> Void
    ) {
        self.path = path
        self.settings = settings
        self.engine = engine
        self.handler = handler
        state = Monitor(
            State(
                timeline: RecordingTimeline(
                    hasVideo: settings.hasVideo, audioFormat: settings.audioFormat,
                    limit: settings.limit)))
    }

    var waitingCount: Int { state.withLock { $0.waitingFrameCount } }

    var droppedCount: Int { state.withLock { $0.droppedCount } }

    var recordedDuration: MediaTime { state.withLock { $0.timeline.recordedDuration } }

    /// A Boolean value that indicates whether the recording accepts no further sample.
    var hasEnded: Bool { state.withLock { $0.isEnding || $0.timeline.isComplete } }

    /// Records that frames are left out from now on.
    func notePause() { state.withLock { $0.timeline.pause() } }

    /// Appends a frame, unless the recording has ended.
    func append(
        _ buffer: PixelBuffer, at time: MediaTime, orientation: PictureOrientation,
        frameDuration: MediaTime
    ) {
        add { state in
            if !state.hasThread {
                (state.orientation, state.frameDuration) = (orientation, frameDuration)
            }
            return state.timeline.add(buffer, at: time, duration: frameDuration)
        }
    }

    /// Appends audio, unless the recording has ended.
    func append(_ audio: AudioBuffer) { add { $0.timeline.add(audio) } }

    private func add(_ body: (inout State) -> [RecordingTimeline.Sample]) {
        let starts = state.change { state -> Bool in
            guard !state.isEnding else { return false }
            state.append(body(&state))
            if state.timeline.end.isNumeric, state.audioDeadline == nil {
                state.audioDeadline = HostClock.nanoseconds + Self.audioPatience
            }
            guard !state.hasThread, !state.waiting.isEmpty else { return false }
            state.hasThread = true
            return true
        }
        if starts { _ = WorkerThread(name: "ph-record") { [self] in run() } }
    }

    /// Ends the recording after the waiting samples.
    ///
    /// - Parameters:
    ///   - time: The time of the first frame that is not in the file; nil for the end of the last
    ///     frame.
    ///   - stop: If `time` is nil, the time of the stop, to which the last frame lasts; `invalid`
    ///     for the duration of the frame before.
    ///   - waitsForAudio: A Boolean value that indicates whether the recording waits for audio that
    ///     belongs before `time` and has not arrived yet.
    func finish(
        at time: MediaTime? = nil, stop: MediaTime = .invalid, waitsForAudio: Bool = true
    ) {
        let isEmpty = state.change { state -> Bool in
            state.append(
                time == nil
                    ? state.timeline.finish(atStop: stop, frameDuration: state.frameDuration)
                    : state.timeline.finish(at: time))
            if !waitsForAudio || state.timeline.isComplete { state.isEnding = true }
            if state.audioDeadline == nil {
                state.audioDeadline = HostClock.nanoseconds + Self.audioPatience
            }
            guard !state.hasThread, state.result == nil else { return false }
            state.hasThread = true
            state.isEnding = true
            return true
        }
        if isEmpty {
            let noun = settings.hasVideo ? "frame" : "audio"
            complete(
                CaptureError(
                    .cannotWrite, subject: path, cause: "no \(noun) arrived during the recording",
                    remedy: "wait for the first \(noun) before you stop"))
        }
    }

    /// Calls a handler when the file is complete or has failed; immediately if this has already
    /// happened.
    func whenFinished(_ handler: @escaping @Sendable (CaptureError?) -> Void) {
        let result = state.withLock { state -> CaptureError?? in
            if state.result == nil { state.waiters.append(handler) }
            return state.result
        }
        if let result { handler(result) }
    }

    private func complete(_ error: CaptureError?) {
        let waiters = state.change { state in
            state.result = .some(error)
            while state.takeFirst() != nil {}
            state.isEnding = true
            defer { state.waiters.removeAll() }
            return state.waiters
        }
        handler(.finished(self, error))
        for waiter in waiters { waiter(error) }
    }

    // MARK: - The thread

    private func run() {
        var opened: AssetWriter?
        var isFull = false
        var frames = RecordedFrames()
        do throws(MediaWritingError) {
            guard let first = next() else { return }
            let (writer, video, audio) = try open(first)
            opened = writer
            try append(first, &frames, video, audio)
            handler(.started(self))
            var (last, frameCount) = (first.time, 1)
            var heard = first.time
            while !isFull, let sample = next() {
                if case .frame(_, let time) = sample {
                    // Frames that the file would store with the same time count as one.
                    guard time - last >= Self.shortestFrame else { continue }
                    last = time
                    frameCount += 1
                }
                if case .audio(let audio) = sample { heard = audio.endTime }
                try append(sample, &frames, video, audio)
                isFull = isFullWithAnother(writer, video, audio, frameCount)
            }
            if isFull { state.change { $0.isEnding = true } } else { try end(writer, last, heard) }
            try writer.finishWritingAndWait()
        } catch {
            complete(failure(error, opened?.temporaryPath))
            return
        }
        let isOver = state.withLock { $0.timeline.hasReachedLimit }
        if isFull {
            complete(
                CaptureError(
                    .maximumFileSizeReached, subject: path,
                    cause: "the recording has reached its maximum size"))
        } else if isOver {
            complete(
                CaptureError(
                    .maximumDurationReached, subject: path,
                    cause: "the recording has reached its maximum duration"))
        } else {
            complete(nil)
        }
    }

    /// Ends the session of the file, so that the last frame lasts until the end of the recording.
    ///
    /// - Parameters:
    ///   - last: The time of the last frame.
    ///   - heard: The end of the audio in the file.
    private func end(
        _ writer: AssetWriter, _ last: MediaTime, _ heard: MediaTime
    ) throws(MediaWritingError) {
        let end = state.withLock { $0.timeline.sessionEnd }
        guard end.isNumeric, end - last >= Self.shortestFrame else { return }
        do throws(MediaWritingError) {
            // The writer counts samples. Its audio may end a little later.
            try writer.endSession(atSourceTime: max(end, heard + Self.shortestFrame))
        } catch {
            // If its audio ends still later, the file ends with the last sample.
            if error.code != .outOfOrder { throw error }
        }
    }

    /// Returns the error of a recording that cannot be written. If samples are in the temporary
    /// file, the error names it.
    private func failure(_ error: MediaWritingError, _ temporaryPath: String?) -> CaptureError {
        var remedy = error.remedy
        if error.code == .diskFull || error.code == .writeFailed, let temporaryPath {
            remedy += (remedy.isEmpty ? "" : "; ") + "what was recorded is in \(temporaryPath)"
        }
        return CaptureError(
            error.code == .diskFull ? .diskFull : .cannotWrite, subject: path, cause: error.cause,
            remedy: remedy)
    }

    /// The bytes that containers need for a packet and for the file, at most.
    private static let (packetOverhead, fileOverhead): (Int64, Int64) = (40, 8192)

    /// Returns whether the file could exceed its maximum size with another sample. Each frame that
    /// the encoder holds may become as large as the largest so far.
    private func isFullWithAnother(
        _ writer: AssetWriter, _ video: AssetWriterInput?, _ audio: AssetWriterInput?,
        _ frameCount: Int
    ) -> Bool {
        guard settings.maximumByteCount > 0 else { return false }
        var size = Self.fileOverhead
        for input in [video, audio].compactMap({ $0 }) {
            let encoded = writer.encodedSize(of: input)
            let held = input === video ? max(0, frameCount - encoded.count) : 0
            size += encoded.byteCount + Int64(held + 1) * encoded.largest
            size += Int64(encoded.count + held + 1) * Self.packetOverhead
        }
        return size > settings.maximumByteCount
    }

    /// Opens the writer with the first sample, which gives the size of the frames.
    private func open(
        _ first: RecordingTimeline.Sample
    ) throws(MediaWritingError) -> (AssetWriter, AssetWriterInput?, AssetWriterInput?) {
        let writer = try AssetWriter(path: path, fileType: settings.type, engine: engine)
        writer.replacesExistingFile = settings.replaces
        writer.keepsPartialFile = true
        writer.movieFragmentInterval = settings.type.isMovie ? settings.fragmentInterval : .invalid
        let (orientation, frameDuration) = state.withLock { ($0.orientation, $0.frameDuration) }
        var video: AssetWriterInput?
        if case .frame(let buffer, _) = first {
            let input = AssetWriterInput(video: settings.video(for: buffer, frameDuration))
            input.orientation = orientation
            try writer.add(input)
            video = input
        }
        var audio: AssetWriterInput?
        if let settings = settings.audio {
            let input = AssetWriterInput(audio: settings)
            try writer.add(input)
            audio = input
        }
        try writer.startWriting()
        try writer.startSession(atSourceTime: first.time)
        return (writer, video, audio)
    }

    private func append(
        _ sample: RecordingTimeline.Sample, _ frames: inout RecordedFrames,
        _ video: AssetWriterInput?, _ audio: AssetWriterInput?
    ) throws(MediaWritingError) {
        switch sample {
        case .frame(let buffer, let time):
            try video?.appendAndWait(frames.frame(of: buffer), at: time)
        case .audio(let buffer): try audio?.appendAndWait(buffer)
        }
    }

    /// Waits for the next sample. Returns nil after the last one.
    private func next() -> RecordingTimeline.Sample? {
        enum Step {
            case sample(RecordingTimeline.Sample)
            case end, look
        }
        while true {
            let deadline = state.withLock { $0.audioDeadline }
            let body = { (state: inout State) -> Step? in
                if let sample = state.takeFirst() { return .sample(sample) }
                if state.isEnding || state.timeline.isComplete { return .end }
                return state.audioDeadline == deadline ? nil : .look
            }
            let step: Step
            if let deadline {
                step =
                    state.wait(nanoseconds: deadline - HostClock.nanoseconds, until: body) ?? .end
            } else {
                step = state.wait(until: body)
            }
            switch step {
            case .sample(let sample): return sample
            case .end: return nil
            case .look: continue
            }
        }
    }
}
