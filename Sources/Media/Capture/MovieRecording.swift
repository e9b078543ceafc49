// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadThreads
import PlayheadTime
import PlayheadWriting

/// One file of a `CaptureMovieFileOutput`.
///
/// Frames wait in a bounded queue for a thread that opens the writer at the size of the first
/// frame, and appends the frames. The device never waits.
///
/// - Concurrency: any thread, but only one thread at a time may append frames.
final class MovieRecording: Sendable {
    enum Event {
        case started(MovieRecording)
        case finished(MovieRecording, CaptureError?)
    }

    private struct Sample {
        var buffer: PixelBuffer
        var time: MediaTime
    }

    private struct State {
        var waiting: [Sample] = []
        var isEnding = false
        var hasThread = false
        var droppedCount = 0
        /// The duration of all pauses before the next frame, and the time of the frame at which the
        /// current pause began.
        var pausedDuration = MediaTime.zero
        var isPaused = false
        var firstTime = MediaTime.invalid
        var lastTime = MediaTime.invalid
        var lastDuration = MediaTime.invalid
        var hasReachedLimit = false
        var result: CaptureError??
        var waiters: [@Sendable (CaptureError?) -> Void] = []
        var orientation = PictureOrientation.up
        var frameDuration = MediaTime.invalid
    }

    let path: String
    private let type: MediaFileType
    private let engine: any WritingEngine
    private let codec: VideoCodecType?
    private let fragmentInterval: MediaTime
    private let limit: MediaTime
    private let replaces: Bool
    private let handler: @Sendable (Event) -> Void
    private let state = Monitor(State())

    /// The maximum number of frames that wait for the encoder's own queue: enough for the time that
    /// the encoder needs to open.
    private static let maximumWaiting = 16

    init(
        path: String, type: MediaFileType, engine: any WritingEngine, codec: VideoCodecType?,
        fragmentInterval: MediaTime, limit: MediaTime, replaces: Bool,
        handler: @escaping @Sendable (Event) -> Void
    ) {
        self.path = path
        self.type = type
        self.engine = engine
        self.codec = codec
        self.fragmentInterval = fragmentInterval
        self.limit = limit
        self.replaces = replaces
        self.handler = handler
    }

    var waitingCount: Int { state.withLock { $0.waiting.count } }

    var droppedCount: Int { state.withLock { $0.droppedCount } }

    var recordedDuration: MediaTime {
        state.withLock { state in
            guard state.lastTime.isNumeric else { return .zero }
            let last = state.lastDuration.isNumeric ? state.lastDuration : .zero
            return state.lastTime - state.firstTime + last
        }
    }

    /// Records that frames are left out from now on.
    func notePause() { state.withLock { $0.isPaused = true } }

    /// Appends a frame, unless the recording has ended.
    func append(
        _ buffer: PixelBuffer, at time: MediaTime, orientation: PictureOrientation,
        frameDuration: MediaTime
    ) {
        let (starts, reachesLimit) = state.change { state -> (Bool, Bool) in
            guard !state.isEnding else { return (false, false) }
            if !state.firstTime.isNumeric {
                (state.firstTime, state.lastTime) = (time, time)
                (state.orientation, state.frameDuration) = (orientation, frameDuration)
                state.lastDuration = frameDuration
            }
            var moved = time - state.pausedDuration
            if state.isPaused {
                // The frame follows the last one at the interval of the frames before.
                let step = state.lastDuration.isNumeric ? state.lastDuration : .zero
                state.pausedDuration += max(.zero, moved - (state.lastTime + step))
                moved = time - state.pausedDuration
                state.isPaused = false
            }
            if moved > state.lastTime { state.lastDuration = moved - state.lastTime }
            if limit.isNumeric, moved - state.firstTime >= limit {
                state.hasReachedLimit = true
                state.isEnding = true
                return (false, true)
            }
            state.lastTime = moved
            guard state.waiting.count < Self.maximumWaiting else {
                state.droppedCount += 1
                return (false, false)
            }
            state.waiting.append(Sample(buffer: buffer, time: moved))
            defer { state.hasThread = true }
            return (!state.hasThread, false)
        }
        if starts { _ = WorkerThread(name: "ph-record") { [self] in run() } }
        if reachesLimit { finish() }
    }

    /// Ends the recording after the frames that wait.
    func finish() {
        let isEmpty = state.change { state -> Bool in
            state.isEnding = true
            guard !state.hasThread, state.result == nil else { return false }
            state.hasThread = true
            return true
        }
        if isEmpty {
            complete(
                CaptureError(
                    .cannotWrite, subject: path, cause: "no frame arrived during the recording",
                    remedy: "wait for the first frame before you stop"))
        }
    }

    /// Calls a handler when the file is complete or has failed; at once if it is.
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
            state.waiting.removeAll()
            state.isEnding = true
            defer { state.waiters.removeAll() }
            return state.waiters
        }
        handler(.finished(self, error))
        for waiter in waiters { waiter(error) }
    }

    // MARK: - The thread

    private func run() {
        do throws(MediaWritingError) {
            guard let first = next() else { return }
            let writer = try AssetWriter(path: path, fileType: type, engine: engine)
            writer.replacesExistingFile = replaces
            writer.movieFragmentInterval = type.isMovie ? fragmentInterval : .invalid
            let (orientation, frameDuration) = state.withLock {
                ($0.orientation, $0.frameDuration)
            }
            let input = AssetWriterInput(video: settings(for: first.buffer, frameDuration))
            input.orientation = orientation
            try writer.add(input)
            try writer.startWriting()
            try writer.startSession(atSourceTime: first.time)
            try input.appendAndWait(first.buffer, at: first.time)
            handler(.started(self))
            var last = first
            while let sample = next() {
                // Two frames with the same timestamp count as one.
                guard sample.time > last.time else { continue }
                try input.appendAndWait(sample.buffer, at: sample.time)
                last = sample
            }
            try writer.finishWritingAndWait()
        } catch {
            complete(
                CaptureError(
                    .cannotWrite, subject: path, cause: error.cause, remedy: error.remedy))
            return
        }
        let limited = state.withLock { $0.hasReachedLimit }
        complete(
            limited
                ? CaptureError(
                    .limitReached, subject: path,
                    cause: "the recording has reached its maximum duration")
                : nil)
    }

    private func next() -> Sample? {
        state.wait { state -> Sample?? in
            if !state.waiting.isEmpty { return .some(state.waiting.removeFirst()) }
            if state.isEnding { return .some(nil) }
            return .none
        }
    }

    /// Returns the settings of a recording: fast enough for real time, and with a keyframe in each
    /// fragment.
    private func settings(
        for buffer: PixelBuffer, _ frameDuration: MediaTime
    ) -> VideoOutputSettings {
        let codec = codec ?? (type == .webM ? .vp9 : .h264)
        let duration = frameDuration.isNumeric ? frameDuration : MediaTime(value: 1, timescale: 30)
        var settings = VideoOutputSettings(
            codec: codec, width: buffer.width, height: buffer.height,
            sampleFormat: codec == .ffv1 ? VideoSampleFormat(of: buffer.format) : nil,
            color: buffer.color, frameDuration: duration)
        // Frames have the driver's times, in microseconds.
        settings.mediaTimeScale = type == .matroska || type == .webM ? nil : 1_000_000
        if codec == .h264 || codec == .hevc { settings.preset = "veryfast" }
        let interval = fragmentInterval.isNumeric ? fragmentInterval.seconds : 2
        settings.maximumKeyframeInterval = max(1, Int(interval / max(duration.seconds, 0.001)))
        return settings
    }
}
