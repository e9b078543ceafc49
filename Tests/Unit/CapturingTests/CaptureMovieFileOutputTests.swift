// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadFFmpeg
import PlayheadPlayback
import PlayheadTime
import PlayheadWriting
import Synchronization
import Testing

@testable import PlayheadCapturing

/// Recordings, read back.
@Suite struct CaptureMovieFileOutputTests {
    private let folder = TemporaryFolder()

    private func path(_ name: String) -> String { folder.appending(name).path }

    /// The numbers and the times of the frames of a file.
    private func frames(_ name: String) throws -> [(number: Int, time: MediaTime)] {
        let location = AssetLocation(path(name))
        let reader = try AssetReader(
            asset: URLAsset(location: location, opener: FFmpegOpener(location)))
        let output = try reader.addVideoOutput()
        var frames: [(number: Int, time: MediaTime)] = []
        while let frame = try output.copyNextSampleBuffer() {
            frames.append(
                (FrameNumberStrip.read(from: frame.pixelBuffer) ?? -1, frame.presentationTime))
        }
        return frames
    }

    /// - Parameter codec: Lossless for Matroska; nil for the container's own.
    private func started(
        codec: VideoCodecType? = .ffv1
    ) throws -> (SyntheticSession, CaptureMovieFileOutput) {
        let subject = try SyntheticSession()
        let movie = CaptureMovieFileOutput(engine: FFmpegWritingEngine())
        movie.videoCodec = codec
        try subject.session.addOutput(movie)
        try subject.session.startRunning()
        return (subject, movie)
    }

    /// Moves the clock frame by frame, no faster than frames are written.
    private func record(
        _ numbers: ClosedRange<Int>, _ subject: SyntheticSession, _ movie: CaptureMovieFileOutput
    ) throws {
        for number in numbers {
            subject.advance(pastFrame: number)
            try eventually("frame \(number) to be taken") { movie.waitingFrameCount < 8 }
        }
    }

    @Test(arguments: ["out.mkv", "out.mov"])
    func `every frame is in the file with its time`(name: String) throws {
        let (subject, movie) = try started(codec: name.hasSuffix("mkv") ? .ffv1 : nil)
        try movie.startRecording(to: path(name))
        try record(0...39, subject, movie)
        #expect(movie.stopRecordingAndWait() == nil)
        let frames = try frames(name)
        #expect(frames.map(\.number) == Array(0..<40))
        #expect(movie.droppedFrameCount == 0)
        // Matroska has milliseconds.
        let tolerance = name.hasSuffix("mkv") ? 0.000_51 : 0.000_001
        for frame in frames {
            #expect(abs(frame.time.seconds - Double(frame.number) / 30) <= tolerance)
        }
    }

    @Test func `another file begins with the frame after the last of the first`() throws {
        let (subject, movie) = try started()
        try movie.startRecording(to: path("a.mkv"))
        try record(0...14, subject, movie)
        try movie.startRecording(to: path("b.mkv"))
        try record(15...22, subject, movie)
        try movie.startRecording(to: path("c.mkv"))
        try record(23...30, subject, movie)
        #expect(movie.stopRecordingAndWait() == nil)
        // All files are complete.
        let numbers = try ["a.mkv", "b.mkv", "c.mkv"].map { try frames($0).map(\.number) }
        #expect(numbers == [Array(0...14), Array(15...22), Array(23...30)])
        // Each file has its own beginning.
        #expect(try frames("b.mkv").first?.time == .zero)
    }

    @Test func `a pause leaves its frames out, and the file has no gap`() throws {
        let (subject, movie) = try started(codec: nil)
        try movie.startRecording(to: path("out.mov"))
        try record(0...9, subject, movie)
        movie.pauseRecording()
        #expect(movie.isRecordingPaused)
        try record(10...49, subject, movie)
        movie.resumeRecording()
        try record(50...59, subject, movie)
        #expect(movie.stopRecordingAndWait() == nil)
        let frames = try frames("out.mov")
        #expect(frames.map(\.number) == Array(0...9) + Array(50...59))
        for (index, frame) in frames.enumerated() {
            #expect(abs(frame.time.seconds - Double(index) / 30) <= 0.000_002)
        }
    }

