// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import MediaTestSupport
import PlayheadUI
import PulseTestSupport

/// `prove cadence`: in real time and with audio, 30 frames a second on 60 Hz are each shown for two
/// vsyncs, in order, none dropped, none late.
///
/// A video of 10 s, 1920 x 1080, H.264 and AAC, whose pixels carry frame numbers, is played without
/// a window in two ways:
///
/// 1. Through the library, vsync by vsync: the number is read from the rendered pixels, and must be
///    that of the frame whose time covers the vsync's item time, computed from the definition of
///    the video.
/// 2. By `playhead play --headless --stats-json`, whose counts of dropped and repeated frames must
///    be zero.
///
/// Playback follows the audio device (a private PulseAudio server with a null sink; the host clock
/// if PulseAudio is not installed), while the vsyncs follow the host clock. The two drift, so
/// vsyncs move relative to the frames, and when a vsync passes the edge of a frame, one frame is
/// shown for three vsyncs or one. That is correct, since every vsync shows the expected frame, but
/// it is visible: such *slips* are counted, and more than one in 10 s fails.
///
/// Software rendering shares the processors with everything else. So the proof first waits for a
/// quiet machine, measures again if it falls short while others use a quarter of the machine or
/// more, and reports that it did.
struct CadenceProof: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cadence", abstract: "Every frame is shown for two vsyncs, in real time.")

    @Flag(help: "Runs one round of each instead of three.")
    var short = false

    static let seconds: Int64 = 10

    /// The video that is played.
    static let film: SyntheticMedia = {
        let duration = MediaTime(value: seconds, timescale: 1)
        var media = SyntheticMedia(
            frameTimes: SyntheticFrameTimes(framesPerSecond: 30, duration: duration))
        (media.width, media.height) = (1920, 1080)
        media.keyframeInterval = 60
        media.bidirectionalFrames = 2
        return media
    }()

    func run() throws {
        let tool = try Tool.path()
        guard SyntheticClip.isAvailable else {
            throw CannotProve("cadence: ffmpeg is missing; apt-get install ffmpeg")
        }
        Progress.show("making the video")
        let file = try SyntheticClip(Self.film).url().path
        var report = Report("cadence")
        let hasSound = PulseServer.isInstalled
        report.add("clock", hasSound ? "audio, PulseAudio" : "host (\(PulseServer.absence))")
        let rounds = short ? 1 : 3
        for round in 1...rounds {
            report.add("machine", Machine.waitUntilQuiet(seconds: short ? 15 : 60))
            // Started after the wait, since an unused server ends.
            let server = hasSound ? try PulseServer() : nil
            let attempts = short ? 2 : 3
            try report.measure(attempts: attempts) { report in
                Progress.show("round \(round) of \(rounds), vsync by vsync")
                let before = Machine.usage
                let run = try CadenceRun.play(file, film: Self.film, server: server?.address)
                let others = Machine.others(since: before)
                run.add(to: &report, round: round, others: others)
                return others
            }
            try report.measure(attempts: attempts) { report in
                Progress.show("round \(round) of \(rounds), by the tool")
                return try playByTool(
                    tool, file, server: server?.address, round: round, report: &report)
            }
        }
        try report.finish()
    }

    /// The values of `--stats-json` that the proof uses.
    private struct Statistics: Decodable {
        struct Distribution: Decodable { let p50, p99, max: Double }
        let decoded, presented, repeated, dropped, late: Int
        let underruns: Int
        let slotError: Distribution
        let renderer: String
        enum CodingKeys: String, CodingKey {
            case decoded, presented, repeated, dropped, late
            case underruns = "audio_underruns"
            case slotError = "slot_error_ms"
            case renderer = "gl_renderer"
        }
    }

    private func playByTool(
        _ tool: String, _ file: String, server: String?, round: Int, report: inout Report
    ) throws -> Machine.Others {
        let folder = TemporaryFolder()
        let path = folder.appending("stats.json")
        let before = Machine.usage
        let cpu = Machine.childSeconds
        try ProcessRunner.check(
            [tool, "play", file, "--headless", "--stats-json", path.path]
                + (server == nil ? ["--mute"] : []),
            environment: ["PULSE_SERVER": server])
        let others = Machine.others(since: before)
        let figures = try JSONDecoder().decode(Statistics.self, from: Data(contentsOf: path))
        let title = "tool, round \(round)"
        if round == 1 { report.add("renderer", figures.renderer) }
        report.add(
            title,
            "\(figures.presented) presented, \(figures.dropped) dropped, \(figures.repeated) "
                + "repeated, \(figures.late) late, \(figures.underruns) underruns")
        report.add(
            "  slot error",
            String(
                format: "p50 %.2f, p99 %.2f, max %.2f ms", figures.slotError.p50,
                figures.slotError.p99, figures.slotError.max))
        report.add(
            "  processor",
            String(format: "%.1f s, others ", Machine.childSeconds - cpu) + "\(others)")
        report.require(figures.dropped == 0, "\(title): \(figures.dropped) dropped")
        report.require(figures.repeated == 0, "\(title): \(figures.repeated) repeated")
        report.require(
            figures.presented == Self.film.frameTimes?.count,
            "\(title): \(figures.presented) frames presented")
        return others
    }
}
