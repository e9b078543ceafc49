// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport
import PlayheadAssets
import PlayheadAudio
import PlayheadBuffers
import PlayheadPlayback
import PlayheadTime
import Synchronization
import Testing

@testable import PlayheadCapturing

/// A delegate that records the audio that it is called for.
final class RecordingAudioDelegate: CaptureAudioDataOutputDelegate {
    let buffers = Mutex<[AudioBuffer]>([])
    let drops = Mutex<[MediaTimeRange]>([])

    var frameCount: Int { buffers.withLock { $0.reduce(0) { $0 + $1.frameCount } } }
    var samples: [Float] {
        buffers.withLock { $0.flatMap { $0.withSamples(Array.init) } }
    }

    func captureOutput(
        _ output: CaptureAudioDataOutput, didOutput audio: AudioBuffer,
        from connection: CaptureConnection
    ) {
        buffers.withLock { $0.append(audio) }
    }

    func captureOutput(
        _ output: CaptureAudioDataOutput, didDropAudioIn range: MediaTimeRange,
        from connection: CaptureConnection
    ) {
        drops.withLock { $0.append(range) }
    }
}

/// Microphones in a session: samples, times, levels, muting and the session's clock.
@Suite struct CaptureAudioTests {
    private let clock = ManualClock(time: MediaTime(value: 1000, timescale: 1))
    private let session = CaptureSession()
    private let immediate = ObservationQueue { job in job() }

    private func seconds(_ value: Double) -> MediaTime { MediaTime(seconds: value) }

    @Test func `every sample is delivered, and blocks follow each other without a gap`() throws {
        let microphone = SyntheticMicrophone(clock: clock)
        try session.addInput(CaptureDeviceInput(device: microphone.device))
        let (output, delegate) = (CaptureAudioDataOutput(), RecordingAudioDelegate())
        output.setDelegate(delegate, queue: immediate)
        try session.addOutput(output)
        try session.startRunning()
        clock.advance(by: seconds(2.0001))
        session.stopRunning()
        #expect(delegate.frameCount == 96_000)
        let buffers = delegate.buffers.withLock { $0 }
        for (first, second) in zip(buffers, buffers.dropFirst()) {
            let step = second.presentationTime - first.presentationTime
            #expect(abs(step.seconds - 0.01) < 2e-9)
        }
        // The tone of the second second.
        let samples = delegate.samples
        #expect(samples[..<4800].contains { abs($0) > 0.4 })
        #expect(samples[4801..<48_000].allSatisfy { $0 == 0 })
        #expect(samples[48_000..<52_800].contains { abs($0) > 0.4 })
        #expect(session.inputs[0].statistics.audioFrameCount == 96_000)
    }

    @Test func `a session with a microphone has its clock, and converts frames to it`() throws {
        // Started alone, so that its clock has left the host clock by 200 ms.
        let microphone = SyntheticMicrophone(
            clock: clock, drift: 1e-3, blockDuration: MediaTime(value: 1, timescale: 10))
        let camera = SyntheticCamera(width: 64, height: 16, clock: clock)
        try session.addInput(CaptureDeviceInput(device: camera.device))
        try session.addInput(CaptureDeviceInput(device: microphone.device))
        let (video, frames) = (CaptureVideoDataOutput(), RecordingDelegate())
        video.setDelegate(frames, queue: immediate)
        let (audio, samples) = (CaptureAudioDataOutput(), RecordingAudioDelegate())
        audio.setDelegate(samples, queue: immediate)
        try session.addOutput(video)
        try session.addOutput(audio)
        #expect(video.connection?.input.mediaType == .video)
        #expect(audio.connection?.input.mediaType == .audio)
        try session.startRunning()
        clock.advance(by: seconds(200))
        session.stopRunning()
        // The true time of the last frame, and of the samples around it.
        let count = frames.times.count
        #expect(count >= 5990)
        let true1 = Double(count) / 30
        let audioStart = try #require(samples.buffers.withLock { $0.first?.presentationTime })
        let frameTime = try #require(frames.times.last)
        let sample = true1 * (1 + 1e-3)
        #expect(abs((frameTime - audioStart).seconds - sample) < 0.002)
        // Not the host's time.
        #expect(abs((frameTime - audioStart).seconds - true1) > 0.15)
    }

