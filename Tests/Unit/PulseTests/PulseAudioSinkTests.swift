// SPDX-License-Identifier: Apache-2.0

import PlayheadAudio
import PlayheadBuffers
import PlayheadThreads
import PlayheadTime
import PulseTestSupport
import Testing

@testable import PlayheadPulse

@Suite(.serialized, .enabled(if: PulseServer.isInstalled, Comment(rawValue: PulseServer.absence)))
struct PulseAudioSinkTests {
    @Test(.timeLimit(.minutes(20)))
    func `clicks are heard at the timebase's time, to a few milliseconds`() throws {
        let server = try PulseServer()
        let clicker = try Clicker(server: server)
        defer { clicker.end() }
        let recorder = try PulseRecorder(server: server.address)
        let start = HostClock.nanoseconds + 200_000_000
        clicker.play(at: .zero, hostTime: start)
        clicker.renderer.resume()
        let errors = clicker.settledErrors(recorder)
        #expect(errors.count == 6 && typical(errors) < 2, "\(errors) ms")
    }

    @Test(.timeLimit(.minutes(20)))
    func `a pause drops buffered audio, and audio returns in step`() throws {
        let server = try PulseServer()
        let clicker = try Clicker(server: server)
        defer { clicker.end() }
        let recorder = try PulseRecorder(server: server.address)
        let start = HostClock.nanoseconds + 200_000_000
        clicker.play(at: .zero, hostTime: start)
        clicker.renderer.resume()
        _ = recorder.wait(untilHostTime: start + 600_000_000)
        clicker.timebase.rate = 0
        clicker.renderer.pause()
        let item = clicker.timebase.time
        let paused = HostClock.nanoseconds
        // Two seconds, in which an audible video has eight clicks.
        let silent = recorder.wait(untilHostTime: paused + 2_500_000_000)
        let stale = silent.onsets().compactMap { silent.hostTime(ofFrame: Double($0)) }
            .filter { $0 > paused + 500_000_000 }
        #expect(stale.isEmpty)
        let again = HostClock.nanoseconds + (clicker.sink.latency.nanoseconds ?? 0)
        clicker.play(at: item, hostTime: again)
        clicker.renderer.resume()
        let errors = clicker.settledErrors(recorder, after: again - 50_000_000)
        #expect(errors.count == 6 && typical(errors) < 2, "\(errors) ms")
    }

    @Test(.timeLimit(.minutes(20)))
    func `if the server dies the clock continues, and audio returns in step`() throws {
        let server = try PulseServer()
        let clicker = try Clicker(server: server)
        defer { clicker.end() }
        let start = HostClock.nanoseconds + 100_000_000
        clicker.play(at: .zero, hostTime: start)
        clicker.renderer.resume()
        let delivered = MediaTime(value: 1, timescale: 2)
        _ = try PulseRecorder(server: server.address).wait(untilHostTime: start + 500_000_000)
        server.stop()
        let failed = clicker.statuses.wait(nanoseconds: 60_000_000_000) { statuses -> Bool? in
            if case .failed = statuses.last { return true }
            return nil
        }
        #expect(failed == true)
        let before = clicker.timebase.time
        #expect(before > delivered)
        try server.start()
        let back = clicker.statuses.wait(nanoseconds: 60_000_000_000) { statuses -> Bool? in
            statuses.last == .running ? true : nil
        }
        #expect(back == true)
        #expect(clicker.timebase.time > before)
        // A null sink that gets a stream before it has been suspended for the first time first
        // plays the two seconds of silence that it has already rendered.
        let recorder = try PulseRecorder(server: server.address)
        let errors = clicker.settledErrors(recorder)
        #expect(errors.count == 6 && typical(errors) < 2, "\(errors) ms")
    }

    @Test func `without a server the error states a remedy`() {
        var options = PulseAudioOptions()
        options.server = "unix:/nonexistent/native"
        do {
            _ = try PulseAudioSink(options: options)
            Issue.record("there is no server")
        } catch {
            #expect(error.code == .noServer)
            #expect(error.description.contains("unix:/nonexistent/native"))
            #expect(!error.remedy.isEmpty)
        }
    }

    @Test func `the device's own rate is used if requested`() throws {
        let server = try PulseServer()
        var options = PulseAudioOptions()
        options.server = server.address
        options.sampleRate = nil
        #expect(try PulseAudioSink(options: options).format == .stereo(sampleRate: 48_000))
        options.device = "missing"
        #expect(throws: AudioError.self) { try PulseAudioSink(options: options) }
    }
}
