// SPDX-License-Identifier: Apache-2.0

import CPlayhead
import PlayheadBuffers
import PlayheadFFmpeg
import PlayheadThreads
import PlayheadTime
import PlayheadWriting
import Synchronization

/// The object behind a writer's handle, which records frames and audio of a host into a file.
///
/// The host's threads only copy. A thread of the recorder passes the copies to an `AssetWriter`,
/// whose threads convert, encode and write. If these threads are too slow, frames are dropped and
/// counted.
///
/// - Concurrency: any thread, except for functions that need OpenGL.
final class HostedWriter: Sendable {
    /// The counts of recorded frames.
    struct Counts {
        var recorded: UInt64 = 0
        var dropped: UInt64 = 0
        var lastTime = Int64.min
        var duration: UInt64 = 0
        var longest: UInt64 = 0
    }

    let frames: RecorderFrames
    let audio: RecorderAudio?
    let graphics = HostedGraphics<WriterSurface>()
    let counts = Mutex(Counts())
    private let writer: AssetWriter
    private let video: AssetWriterInput
    private let sound: AssetWriterInput?
    /// The result, once the file is complete or abandoned.
    private let end = Monitor<Result<Void, MediaWritingError>?>(nil)

    /// The number of memory blocks for frames: those that wait for the encoder, one that is being
    /// filled, and one that is being encoded.
    private static let blockCount = 6
    /// The shortest time between two frames, in nanoseconds. Matroska stores times in milliseconds.
    private static let leastDuration: Int64 = 1_100_000
    /// The time, in nanoseconds, after which audio is passed on if no frame arrives.
    private static let pause: Int64 = 50_000_000

    init(
        path: String, video settings: VideoOutputSettings, audio format: AudioFormat?,
        audioCodec: AudioCodecType, replaces: Bool, fragmentInterval: MediaTime
    ) throws(MediaWritingError) {
        writer = try AssetWriter(path: path, engine: FFmpegWritingEngine())
        writer.replacesExistingFile = replaces
        writer.movieFragmentInterval = fragmentInterval
        video = AssetWriterInput(video: settings)
        try writer.add(video)
        if let format {
            let input = AssetWriterInput(
                audio: AudioOutputSettings(codec: audioCodec, format: format))
            try writer.add(input)
            sound = input
            audio = RecorderAudio(format)
        } else {
            (sound, audio) = (nil, nil)
        }
        frames = RecorderFrames(
            width: settings.width, height: settings.height, count: Self.blockCount)
        try writer.startWriting()
        _ = WorkerThread(name: "ph-record") { self.run() }
    }

    // MARK: - Recording

    /// Throws an error if the file has failed or is complete.
    func requireRecording() throws {
        switch end.withLock({ $0 }) {
        case nil: return
        case .failure(let error): throw error
        case .success: throw CallFailure.state("the file is complete; create another writer")
        }
    }

    /// Checks the time of a frame. Returns false if the frame must be dropped, because it is closer
    /// to the previous frame than containers can store.
    func admit(at time: Int64) throws -> Bool {
        try counts.withLock { counts in
            guard time > counts.lastTime else {
                throw CallFailure.argument(
                    "time must increase from frame to frame, not go from \(counts.lastTime) to "
                        + "\(time)")
            }
            guard counts.lastTime == .min || time - counts.lastTime >= Self.leastDuration else {
                return false
            }
            return true
        }
    }

    /// Counts a frame, and returns the duration of the call. A frame that was dropped may be
    /// offered again.
    func note(isRecorded: Bool, at time: Int64, since start: Int64) -> Int64 {
        counts.withLock { counts in
            if isRecorded {
                counts.recorded += 1
                counts.lastTime = time
            } else {
                counts.dropped += 1
            }
            // As late as possible, so that hardly any of the call is missing.
            let duration = HostClock.nanoseconds - start
            counts.duration += UInt64(max(0, duration))
            counts.longest = max(counts.longest, UInt64(max(0, duration)))
            return duration
        }
    }

    /// Completes the file, and waits until it is complete.
    func finish() throws {
        frames.end()
        let result = end.wait { $0 }
        try result.get()
    }

    /// Abandons the file, unless it is complete.
    func cancel() {
        frames.cancel()
        writer.cancelWriting()
    }

    // MARK: - The recorder's thread

    private func run() {
        let result: Result<Void, MediaWritingError>
        do throws(MediaWritingError) {
            try record()
            result = .success(())
        } catch {
            writer.cancelWriting()
            result = .failure(error)
        }
        end.change { $0 = result }
    }

    private func record() throws(MediaWritingError) {
        var hasBegun = false
        while true {
            switch frames.next(within: Self.pause) {
            case .frame(let frame, let time):
                let time = MediaTime(nanoseconds: time)
                if !hasBegun {
                    try writer.startSession(atSourceTime: time)
                    hasBegun = true
                }
                try appendAudio()
                try video.appendAndWait(frame, at: time)
            case .pause: if hasBegun { try appendAudio() }
            case .cancelled:
                throw MediaWritingError(
                    .cancelled, subject: writer.path, cause: "recording was cancelled")
            case .end:
                guard hasBegun else {
                    throw MediaWritingError(
                        .noSamples, subject: writer.path, cause: "no frame was recorded",
                        remedy: "record frames before you finish")
                }
                try appendAudio()
                return try writer.finishWritingAndWait()
            }
        }
    }

    private func appendAudio() throws(MediaWritingError) {
        guard let sound, let buffer = audio?.take() else { return }
        try sound.appendAndWait(buffer)
    }
}