    @Test func `an hour with a fast camera clock and a slow microphone ends in step`() throws {
        let microphone = SyntheticMicrophone(
            format: .mono(sampleRate: 8000), clock: clock, drift: -100e-6,
            blockDuration: MediaTime(value: 1, timescale: 5))
        let camera = SyntheticCamera(
            width: 64, height: 16, framesPerSecond: 5, clock: clock, stampDrift: 200e-6)
        try session.addInput(CaptureDeviceInput(device: camera.device))
        try session.addInput(CaptureDeviceInput(device: microphone.device))
        let (video, frames) = (CaptureVideoDataOutput(), RecordingDelegate())
        video.setDelegate(frames, queue: immediate)
        let (audio, samples) = (CaptureAudioDataOutput(), RecordingAudioDelegate())
        audio.setDelegate(samples, queue: immediate)
        try session.addOutput(video)
        try session.addOutput(audio)
        try session.startRunning()
        clock.advance(by: seconds(3600))
        session.stopRunning()
        let audioStart = try #require(samples.buffers.withLock { $0.first?.presentationTime })
        /// Returns the delay of a frame relative to the sample that was captured with it, in seconds.
        func offset(_ index: Int) -> Double {
            let captured = Double(index + 1) / 5
            return (frames.times[index] - audioStart).seconds - captured * (1 - 100e-6)
        }
        let last = frames.times.count - 1
        #expect(last > 17_990)
        #expect(abs(offset(last)) <= 0.020, "\(offset(last)) s at the end")
        #expect(abs(offset(last) - offset(last / 2)) <= 0.001)
        let worst = stride(from: 0, through: last, by: 10).map { abs(offset($0)) }.max() ?? 1
        #expect(worst <= 0.020, "\(worst) s at most")
        // No sample was added or dropped.
        #expect(abs(samples.frameCount - Int(3600 * 8000 * (1 - 100e-6))) <= 1600)
    }

    @Test func `levels follow the audio, and muting keeps the samples' number and times`() throws {
        let microphone = SyntheticMicrophone(format: .stereo(sampleRate: 48_000), clock: clock)
        try session.addInput(CaptureDeviceInput(device: microphone.device))
        let (output, delegate) = (CaptureAudioDataOutput(), RecordingAudioDelegate())
        output.setDelegate(delegate, queue: immediate)
        try session.addOutput(output)
        let connection = try #require(output.connection)
        #expect(connection.audioChannels.count == 2)
        #expect(connection.audioChannels[0].averagePowerLevel == -.infinity)
        try session.startRunning()
        clock.advance(by: seconds(0.095))
        // A sine of amplitude 0.5.
        #expect(abs(connection.audioChannels[0].peakHoldLevel - -6.02) < 0.2)
        #expect(connection.audioChannels[1].averagePowerLevel > -20)
        connection.audioChannels[1].volume = 0.5
        clock.advance(by: seconds(1))
        connection.isAudioMuted = true
        clock.advance(by: seconds(1))
        // The meter shows what the muted microphone hears.
        #expect(connection.audioChannels[0].peakHoldLevel > -12)
        session.stopRunning()
        #expect(connection.audioChannels[0].peakHoldLevel == -.infinity)
        let samples = delegate.samples
        #expect(samples.count == 2 * delegate.frameCount)
        #expect(delegate.frameCount >= 100_000)
        let second = samples[(2 * 48_000)..<(2 * 52_000)]
        #expect(second.contains { abs($0) > 0.4 } && second.contains { abs(abs($0) - 0.25) < 0.01 })
        for index in stride(from: 0, to: 8000, by: 2) {
            #expect(samples[2 * 48_000 + index] == samples[2 * 48_000 + index + 1] * 2)
        }
        #expect(samples[(2 * 96_100)...].allSatisfy { $0 == 0 })
    }

