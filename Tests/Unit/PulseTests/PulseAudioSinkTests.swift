// SPDX-License-Identifier: Apache-2.0

import PlayheadAudio
import PlayheadBuffers
import PlayheadThreads
import PlayheadTime
import PulseTestSupport
import Testing

@testable import PlayheadPulse

/// Something that plays a click every quarter of a second of item time, 1 ms long.
final class Clicker: Sendable {
    static let interval = 0.25
    let sink: PulseAudioSink
    let timebase: Timebase
    let renderer: AudioRenderer
    let statuses = Monitor<[AudioSinkStatus]>([])
    private let isEnding = Monitor(false)
    private let writer: WorkerThread

    init(server: PulseServer, options: PulseAudioSink.Options = .init()) throws {
        var options = options
        options.server = server.address
        let sink = try PulseAudioSink(options: options)
        let statuses = statuses
        let isEnding = isEnding
        timebase = Timebase(masterClock: sink.clock)
        let renderer = AudioRenderer(sink: sink, timebase: timebase) { [weak sink] in
            if let sink { statuses.change { $0.append(sink.status) } }
        }
        self.sink = sink
        self.renderer = renderer
        writer = WorkerThread(name: "clicker") {
            var frame = 0
            while !isEnding.withLock({ $0 }) {
                let buffer = AudioBuffer(
                    format: renderer.format,
                    presentationTime: MediaTime(value: Int64(frame), timescale: 48_000),
                    frameCount: 1_200
                ) { samples in
                    for index in 0..<1_200 where (frame + index) % 12_000 < 48 {
                        samples[2 * index] = 0.8
                        samples[2 * index + 1] = 0.8
                    }
                }
                var taken = renderer.enqueue(buffer)
                while taken < 1_200, !isEnding.withLock({ $0 }) {
                    _ = renderer.waitUntilReady(frames: 1_200 - taken, nanoseconds: 50_000_000)
                    taken += renderer.enqueue(buffer, startingAt: taken)
                }
                frame += 1_200
            }
        }
    }

    func end() {
        isEnding.change { $0 = true }
        writer.join()
        renderer.invalidate()
    }

    /// Starts at item time `item` when the host clock reads `host`.
    func play(at item: MediaTime, hostTime: Int64) {
        let clockTime = sink.clock.time(atHostTime: MediaTime(nanoseconds: hostTime))
        timebase.setRate(1, time: item, atMasterTime: clockTime, holdingUntilThen: true)
    }

    /// How far clicks were heard from when the timebase says, in milliseconds.
    func errors(_ recording: PulseRecorder.Recording, after start: Int64 = 0) -> [Double] {
        recording.onsets().compactMap { frame in
            guard let host = recording.hostTime(ofFrame: Double(frame)), host > start else {
                return nil
            }
            let item = timebase.time(atHostTime: MediaTime(nanoseconds: host)).seconds
            let nearest = (item / Self.interval).rounded() * Self.interval
            return (item - nearest) * 1_000
        }
    }
}

/// The median of the magnitudes: a machine busy with other work may delay one click, but not shift
/// them all. How far the worst is off on a quiet machine is what Scripts/prove/avsync measures.
func typical(_ errors: [Double]) -> Double {
    let sorted = errors.map(abs).sorted()
    return sorted.isEmpty ? .infinity : sorted[sorted.count / 2]
}

@Suite(.serialized, .enabled(if: PulseServer.isInstalled, Comment(rawValue: PulseServer.absence)))
struct PulseAudioSinkTests {
    @Test(.timeLimit(.minutes(2)))
    func `clicks are heard at the timebase's time, to a few milliseconds`() throws {
        let server = try PulseServer()
        let clicker = try Clicker(server: server)
        defer { clicker.end() }
        let recorder = try PulseRecorder(server: server.address)
        let start = HostClock.nanoseconds + 200_000_000
        clicker.play(at: .zero, hostTime: start)
        clicker.renderer.resume()
        let recording = recorder.wait(untilHostTime: start + 3_000_000_000)
        let errors = clicker.errors(recording)
        #expect(errors.count >= 6)
        #expect(typical(errors) < 2, "\(errors) ms")
    }

    @Test(.timeLimit(.minutes(2)))
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
        // Two seconds, in which a film that is heard has eight clicks.
        let silent = recorder.wait(untilHostTime: paused + 2_500_000_000)
        let stale = silent.onsets().compactMap { silent.hostTime(ofFrame: Double($0)) }
            .filter { $0 > paused + 500_000_000 }
        #expect(stale.isEmpty)
        let again = HostClock.nanoseconds + (clicker.sink.latency.nanoseconds ?? 0)
        clicker.play(at: item, hostTime: again)
        clicker.renderer.resume()
        let recording = recorder.wait(untilHostTime: again + 1_500_000_000)
        let errors = clicker.errors(recording, after: again - 50_000_000)
        #expect(errors.count >= 5)
        #expect(typical(errors) < 2, "\(errors) ms")
    }

    @Test(.timeLimit(.minutes(2)))
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
        // A null sink to which the stream comes before it has gone to sleep for the first time first
        // plays the two seconds of silence that it has rendered by then.
        let recorder = try PulseRecorder(server: server.address)
        let recording = recorder.wait(seconds: 30) { clicker.errors($0).count >= 5 }
        let errors = clicker.errors(recording)
        #expect(errors.count >= 5)
        #expect(typical(errors) < 2, "\(errors) ms")
    }

    @Test func `without a server the error states a remedy`() {
        var options = PulseAudioSink.Options()
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
        var options = PulseAudioSink.Options()
        options.server = server.address
        options.sampleRate = nil
        #expect(try PulseAudioSink(options: options).format == .stereo(sampleRate: 48_000))
        options.device = "nobody"
        #expect(throws: AudioError.self) { try PulseAudioSink(options: options) }
    }
}
