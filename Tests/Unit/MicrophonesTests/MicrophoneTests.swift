// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadAudio
import PlayheadBuffers
import PlayheadCapturing
import PlayheadFFmpeg
import PlayheadPlayback
import PlayheadPulse
import PlayheadTime
import PulseTestSupport
import Synchronization
import Testing

@testable import PlayheadMicrophones

/// The recording devices of a private audio server.
@Suite(.serialized, .enabled(if: PulseServer.isInstalled, Comment(rawValue: PulseServer.absence)))
struct MicrophoneTests {
    /// Plays a tone of 50 ms at the start of every second of the sink's clock.
    private final class Tones: AudioSource {
        func render(
            into samples: UnsafeMutablePointer<Float>, frameCount: Int, presentationTime: Int64
        ) {
            for index in 0..<frameCount {
                let time = presentationTime + Int64(index) * 1_000_000_000 / 48_000
                let place = time % 1_000_000_000
                let value: Float =
                    place < 50_000_000 ? (place / 500_000 % 2 == 0 ? 0.5 : -0.5) : 0
                samples[2 * index] = value
                samples[2 * index + 1] = value
            }
        }
    }

    private final class Listener: CaptureAudioDataOutputDelegate {
        let buffers = Mutex<[AudioBuffer]>([])

        func captureOutput(
            _ output: CaptureAudioDataOutput, didOutput audio: AudioBuffer,
            from connection: CaptureConnection
        ) {
            buffers.withLock { $0.append(audio) }
        }

        var frameCount: Int { buffers.withLock { $0.reduce(0) { $0 + $1.frameCount } } }

        /// The session times at which tones begin.
        var onsets: [MediaTime] {
            var (onsets, quiet): ([MediaTime], Int) = ([], 0)
            for buffer in buffers.withLock({ $0 }) {
                buffer.withSamples { samples in
                    for frame in 0..<buffer.frameCount {
                        if abs(samples[frame * buffer.format.channelCount]) > 0.1 {
                            if quiet > 4800 {
                                onsets.append(
                                    buffer.presentationTime
                                        + MediaTime(value: Int64(frame), timescale: 48_000))
                            }
                            quiet = 0
                        } else {
                            quiet += 1
                        }
                    }
                }
            }
            return onsets
        }
    }

    private static func options(_ server: PulseServer) -> PulseAudioOptions {
        var options = PulseAudioOptions()
        options.server = server.address
        return options
    }