    @Test func `a delegate that is ten seconds behind is notified once of what it misses`() throws {
        let microphone = SyntheticMicrophone(
            format: .mono(sampleRate: 8000), clock: clock, drift: 0,
            blockDuration: MediaTime(value: 1, timescale: 10))
        try session.addInput(CaptureDeviceInput(device: microphone.device))
        let (output, delegate) = (CaptureAudioDataOutput(), RecordingAudioDelegate())
        let held = HeldQueue()
        output.setDelegate(delegate, queue: held.queue)
        try session.addOutput(output)
        try session.startRunning()
        clock.advance(by: seconds(15.05))
        held.run()
        clock.advance(by: seconds(1))
        held.run()
        #expect(delegate.drops.withLock { $0.map(\.duration.seconds) } == [5])
        #expect(delegate.frameCount == 11 * 8000)
    }

    @Test func `a microphone that is unplugged interrupts the session, and frames continue`() throws
    {
        let microphone = SyntheticMicrophone(clock: clock)
        let camera = SyntheticCamera(width: 64, height: 16, clock: clock)
        try session.addInput(CaptureDeviceInput(device: camera.device))
        try session.addInput(CaptureDeviceInput(device: microphone.device))
        let preview = CapturePreview()
        try session.addOutput(preview)
        let (output, delegate) = (CaptureAudioDataOutput(), RecordingAudioDelegate())
        output.setDelegate(delegate, queue: immediate)
        try session.addOutput(output)
        let events = Mutex<[CaptureSession.Event]>([])
        let token = session.observe { event in events.withLock { $0.append(event) } }
        try session.startRunning()
        clock.advance(by: seconds(1.005))
        microphone.disconnect()
        try eventually("the interruption") {
            events.withLock { $0 }.contains {
                if case .wasInterrupted(let error) = $0 {
                    return error.cause.contains("the audio server has ended")
                }
                return false
            }
        }
        try eventually("the device to be closed") {
            session.inputs[1].statistics.configuration == nil
        }
        let before = preview.receivedFrameCount
        clock.advance(by: seconds(1))
        #expect(preview.receivedFrameCount >= before + 29)
        #expect(delegate.frameCount == 48_000)
        microphone.reconnect()
        try eventually("the end of it") { events.withLock { $0 }.contains(.interruptionEnded) }
        clock.advance(by: seconds(1))
        #expect(delegate.frameCount >= 95_000)
        // Times go on across the pause.
        let times = delegate.buffers.withLock { $0.map(\.presentationTime) }
        #expect(times == times.sorted())
        #expect((times.last! - times[0]).seconds > 2.9)
        withExtendedLifetime(token) {}
    }

    @Test func `a stall of a microphone is reported, and its end`() throws {
        let microphone = SyntheticMicrophone(clock: clock)
        try session.addInput(CaptureDeviceInput(device: microphone.device))
        let output = CaptureAudioDataOutput()
        try session.addOutput(output)
        let events = Mutex<[CaptureSession.Event]>([])
        let token = session.observe { event in events.withLock { $0.append(event) } }
        try session.startRunning()
        clock.advance(by: seconds(0.5))
        microphone.isStalled = true
        clock.advance(by: seconds(1.5))
        try eventually("the stall") {
            events.withLock { $0 }.contains {
                if case .deviceStalled(let error) = $0 { return error.cause.contains("audio") }
                return false
            }
        }
        microphone.isStalled = false
        clock.advance(by: seconds(0.1))
        try eventually("its end") { events.withLock { $0 }.contains(.deviceResumed) }
        withExtendedLifetime(token) {}
    }

    @Test func `outputs are connected to devices whose media they accept`() throws {
        let microphone = SyntheticMicrophone(clock: clock)
        let camera = SyntheticCamera(width: 64, height: 16, clock: clock)
        let preview = CapturePreview()
        try session.addOutput(preview)
        let input = CaptureDeviceInput(device: microphone.device)
        try session.addInput(input)
        #expect(preview.connection == nil)
        #expect(throws: CaptureError.self) {
            try session.addConnection(CaptureConnection(input: input, output: preview))
        }
        try session.addInput(CaptureDeviceInput(device: camera.device))
        #expect(preview.connections.count == 1)
        #expect(preview.connection(with: .video) != nil)
        #expect(preview.connection(with: .audio) == nil)
        #expect(input.device.mediaType == .audio)
        #expect(try input.device.loadFormats().map(\.description) == ["48000 Hz, 1 channel"])
    }
}
