// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadUI
import PulseTestSupport

/// A video with ticks on an audio server of its own, and the offsets of the recorded ticks from
/// their times.
final class SoundSyncRun {
    private let server: any RecordableServer
    private let sink: PulseAudioSink
    private let player: Player
    private let item: PlayerItem
    private var recorder: PulseRecorder
    private var offsets: [Double] = []
    /// The offsets of ticks in the first second of the stream, if they do not count.
    private var earlyOffsets: [Double] = []
    /// The number of ticks that were due during recording.
    private var due = 0

    init(_ file: String, on server: any RecordableServer) throws {
        self.server = server
        var options = PulseAudioOptions()
        options.server = server.address
        sink = try PulseAudioSink(options: options)
        item = PlayerItem(asset: URLAsset(file))
        player = Player(playerItem: item, audioSink: sink)
        recorder = try PulseRecorder(server: server.address)
        _ = recorder.wait(seconds: 10) { $0.frameCount > $0.sampleRate / 4 }
        let end = HostClock.nanoseconds + 20_000_000_000
        while item.status == .unknown, HostClock.nanoseconds < end { usleep(5000) }
        if let error = item.error { throw error }
    }

    /// The number of whole seconds in the video.
    var seconds: Int { Int(item.duration.seconds) }

    /// Plays for some seconds of host time, and measures the ticks recorded meanwhile.
    ///
    /// - Parameter time: the time to seek to before; nil to continue.
    func play(rate: Double, from time: MediaTime?, seconds: Double) throws {
        if let time { item.seek(to: time, toleranceBefore: .zero, toleranceAfter: .zero) }
        if player.rate != rate { player.rate = rate }
        try wait("playing") { player.timeControlStatus == .playing }
        let start = HostClock.nanoseconds
        usleep(UInt32(seconds * 1e6))
        measure(from: start, to: HostClock.nanoseconds)
    }

    /// Plays for a second whose ticks do not count.
    func settle(rate: Double) throws {
        try play(rate: rate, from: .zero, seconds: 1)
        earlyOffsets = offsets
        (offsets, due) = ([], 0)
    }

    func pause(seconds: Double) {
        player.pause()
        usleep(UInt32(seconds * 1e6))
    }

    /// Measures the ticks recorded between two host times, against the timebase, which has not been
    /// changed since the first.
    private func measure(from start: Int64, to end: Int64) {
        let recording = recorder.wait(untilHostTime: end)
        // Ticks at the edges may be on either side.
        let times = [start, end].map {
            item.timebase.time(atHostTime: MediaTime(nanoseconds: $0)).seconds
        }
        due += Int(times[1].rounded(.down)) - Int(times[0].rounded(.down))
        for frame in recording.onsets() {
            guard let host = recording.hostTime(ofFrame: Double(frame)), host > start, host < end
            else { continue }
            let time = item.timebase.time(atHostTime: MediaTime(nanoseconds: host)).seconds
            let error = (time - time.rounded()) * 1000 / player.rate
            offsets.append(error)
        }
    }

    func restartServer() throws {
        server.stop()
        usleep(500_000)
        try server.start()
        try wait("the server") { if case .running = sink.status { true } else { false } }
        recorder = try PulseRecorder(server: server.address)
        // A null sink that gets a stream before it has been suspended plays what it rendered
        // before.
        _ = recorder.wait(seconds: 20) { !$0.onsets().isEmpty }
        usleep(1_000_000)
    }

    func move() throws {
        try server.addSink(named: "other")
        sink.move(toDevice: "other")
        try wait("the other device") { sink.currentDevice == "other" }
        recorder = try PulseRecorder(server: server.address, source: "other.monitor")
        _ = recorder.wait(seconds: 20) { !$0.onsets().isEmpty }
        usleep(1_000_000)
    }

    func suspend(seconds: Double) throws {
        guard let server = server as? PulseServer else { return }
        try server.suspend(true)
        usleep(UInt32(seconds * 1e6))
        try server.suspend(false)
        recorder = try PulseRecorder(server: server.address)
        _ = recorder.wait(seconds: 20) { !$0.onsets().isEmpty }
        usleep(1_000_000)
    }

    private func wait(_ what: String, until condition: () -> Bool) throws {
        let end = HostClock.nanoseconds + 20_000_000_000
        while !condition() {
            guard HostClock.nanoseconds < end else {
                throw CannotProve("sound-sync: \(what) does not arrive")
            }
            usleep(2000)
        }
    }

    /// Adds the results and their requirements: 99 % within 10 ms, and the mean within a limit.
    func judge(_ name: String, mean limit: Double, _ report: inout Report) {
        player.pause()
        let sample = Sample(offsets)
        report.add(
            name, "\(sample), \(due) due, \(item.statistics.audioUnderruns) underruns")
        report.require(
            due >= 3 && abs(sample.count - due) <= max(2, due / 10),
            "\(name): \(sample.count) ticks were recorded of \(due)")
        report.require(
            abs(sample.mean) <= limit && sample.magnitude(ofShare: 0.99) <= 10,
            "\(name): not within \(limit) ms in the mean and 10 ms at the 99th percentile")
        if !earlyOffsets.isEmpty { report.add("  first second", Sample(earlyOffsets)) }
    }
}