    @Test func `devices are listed with their formats, the default first and monitors last`() throws
    {
        let server = try PulseServer()
        try server.load(
            module: "module-null-sink", arguments: "sink_name=other rate=44100 channels=2")
        try server.load(
            module: "module-remap-source",
            arguments: "source_name=desk master=other.monitor channels=1 rate=44100 "
                + "source_properties=device.description=Desk")
        let provider = MicrophoneProvider(server: server.address)
        let devices = provider.loadDevices()
        #expect(
            Set(devices.map(\.uniqueID)) == [
                "pulse:null.monitor", "pulse:other.monitor", "pulse:desk",
            ])
        let sources = try PulseSource.all(server: server.address)
        #expect(sources.first?.isDefault == true)
        #expect(sources.last?.isMonitor == true)
        let list = CaptureDiscoverySession(provider, of: "microphone")
        let desk = try list.device("desk")
        #expect(desk.mediaType == .audio)
        #expect(try desk.loadFormats().map(\.description) == ["44100 Hz, 1 channel"])
        #expect(try list.device("Desk") === desk)
        let error = #expect(throws: CaptureError.self) { try list.device("none") }
        #expect(
            error?.description.hasPrefix("microphone:none: there is no such microphone") == true)
    }

    @Test(.timeLimit(.minutes(20)))
    func `samples have the host times at which they were played`() throws {
        let server = try PulseServer()
        let sink = try PulseAudioSink(options: Self.options(server))
        sink.start(Tones()) {}
        sink.resume()
        let provider = MicrophoneProvider(server: server.address)
        let device = try CaptureDiscoverySession(provider, of: "microphone").device("null.monitor")
        let session = CaptureSession()
        try session.addInput(CaptureDeviceInput(device: device))
        let (output, listener) = (CaptureAudioDataOutput(), Listener())
        output.setDelegate(listener)
        try session.addOutput(output)
        try session.startRunning()
        try eventually("five tones") { listener.onsets.count >= 5 }
        session.stopRunning()
        let buffers = listener.buffers.withLock { $0 }
        for (first, second) in zip(buffers, buffers.dropFirst()) {
            let step = second.presentationTime - first.presentationTime - first.duration
            // A busy machine may begin a new run, which is a gap and never an overlap of samples.
            #expect(step.seconds > -0.05)
        }
        // Both clocks are of the same server, which plays a tone when the sink's clock shows a
        // whole second.
        let clock = session.synchronizationClock
        let errors = listener.onsets.dropFirst(2).map { onset -> Double in
            let played = sink.clock.time(atHostTime: clock.hostTime(at: onset)).seconds
            return abs(played - played.rounded())
        }
        let median = errors.sorted()[errors.count / 2]
        #expect(median < 0.02, "\(errors)")
    }

    @Test(.timeLimit(.minutes(20)))
    func `a server that is restarted interrupts the session, which continues by itself`() throws {
        let server = try PulseServer()
        let provider = MicrophoneProvider(server: server.address)
        let list = CaptureDiscoverySession(provider, of: "microphone")
        let device = try list.device("null.monitor")
        let changes = Mutex(0)
        let observation = list.observe { _ in changes.withLock { $0 += 1 } }
        let session = CaptureSession()
        try session.addInput(CaptureDeviceInput(device: device))
        let (output, listener) = (CaptureAudioDataOutput(), Listener())
        output.setDelegate(listener)
        try session.addOutput(output)
        let events = Mutex<[CaptureSession.Event]>([])
        let token = session.observe { event in events.withLock { $0.append(event) } }
        try session.startRunning()
        try eventually("audio") { listener.frameCount > 4800 }
        server.stop()
        try eventually("the interruption") {
            events.withLock { $0 }.contains {
                if case .wasInterrupted(let error) = $0 {
                    return error.code == .deviceDisconnected
                }
                return false
            }
        }
        try eventually("the device to be gone") { !device.isConnected }
        #expect(session.isRunning)
        let before = listener.frameCount
        try server.start()
        try eventually("the end of the interruption") {
            events.withLock { $0 }.contains(.interruptionEnded)
        }
        #expect(device.isConnected)
        try eventually("audio again") { listener.frameCount > before + 4800 }
        session.stopRunning()
        #expect(changes.withLock { $0 } >= 2)
        let times = listener.buffers.withLock { $0.map(\.presentationTime) }
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
        withExtendedLifetime((observation, token)) {}
    }

    @Test func `without a server there is no microphone, and the error says so`() throws {
        let provider = MicrophoneProvider(server: "unix:/nonexistent/native")
        let list = CaptureDiscoverySession(provider, of: "microphone")
        #expect(list.devices.isEmpty)
        let error = #expect(throws: CaptureError.self) { try list.device("0") }
        #expect(error?.code == .noSuchDevice)
        #expect(error?.cause == "there is no microphone")
    }

    @Test(.timeLimit(.minutes(20)))
    func `a device that the server suspends has stalled until it is resumed`() throws {
        let server = try PulseServer()
        let provider = MicrophoneProvider(server: server.address)
        let device = try CaptureDiscoverySession(provider, of: "microphone").device("null.monitor")
        let session = CaptureSession()
        let input = CaptureDeviceInput(device: device)
        try session.addInput(input)
        let (output, listener) = (CaptureAudioDataOutput(), Listener())
        output.setDelegate(listener)
        try session.addOutput(output)
        try session.startRunning()
        try eventually("audio") { listener.frameCount > 4800 }
        try server.suspend(true)
        try eventually("the stall") { input.statistics.isStalled }
        let before = listener.frameCount
        try server.suspend(false)
        try eventually("audio again") { listener.frameCount > before + 4800 }
        #expect(!input.statistics.isStalled)
        session.stopRunning()
    }
}
