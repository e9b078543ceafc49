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
        for name in ["a.mkv", "b.mkv"] {
            try eventually("\(name) to be complete") {
                FileManager.default.fileExists(atPath: path(name))
            }
        }
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
        #expect(error?.code == .limitReached)
        withExtendedLifetime(token) {}
    }

    @Test func `a stopped session completes the recording`() throws {
        let (subject, movie) = try started()
        try movie.startRecording(to: path("out.mkv"))
        try record(0...9, subject, movie)
        subject.session.stopRunning()
        try eventually("the file") { FileManager.default.fileExists(atPath: path("out.mkv")) }
        #expect(try frames("out.mkv").map(\.number) == Array(0...9))
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

    @Test func `an output without a device cannot record`() {
        let movie = CaptureMovieFileOutput(engine: FFmpegWritingEngine())
        #expect(throws: CaptureError.self) { try movie.startRecording(to: path("out.mkv")) }
    }
}