    @Test func `the maximum duration is exact, and ends the recording with a complete file`() throws
    {
        let (subject, movie) = try started()
        movie.maxRecordedDuration = MediaTime(value: 1, timescale: 1)
        let ends = Mutex<[CaptureMovieFileOutput.Event]>([])
        let token = movie.observe { event in
            if case .didFinish = event { ends.withLock { $0.append(event) } }
        }
        try movie.startRecording(to: path("out.mkv"))
        try record(0...44, subject, movie)
        try eventually("the end") { !ends.withLock { $0.isEmpty } }
        #expect(!movie.isRecording)
        #expect(try frames("out.mkv").map(\.number) == Array(0..<30))
        guard case .didFinish(_, let error)? = ends.withLock({ $0.first }) else { return }
        #expect(error?.code == .maximumDurationReached)
        withExtendedLifetime(token) {}
    }

    @Test(arguments: [("out.mkv", VideoCodecType?.some(.ffv1)), ("out.mov", nil), ("out.mp4", nil)])
    func `a file does not exceed the maximum size, and is complete`(
        name: String, codec: VideoCodecType?
    ) throws {
        let (subject, movie) = try started(codec: codec)
        let limit: Int64 = 200_000
        movie.maxRecordedFileSize = limit
        let ends = Mutex<[CaptureMovieFileOutput.Event]>([])
        let token = movie.observe { event in
            if case .didFinish = event { ends.withLock { $0.append(event) } }
        }
        try movie.startRecording(to: path(name))
        for number in 0..<20_000 {
            if !movie.isRecording { break }
            try record(number...number, subject, movie)
        }
        try eventually("the end") { !ends.withLock { $0.isEmpty } }
        #expect(!movie.isRecording)
        #expect(
            ends.withLock { $0 }
                == [
                    .didFinish(
                        path: path(name),
                        error: CaptureError(
                            .maximumFileSizeReached, subject: path(name),
                            cause: "the recording has reached its maximum size"))
                ])
        let size = try Data(contentsOf: folder.appending(name)).count
        #expect(size <= limit && Int64(size) > limit / 2, "\(size) bytes")
        let numbers = try frames(name).map(\.number)
        #expect(numbers == Array(0..<numbers.count))
        withExtendedLifetime(token) {}
    }

    @Test func `the duration of a recording stays until the next one is started`() throws {
        let (subject, movie) = try started()
        #expect(movie.recordedDuration == .zero)
        try movie.startRecording(to: path("a.mkv"))
        try record(0...29, subject, movie)
        let duration = movie.recordedDuration
        #expect(duration > MediaTime(value: 9, timescale: 10))
        #expect(movie.stopRecordingAndWait() == nil)
        #expect(movie.recordedDuration >= duration)
        try record(30...39, subject, movie)
        #expect(movie.recordedDuration < duration + MediaTime(value: 1, timescale: 10))
        try movie.startRecording(to: path("b.mkv"))
        #expect(movie.recordedDuration == .zero)
        try record(40...44, subject, movie)
        #expect(movie.recordedDuration > .zero && movie.recordedDuration < duration)
        #expect(movie.stopRecordingAndWait() == nil)
    }

    @Test func `a recording that is started before its session has the first frame`() throws {
        let subject = try SyntheticSession()
        let movie = CaptureMovieFileOutput(engine: FFmpegWritingEngine())
        movie.videoCodec = .ffv1
        try subject.session.addOutput(movie)
        try movie.startRecording(to: path("out.mkv"))
        #expect(movie.isRecording && movie.recordedDuration == .zero)
        try subject.session.startRunning()
        try record(0...9, subject, movie)
        #expect(movie.stopRecordingAndWait() == nil)
        #expect(try frames("out.mkv").map(\.number) == Array(0...9))
    }

    @Test func `the last frame of a still screen lasts until the stop`() async throws {
        let clock = ManualClock(time: MediaTime(value: 1000, timescale: 1))
        let session = CaptureSession(synchronizationClock: clock)
        let camera = SyntheticCamera(width: 256, height: 64, clock: clock)
        try session.addInput(CaptureDeviceInput(device: camera.device))
        let movie = CaptureMovieFileOutput(engine: FFmpegWritingEngine())
        movie.videoCodec = .ffv1
        try session.addOutput(movie)
        try session.startRunning()
        try movie.startRecording(to: path("out.mkv"))
        func advance(milliseconds: Int64) {
            clock.advance(by: MediaTime(value: milliseconds, timescale: 1000))
        }
        advance(milliseconds: 110)
        // Frames at 1.0 and 1.9 s, like those of a screen that does not change.
        for _ in 0..<2 {
            camera.isStalled = true
            advance(milliseconds: 870)
            camera.isStalled = false
            advance(milliseconds: 30)
        }
        camera.isStalled = true
        advance(milliseconds: 250)
        try await movie.stopRecording()
        let location = AssetLocation(path("out.mkv"))
        let asset = URLAsset(location: location, opener: FFmpegOpener(location))
        let duration = try await asset.load(.duration).seconds
        // From the first frame to the stop.
        #expect(abs(duration - (2.16 - 1.0 / 30)) < 0.002, "\(duration)")
        #expect(abs(movie.recordedDuration.seconds - duration) < 0.002)
    }

    @Test func `a stopped session completes the recording`() throws {
        let (subject, movie) = try started()
        try movie.startRecording(to: path("out.mkv"))
        try record(0...9, subject, movie)
        subject.session.stopRunning()
        // A program that ends now waits for the file.
        #expect(!movie.isRecording && movie.stopRecordingAndWait() == nil)
        #expect(try frames("out.mkv").map(\.number) == Array(0...9))
        #expect(movie.stopRecordingAndWait() == nil)
    }

    @Test func `a file that another one was to follow is complete when the recording has stopped`()
        async throws
    {
        let (subject, movie) = try started()
        try movie.startRecording(to: path("a.mkv"))
        try record(0...9, subject, movie)
        // There is no frame for the second file.
        try movie.startRecording(to: path("b.mkv"))
        let error = await #expect(throws: CaptureError.self) { try await movie.stopRecording() }
        #expect(error?.subject == path("b.mkv"))
        #expect(try frames("a.mkv").map(\.number) == Array(0...9))
        #expect(!FileManager.default.fileExists(atPath: path("b.mkv")))
        subject.session.stopRunning()
    }

    @Test func `mirroring is a property of the track, and the samples are not mirrored`() throws {
        let (subject, movie) = try started(codec: nil)
        movie.connection?.isVideoMirrored = true
        movie.connection?.videoQuarterTurns = 2
        try movie.startRecording(to: path("out.mov"))
        try record(0...4, subject, movie)
        #expect(movie.stopRecordingAndWait() == nil)
        #expect(try frames("out.mov").map(\.number) == Array(0...4))
        let asset = URLAsset(
            location: AssetLocation(path("out.mov")),
            opener: FFmpegOpener(AssetLocation(path("out.mov"))))
        let description = try asset.openDemuxer(cancellation: Cancellation()).description
        #expect(
            description.tracks.first?.formatDescription.video?.attachments.orientation
                == PictureOrientation(quarterTurns: 2, isMirrored: true))
    }

    @Test func `a file that exists is refused and left alone`() throws {
        let (subject, movie) = try started()
        try Data("old".utf8).write(to: folder.appending("out.mkv"))
        let error = #expect(throws: CaptureError.self) {
            try movie.startRecording(to: path("out.mkv"))
        }
        #expect(error?.code == .cannotWrite)
        #expect(!movie.isRecording)
        #expect(try Data(contentsOf: folder.appending("out.mkv")) == Data("old".utf8))
        #expect(throws: CaptureError.self) { try movie.startRecording(to: path("out.wav")) }
        #expect(throws: CaptureError.self) { try movie.startRecording(to: path("out.txt")) }
        subject.session.stopRunning()
    }

    @Test func `a recording without a frame fails and leaves no file`() throws {
        let (subject, movie) = try started()
        try movie.startRecording(to: path("out.mkv"))
        #expect(movie.stopRecordingAndWait()?.code == .cannotWrite)
        subject.session.stopRunning()
        #expect(!FileManager.default.fileExists(atPath: path("out.mkv")))
    }

    @Test func `frames that the file would store with the same time count as one`() throws {
        let settings = MovieRecording.Settings(
            type: .matroska, hasVideo: true, audioFormat: nil, videoCodec: .ffv1, audioCodec: nil,
            fragmentInterval: .invalid, limit: .invalid, replaces: false)
        let recording = MovieRecording(
            path: path("out.mkv"), settings: settings, engine: FFmpegWritingEngine()
        ) { _ in }
        let buffer = PixelBuffer(format: .yuv420p, width: 256, height: 64) { _, bytes, _ in
            bytes.initializeMemory(as: UInt8.self, repeating: 128)
        }
        for microseconds: Int64 in [0, 33_333, 33_493, 66_667] {
            recording.append(
                buffer, at: MediaTime(value: microseconds, timescale: 1_000_000), orientation: .up,
                frameDuration: MediaTime(value: 1, timescale: 30))
        }
        recording.finish()
        let results = Mutex<[CaptureError?]>([])
        recording.whenFinished { error in results.withLock { $0.append(error) } }
        try eventually("the file") { results.withLock { !$0.isEmpty } }
        #expect(results.withLock { $0 } == [nil])
        #expect(try frames("out.mkv").count == 3)
    }

    @Test func `an output without a device cannot record`() {
        let movie = CaptureMovieFileOutput(engine: FFmpegWritingEngine())
        #expect(throws: CaptureError.self) { try movie.startRecording(to: path("out.mkv")) }
    }

    // MARK: - Audio

    /// The samples of a file's audio, from the start of its session, in the first channel.
    private func samples(_ name: String) throws -> [Float] {
        let location = AssetLocation(path(name))
        let reader = try AssetReader(
            asset: URLAsset(location: location, opener: FFmpegOpener(location)))
        let output = try reader.addAudioOutput(format: .mono(sampleRate: 48_000))
        var samples: [Float] = []
        while let buffer = try output.copyNextSampleBuffer() {
            // Encoders begin with samples before the start.
            let early = max(0, Int((-buffer.presentationTime.seconds * 48_000).rounded()))
            samples += buffer.withSamples { Array($0.dropFirst(early)) }
        }
        return samples
    }

    /// The seconds at which tones begin, after a tenth of a second of silence.
    private func onsets(_ samples: [Float]) -> [Double] {
        var (onsets, quiet): ([Double], Int) = ([], 4800)
        for (index, sample) in samples.enumerated() {
            if abs(sample) > 0.05 {
                if quiet >= 4800 { onsets.append(Double(index) / 48_000) }
                quiet = 0
            } else {
                quiet += 1
            }
        }
        return onsets
    }

    private func startedWithMicrophone() throws -> (SyntheticSession, CaptureMovieFileOutput) {
        let (subject, movie) = try started()
        movie.audioCodec = .flac
        let microphone = SyntheticMicrophone(clock: subject.clock)
        try subject.session.addInput(CaptureDeviceInput(device: microphone.device))
        return (subject, movie)
    }

    @Test func `a recording has the microphone's samples at the times of the frames`() throws {
        let (subject, movie) = try startedWithMicrophone()
        try movie.startRecording(to: path("out.mkv"))
        try record(0...89, subject, movie)
        #expect(movie.stopRecordingAndWait() == nil)
        #expect(try frames("out.mkv").map(\.number) == Array(0..<90))
        let samples = try samples("out.mkv")
        // From the first frame at 1/30 s to the audio that had arrived with the last, at 3 s.
        #expect(samples.count == 142_400)
        // The first frame is captured 1/30 s after the first tone begins.
        let tones = onsets(samples)
        #expect(tones.count == 3)
        for (tone, second) in zip(tones.dropFirst(), [1.0, 2]) {
            let error = tone - second + 1.0 / 30
            #expect(abs(error) < 0.001, "\(tone)")
        }
    }

    @Test func `a pause and another file cut audio where the frames are`() throws {
        let (subject, movie) = try startedWithMicrophone()
        try movie.startRecording(to: path("a.mkv"))
        try record(0...29, subject, movie)
        movie.pauseRecording()
        try record(30...74, subject, movie)
        movie.resumeRecording()
        try record(75...89, subject, movie)
        try movie.startRecording(to: path("b.mkv"))
        try record(90...149, subject, movie)
        #expect(movie.stopRecordingAndWait() == nil)
        #expect(try frames("a.mkv").map(\.number) == Array(0...29) + Array(75...89))
        #expect(try frames("b.mkv").map(\.number) == Array(90...149))
        let (first, second) = (try samples("a.mkv"), try samples("b.mkv"))
        #expect(abs(first.count - 72_000) <= 480)
        #expect(second.count == 94_400)
        // Frame n is captured at (n + 1) / 30 s: tones at 1 s in the first part, and at 3 s, after
        // 1.5 s are left out.
        let tone = try #require(onsets(first).dropFirst().first)
        #expect(abs(tone - 29.0 / 30) < 0.001)
        let later = try #require(onsets(second).dropFirst().first)
        #expect(abs(later - 29.0 / 30) < 0.001)
    }

    @Test(arguments: ["out.wav", "out.flac", "out.m4a", "out.mka"])
    func `a microphone alone is recorded`(name: String) throws {
        let clock = ManualClock(time: MediaTime(value: 1000, timescale: 1))
        let microphone = SyntheticMicrophone(clock: clock)
        let session = CaptureSession()
        try session.addInput(CaptureDeviceInput(device: microphone.device))
        let movie = CaptureMovieFileOutput(engine: FFmpegWritingEngine())
        try session.addOutput(movie)
        try session.startRunning()
        #expect(throws: CaptureError.self) { try movie.startRecording(to: path("out.gif")) }
        try movie.startRecording(to: path(name))
        clock.advance(by: MediaTime(value: 25, timescale: 10))
        movie.pauseRecording()
        clock.advance(by: MediaTime(value: 1, timescale: 1))
        movie.resumeRecording()
        clock.advance(by: MediaTime(value: 15, timescale: 10))
        #expect(movie.stopRecordingAndWait() == nil)
        let samples = try samples(name)
        #expect(abs(samples.count - 192_000) < 2048)
        let tones = onsets(samples)
        #expect(tones.count == 4)
        for (tone, place) in zip(tones, [0.0, 1, 2, 3]) { #expect(abs(tone - place) < 0.003) }
    }

    @Test func `a recording with a microphone that never starts has the frames`() throws {
        let (subject, movie) = try started()
        movie.audioCodec = .flac
        let microphone = SyntheticMicrophone(clock: subject.clock)
        microphone.isStalled = true
        try subject.session.addInput(CaptureDeviceInput(device: microphone.device))
        try movie.startRecording(to: path("out.mkv"))
        try record(0...89, subject, movie)
        #expect(movie.stopRecordingAndWait() == nil)
        #expect(try frames("out.mkv").map(\.number) == Array(0..<90))
        #expect(try samples("out.mkv").allSatisfy { $0 == 0 })
    }
}
