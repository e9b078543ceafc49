// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import MediaTestSupport
import PlayheadUI
import PulseTestSupport

/// `prove sound-sync`: audio plays at the time of the timeline, at other rates and after all events
/// of an audio server.
///
/// A video whose audio ticks on each whole second plays into a private server, PulseAudio or that of
/// PipeWire, and the monitor of its null sink is recorded. `SynchronyProof` explains how a recorded
/// sample gets its host time, and checks that frames follow the timeline. Here each tick is compared
/// with the host time at which the item's timebase reads its second, while nothing is drawn: at
/// rates 0.5, 1 and 2; after seeks and after pauses; and after the server has been killed and
/// restarted, the stream moved to another device, and its device suspended for three seconds
/// (PipeWire does not suspend a device that plays).
///
/// A tick counts from a second after the event, within which the clock of the device may still be
/// corrected (`AudioClock`). After seeks and pauses, every tick counts.
///
/// PipeWire stamps its answers with the current time, but its index changes once in a cycle of 10.67
/// ms, and the cycle that waits in its buffer is missing from the latency that it states. So only
/// the limit of the 99th percentile applies there, and a new stream is an event: its first second is
/// shown, but does not count.
struct SoundSyncProof: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sound-sync", abstract: "Ticks play at the time of the timeline.")

    /// The kinds of servers.
    enum Server: String, ExpressibleByArgument, CaseIterable {
        case pulseaudio, pipewire

        /// The largest mean, in milliseconds.
        var limitOfMean: Double { self == .pulseaudio ? 3 : 10 }

        /// Starts a server.
        func start() throws -> any RecordableServer {
            switch self {
            case .pulseaudio: try PulseServer()
            case .pipewire: try PipeWireServer()
            }
        }
    }

    @Option(help: "The server to play into.")
    var server = Server.pulseaudio

    @Flag(help: "Runs 10 s for a rate, 5 seeks and pauses, not 60 s, 50 and 20.")
    var short = false

    func run() throws {
        guard SyntheticClip.isAvailable else {
            throw CannotProve("sound-sync: ffmpeg is missing; apt-get install ffmpeg")
        }
        let (isInstalled, absence) =
            switch server {
            case .pulseaudio: (PulseServer.isInstalled, PulseServer.absence)
            case .pipewire: (PipeWireServer.isInstalled, PipeWireServer.absence)
            }
        guard isInstalled else { throw CannotProve("sound-sync: \(absence)") }
        Progress.show("making the video")
        let film = Self.film(seconds: short ? 40 : 180)
        let clip = SyntheticClip(film, audioCodec: "pcm_s16le", container: "mov")
        let file = try clip.url().path
        var report = Report("sound-sync")
        report.add("server", try Self.name(of: server.start()))
        report.add("machine before", Machine.waitUntilQuiet(seconds: short ? 5 : 60))
        let before = Machine.usage
        let processor = Machine.ownSeconds
        let start = HostClock.nanoseconds
        for rate in [0.5, 1, 2] {
            Progress.show("rate \(rate)")
            let run = try begin(file, rate: rate)
            try run.play(rate: rate, from: .zero, seconds: short ? 10 : 60)
            run.judge("rate \(rate)", mean: server.limitOfMean, &report)
        }
        try seeksAndPauses(file, &report)
        try events(file, &report)
        let wall = Double(HostClock.nanoseconds - start) / 1e9
        report.add(
            "processor",
            String(
                format: "%.1f %% of one core, decoding and recording without drawing",
                (Machine.ownSeconds - processor) / wall * 100))
        report.add(
            "machine during", "others used \(Machine.others(since: before))"
        )
        try report.finish()
    }

    /// Starts a server and a player.
    private func begin(_ file: String, rate: Double = 1) throws -> SoundSyncRun {
        let run = try SoundSyncRun(file, on: server.start())
        if server == .pipewire { try run.settle(rate: rate) }
        return run
    }

    private func seeksAndPauses(_ file: String, _ report: inout Report) throws {
        let (seeks, pauses) = short ? (5, 5) : (50, 20)
        let run = try begin(file)
        var random = SplitMix64(seed: 5)
        for seek in 0..<seeks {
            Progress.show("seek \(seek + 1) of \(seeks)")
            let second = Int(random.next() % UInt64(run.seconds - 5))
            try run.play(
                rate: 1, from: MediaTime(value: Int64(second * 10 + 6), timescale: 10),
                seconds: 1)
        }
        run.judge("after \(seeks) seeks", mean: server.limitOfMean, &report)
        let paused = try begin(file)
        try paused.play(rate: 1, from: .zero, seconds: 1)
        for pause in 0..<pauses {
            Progress.show("pause \(pause + 1) of \(pauses)")
            paused.pause(seconds: 0.3)
            try paused.play(rate: 1, from: nil, seconds: 1)
        }
        paused.judge("after \(pauses) pauses", mean: server.limitOfMean, &report)
    }

    private func events(_ file: String, _ report: inout Report) throws {
        let seconds = short ? 4.0 : 15
        Progress.show("server killed and restarted")
        let killed = try begin(file)
        try killed.play(rate: 1, from: .zero, seconds: 2)
        try killed.restartServer()
        try killed.play(rate: 1, from: nil, seconds: seconds)
        killed.judge("server killed", mean: server.limitOfMean, &report)
        Progress.show("moved to another device")
        let moved = try begin(file)
        try moved.play(rate: 1, from: .zero, seconds: 2)
        try moved.move()
        try moved.play(rate: 1, from: nil, seconds: seconds)
        moved.judge("moved", mean: server.limitOfMean, &report)
        guard server == .pulseaudio else { return }
        Progress.show("suspended for 3 s")
        let suspended = try begin(file)
        try suspended.play(rate: 1, from: .zero, seconds: 2)
        try suspended.suspend(seconds: 3)
        try suspended.play(rate: 1, from: nil, seconds: seconds)
        suspended.judge("suspended", mean: server.limitOfMean, &report)
    }

    /// Returns the name and version that a server states.
    private static func name(of server: any RecordableServer) throws -> String {
        let lines = try ProcessRunner.check(["pactl", "--server", server.address, "info"]).text
        return ["Server Name: ", "Server Version: "].compactMap { label in
            lines.split(separator: "\n").first { $0.hasPrefix(label) }?.dropFirst(label.count)
        }.joined(separator: ", version ")
    }

    private static func film(seconds: Int) -> SyntheticMedia {
        let duration = MediaTime(value: Int64(seconds), timescale: 1)
        var film = SyntheticMedia(
            frameTimes: SyntheticFrameTimes(framesPerSecond: 30, duration: duration))
        (film.width, film.height) = (320, 180)
        return film
    }
}
