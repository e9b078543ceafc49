// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import MediaTestSupport
import PlayheadUI
import PulseTestSupport

/// `prove sound-cost`: the processor time that the audio of a video takes, compared with mpv's.
///
/// The audio of a video, stereo AAC at 48 kHz in a file of its own, plays alternately here and in
/// mpv, on the same audio server. The processor time of the whole process counts, including reading
/// the file, but not that of the server.
struct SoundCostProof: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sound-cost", abstract: "The cost of playing audio, compared with mpv.")

    @Flag(help: "Runs two rounds of 10 s instead of three of 60 s.")
    var short = false

    /// The limit, as a share of one processor.
    private static let limit = 0.01

    func run() async throws {
        guard SyntheticClip.isAvailable else {
            throw CannotProve("sound-cost: ffmpeg is missing; apt-get install ffmpeg")
        }
        guard ProcessRunner.has("mpv") else {
            throw CannotProve("sound-cost: mpv is missing; apt-get install mpv")
        }
        guard PulseServer.isInstalled else {
            throw CannotProve("sound-cost: \(PulseServer.absence)")
        }
        let seconds: Int64 = short ? 10 : 60
        Progress.show("making the file")
        let duration = MediaTime(value: seconds + 10, timescale: 1)
        let media = SyntheticMedia(
            frameTimes: nil, sounds: [SyntheticSound(.tone(440), duration: duration)])
        let file = try SyntheticClip(media, container: "m4a").url().path
        var report = Report("sound-cost")
        report.add("machine before", Machine.waitUntilQuiet(seconds: short ? 10 : 60))
        // An unused server ends, so it is started after the wait.
        let server = try PulseServer()
        defer { withExtendedLifetime(server) {} }
        var (ours, theirs) = ([Double](), [Double]())
        for round in 1...(short ? 2 : 3) {
            Progress.show("round \(round)")
            ours.append(try await play(file, seconds: Double(seconds), server))
            theirs.append(try await playByMPV(file, seconds: Double(seconds), server))
            report.add(
                "round \(round)",
                "ours \(Machine.thousandths(ours.last ?? 0)) % of a processor, mpv's "
                    + "\(Machine.thousandths(theirs.last ?? 0)) %")
        }
        let (own, other) = (
            Sample(ours).magnitude(ofShare: 0.5), Sample(theirs).magnitude(ofShare: 0.5)
        )
        report.add("ours to mpv's", Machine.hundredths(own / other))
        report.require(own < Self.limit, "audio takes 1 % of a processor or more")
        try report.finish()
    }

    /// Returns the share of a processor that playback takes.
    private func play(
        _ file: String, seconds: Double, _ server: PulseServer
    ) async throws -> Double {
        var options = PulseAudioOptions()
        options.server = server.address
        let sink = try PulseAudioSink(options: options)
        let item = PlayerItem(asset: URLAsset(file))
        let player = Player(playerItem: item, audioSink: sink)
        try await item.waitUntilReady()
        player.play()
        try await Task.sleep(for: .seconds(2))
        let (before, start) = (Machine.ownSeconds, HostClock.nanoseconds)
        let heard = item.currentTime
        try await Task.sleep(for: .seconds(seconds))
        let share =
            (Machine.ownSeconds - before) / (Double(HostClock.nanoseconds - start) / 1e9)
        if let error = item.error { throw error }
        guard (item.currentTime - heard).seconds > seconds - 1 else {
            throw CannotProve("sound-cost: the audio did not play")
        }
        player.replaceCurrentItem(with: nil)
        return share
    }

    private func playByMPV(
        _ file: String, seconds: Double, _ server: PulseServer
    ) async throws -> Double {
        // mpv fails if the server has just suspended an idle device: a recorder keeps it awake.
        let recorder = try PulseRecorder(server: server.address)
        defer { withExtendedLifetime(recorder) {} }
        let mpv = try ChildProcess(
            [
                "mpv", "--no-config", "--no-video", "--ao=pulse", "--msg-level=all=error",
                "--audio-buffer=0.04", file,
            ], environment: ["PULSE_SERVER": server.address])
        defer { mpv.kill() }
        try await Task.sleep(for: .seconds(2))
        func processorSeconds() throws -> Double {
            guard !mpv.hasEnded else {
                let words = String(decoding: mpv.standardOutput, as: UTF8.self) + mpv.standardError
                throw CannotProve("sound-cost: mpv ended: \(words)")
            }
            return try mpv.processorSeconds()
        }
        let (before, start) = (try processorSeconds(), HostClock.nanoseconds)
        try await Task.sleep(for: .seconds(seconds))
        let used = try processorSeconds() - before
        return used / (Double(HostClock.nanoseconds - start) / 1e9)
    }
}

extension ChildProcess {
    /// Returns the processor time so far: proc(5), /proc/PID/stat, fields 14 and 15.
    fileprivate func processorSeconds() throws -> Double {
        let text = try String(contentsOfFile: "/proc/\(identifier)/stat", encoding: .utf8)
        // The second field, a name in parentheses, may contain spaces.
        let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
        guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12])
        else { return 0 }
        return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }
}
