// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport
import PlayheadAudio
import PlayheadThreads
import PlayheadTime
import PulseTestSupport
import Testing

@testable import PlayheadPulse

/// Changes of devices during playback.
@Suite(.serialized, .enabled(if: PulseServer.isInstalled, Comment(rawValue: PulseServer.absence)))
struct PulseDeviceTests {
    private static let second: Int64 = 1_000_000_000
    private static let otherSink =
        "sink_name=other rate=48000 format=float32le channels=2 "
        + "sink_properties=device.description=Other"

    /// Returns a clicker that has been playing for a moment.
    private func playing(
        _ server: PulseServer, options: PulseAudioOptions = .init()
    ) throws -> Clicker {
        let clicker = try Clicker(server: server, options: options)
        clicker.play(at: .zero, hostTime: HostClock.nanoseconds + 200_000_000)
        clicker.renderer.resume()
        return clicker
    }

    @Test(.timeLimit(.minutes(20)))
    func `devices are listed, and the default one is marked`() throws {
        let server = try PulseServer()
        try server.load(module: "module-null-sink", arguments: Self.otherSink)
        let devices = try PulseAudioDevice.all(server: server.address)
        #expect(devices.map(\.name) == ["null", "other"])
        #expect(devices.filter(\.isDefault).count == 1)
        #expect(devices.last?.title == "Other")
        #expect(devices.allSatisfy { $0.sampleRate == 48_000 && $0.channelCount == 2 })
        #expect(throws: AudioError.self) {
            try PulseAudioDevice.all(server: "unix:/nonexistent/native")
        }
    }

    @Test(.timeLimit(.minutes(20)))
    func `audio moves to another device and stays in step`() throws {
        let server = try PulseServer()
        try server.load(module: "module-null-sink", arguments: Self.otherSink)
        let clicker = try playing(server)
        defer { clicker.end() }
        let first = try PulseRecorder(server: server.address)
        _ = first.wait(seconds: 120) { clicker.errors($0).count >= 2 }
        #expect(clicker.sink.currentDevice == "null")
        let before = clicker.timebase.time
        var (device, recorder) = ("null", first)
        // A busy machine may read the new device's clock late, so it moves again.
        for attempt in 1...5 {
            device = attempt % 2 == 1 ? "other" : "null"
            clicker.sink.move(toDevice: device)
            recorder = try PulseRecorder(server: server.address, source: "\(device).monitor")
            let recording = recorder.wait(seconds: 120) { clicker.errors($0).count >= 10 }
            // At first the clock has a single reading of the new device, which may be 5 ms off, and
            // corrects itself by half a percent.
            let errors = Array(clicker.errors(recording).dropFirst(2).prefix(8))
            if typical(errors) < 10 { break }
            #expect(attempt < 5, "\(errors) ms")
        }
        let errors = clicker.settledErrors(recorder)
        #expect(errors.count == 6 && typical(errors) < 2, "\(errors) ms")
        #expect(clicker.timebase.time > before)
        #expect(clicker.sink.currentDevice == device)
        clicker.sink.move(toDevice: "missing")
        #expect(clicker.sink.currentDevice == device)
    }

    @Test(.timeLimit(.minutes(20)))
    func `after a device was suspended, audio is in step`() throws {
        let server = try PulseServer()
        let clicker = try playing(server)
        defer { clicker.end() }
        let recorder = try PulseRecorder(server: server.address)
        _ = recorder.wait(seconds: 120) { clicker.errors($0).count >= 2 }
        try server.suspend(true)
        // Each reading of the timebase lies between two of the host clock, however slow the machine.
        func reading() -> (before: Int64, time: MediaTime, after: Int64) {
            (HostClock.nanoseconds, clicker.timebase.time, HostClock.nanoseconds)
        }
        let asleep = reading()
        _ = Monitor(false).wait(nanoseconds: Self.second) { $0 ? true : nil }
        let awake = reading()
        // The video has continued meanwhile.
        let passed = (awake.time - asleep.time).seconds
        #expect(passed > Double(awake.before - asleep.after) / 1e9 - 0.5)
        #expect(passed < Double(awake.after - asleep.before) / 1e9 + 0.5)
        try server.suspend(false)
        let again = try PulseRecorder(server: server.address)
        let errors = clicker.settledErrors(again)
        #expect(errors.count == 6 && typical(errors) < 2, "\(errors) ms")
    }

    @Test(.timeLimit(.minutes(20)))
    func `a suspended device wakes when it plays, and the wait for it is bounded`() throws {
        let server = try PulseServer()
        let other = try Clicker(server: server)
        defer { other.end() }
        try server.suspend(true)
        let clicker = try Clicker(server: server)
        defer { clicker.end() }
        try eventually("both notifications") { !other.sink.isAwake && !clicker.sink.isAwake }
        clicker.renderer.resume()
        #expect(!clicker.sink.isAwake)
        try server.suspend(false)
        try eventually("the device plays") { clicker.sink.isAwake }
        // Its wakeup is reported.
        _ = clicker.awakeReports.wait { $0 > 0 ? true : nil }
        // A sink that does not play is notified at once.
        try eventually("the other notification") { other.sink.isAwake }
        clicker.renderer.pause()
        try server.suspend(true)
        try eventually("it sleeps again") { !clicker.sink.isAwake }
        let count = clicker.awakeReports.withLock { $0 }
        clicker.renderer.resume()
        try eventually("the sink is awake") { clicker.sink.isAwake }
        _ = clicker.awakeReports.wait { $0 > count ? true : nil }
        clicker.renderer.pause()
        clicker.renderer.resume()
        #expect(clicker.sink.isAwake)
    }

    @Test(.timeLimit(.minutes(20)))
    func `the wait for a device is bounded although it slept again before its waking was reported`()
        throws
    {
        let server = try PulseServer()
        try server.suspend(true)
        let isReported = Monitor(false)
        let clicker = try Clicker(server: server) { _ = isReported.wait { $0 ? true : nil } }
        defer {
            isReported.change { $0 = true }
            clicker.end()
        }
        try eventually("the device sleeps") { !clicker.sink.isAwake }
        clicker.renderer.resume()
        try server.suspend(false)
        try eventually("the device plays") { clicker.sink.isAwake }
        clicker.renderer.pause()
        try server.suspend(true)
        try eventually("it sleeps again") { !clicker.sink.isAwake }
        clicker.renderer.resume()
        isReported.change { $0 = true }
        try eventually("the wait is over") { clicker.sink.isAwake }
    }

    @Test(.timeLimit(.minutes(20)))
    func `a device's extra latency is compensated`() throws {
        let server = try PulseServer()
        var options = PulseAudioOptions()
        options.latencyOffsets = ["null": MediaTime(value: 80, timescale: 1000)]
        let clicker = try playing(server, options: options)
        defer { clicker.end() }
        let recorder = try PulseRecorder(server: server.address)
        // By the server's own report, clicks come 80 ms too early.
        let errors = clicker.settledErrors(recorder, offset: -80)
        #expect(errors.count == 6 && typical(errors) < 2, "\(errors) ms")
        #expect(clicker.sink.latency.seconds > 0.11)
        clicker.sink.setLatencyOffset(
            MediaTime(value: -30, timescale: 1000), forDevice: "null")
        #expect(clicker.sink.latencyOffset(forDevice: "null").seconds == -0.03)
        let change = HostClock.nanoseconds + Self.second
        let rest = clicker.settledErrors(recorder, after: change, offset: 30)
        #expect(rest.count == 6 && typical(rest) < 2, "\(rest) ms")
    }

    @Test(.timeLimit(.minutes(20)))
    func `a call causes an interruption, and its end another event`() throws {
        let server = try PulseServer()
        try server.load(
            module: "module-role-cork", arguments: "trigger_roles=phone cork_roles=video")
        let clicker = try playing(server)
        defer { clicker.end() }
        let reported = Monitor<[AudioInterruption]>([])
        clicker.sink.onInterruption { request in reported.change { $0.append(request) } }
        var options = PulseAudioOptions()
        options.role = "phone"
        do {
            let call = try playing(server, options: options)
            let began = reported.wait(nanoseconds: 120 * Self.second) { $0.isEmpty ? nil : $0 }
            #expect(began == [.began])
            // As far as it knows, the server reports the end only to streams that have paused.
            clicker.renderer.pause()
            try eventually("the server's paused stream") { server.hasPausedStream }
            call.end()
        }
        let ended = reported.wait(nanoseconds: 120 * Self.second) { $0.count < 2 ? nil : $0 }
        #expect(ended == [.began, .ended])
    }
}
