// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import MediaTestSupport
import PlayheadUI
import PulseTestSupport

/// `prove window`: ten seconds of 1080p at 30 frames a second, with audio, in a window of 1280 x
/// 720, as a user plays them: the dropped frames, and the processor time and memory of the whole
/// program, compared with mpv, alternately.
///
/// Processor time is that from the program's start to its end, without the X server's and the audio
/// server's; memory is the peak of resident memory (`VmHWM`, proc(5)). Figures are medians.
struct WindowProof: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "window", abstract: "A video in a window: drops, processor time, memory.")

    @Flag(help: "Runs one round instead of three.")
    var short = false

    /// The maximum processor time for ten seconds of the video, in seconds.
    private static let processorLimit = 10.0
    /// The maximum peak of resident memory, in MB.
    private static let memoryLimit = 175.0
    private static let folder = TemporaryFolder()

    private struct Run {
        var processor: Double
        var memory: Double
        var drops: Int
    }

    func run() throws {
        guard SyntheticClip.isAvailable else {
            throw CannotProve("window: ffmpeg is missing; apt-get install ffmpeg")
        }
        guard PulseServer.isInstalled else { throw CannotProve("window: \(PulseServer.absence)") }
        Progress.show("making the video")
        let file = try SyntheticClip(CadenceProof.film).url().path
        let hasMPV = ProcessRunner.has("mpv")
        var report = Report("window")
        let rounds = short ? 1 : 3
        report.add("machine", Machine.waitUntilQuiet(seconds: short ? 5 : 60))
        let display = try XServer(isLasting: true)
        let server = try PulseServer()
        // An unused audio server suspends its device, and then ends.
        let recorder = try PulseRecorder(server: server.address)
        defer { withExtendedLifetime((server, recorder)) {} }
        var (ours, theirs) = ([Run](), [Run]())
        for round in 1...rounds {
            Progress.show("round \(round)")
            ours.append(try playHere(file, on: display, server))
            if hasMPV { theirs.append(try playByMPV(file, on: display, server)) }
        }
        let own = Self.median(ours)
        report.add("ours", Self.text(own))
        if hasMPV {
            report.add("mpv, --vo=gpu", Self.text(Self.median(theirs)))
        } else {
            report.add("mpv", "is not installed: apt-get install mpv")
        }
        report.require(own.drops == 0, "\(own.drops) frames dropped")
        report.require(own.processor < Self.processorLimit, "10 processor seconds or more")
        report.require(own.memory < Self.memoryLimit, "175 MB of memory or more")
        try report.finish()
    }

    private static func median(_ runs: [Run]) -> Run {
        Run(
            processor: Sample(runs.map(\.processor)).magnitude(ofShare: 0.5),
            memory: Sample(runs.map(\.memory)).magnitude(ofShare: 0.5),
            drops: runs.map(\.drops).max() ?? 0)
    }

    private static func text(_ run: Run) -> String {
        "\(run.drops) dropped at most, \(Machine.hundredths(run.processor)) s of processor time, "
            + "\(Int(run.memory)) MB"
    }

    /// The values of `--stats-json` that the proof uses.
    private struct Statistics: Decodable {
        let presented, dropped: Int
    }

    private func playHere(
        _ file: String, on display: XServer, _ server: PulseServer
    ) throws -> Run {
        let path = Self.folder.appending("stats.json")
        let (_, processor, memory) = try play(
            [
                try Tool.path(), "play", file, "--no-config", "--size", "1280x720",
                "--stats-json", path.path,
            ], on: display, server)
        let figures = try JSONDecoder().decode(Statistics.self, from: Data(contentsOf: path))
        let missing = (CadenceProof.film.frameTimes?.count ?? 0) - figures.presented
        return Run(
            processor: processor, memory: memory, drops: max(figures.dropped, missing))
    }

    private func playByMPV(
        _ file: String, on display: XServer, _ server: PulseServer
    ) throws -> Run {
        let (words, processor, memory) = try play(
            [
                "mpv", "--no-config", "--hwdec=no", "--ao=pulse", "--vo=gpu",
                "--gpu-context=x11egl", "--no-border", "--geometry=1280x720+0+0",
                "--term-status-msg=drops ${frame-drop-count:0} ${decoder-frame-drop-count:0} .",
                file,
            ], on: display, server)
        let last = words.components(separatedBy: "drops ").last?.split(separator: " ") ?? []
        return Run(
            processor: processor, memory: memory,
            drops: last.prefix(2).compactMap { Int($0) }.reduce(0, +))
    }

    /// Plays a video to its end; returns the program's output, its processor time in seconds, and
    /// its peak memory in MB.
    private func play(
        _ command: [String], on display: XServer, _ server: PulseServer
    ) throws -> (words: String, processor: Double, memory: Double) {
        let before = Machine.childSeconds
        let program = try ChildProcess(
            command,
            environment: [
                "DISPLAY": display.display, "WAYLAND_DISPLAY": nil,
                "PULSE_SERVER": server.address, "XDG_RUNTIME_DIR": Self.folder.url.path,
            ])
        var memory = 0.0
        let deadline = HostClock.nanoseconds + 60_000_000_000
        while !program.hasEnded, HostClock.nanoseconds < deadline {
            memory = max(memory, Self.peakMemory(of: program.identifier))
            usleep(100_000)
        }
        guard let status = program.wait(.seconds(5)), status == 0 else {
            let end = program.wait(.zero).map { "ended with \($0)" } ?? "did not end"
            throw CannotProve("\(command[0]) \(end): \(program.standardError.suffix(2000))")
        }
        let words = String(decoding: program.standardOutput, as: UTF8.self)
        return (words, Machine.childSeconds - before, memory)
    }

    /// proc(5), /proc/PID/status; 0 for a process that has ended.
    private static func peakMemory(of identifier: Int32) -> Double {
        let text = try? String(contentsOfFile: "/proc/\(identifier)/status", encoding: .utf8)
        let line = text?.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return (line?.split(separator: " ").dropFirst().first.flatMap { Double($0) } ?? 0) / 1024
    }
}
