// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Dispatch
import Foundation
import MediaTestSupport
import PlayheadThreads
import PlayheadUI
import Synchronization

/// `prove slots`: 1080p at 60 frames a second in a window on Xvfb, in real time: at least 999 of
/// 1,000 frames are shown in the vsync that they belong to, and the presentation times in the
/// ledger are those of the X server's Present events.
///
/// `playhead play --stats-csv` plays the video. The ledger holds the time of each event, and the
/// estimate behind it, which is free of the jitter of Xvfb's timer. Meanwhile this program asks the
/// same server for the times of its vsyncs, for a window and over a connection of its own: every
/// frame must have one of them to itself. Their times are only printed, since Xvfb has a timer of
/// whole milliseconds for each client, and two clients receive the event of one vsync some
/// milliseconds apart.
///
/// A result that falls short while others use a quarter of the machine or more is measured again.
struct SlotsProof: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "slots", abstract: "Frames in their slots, and the display's times.")

    @Flag(help: "Runs for 10 seconds instead of 60.")
    var short = false

    /// The minimum share of frames in their slot.
    private static let share = 0.999
    /// The maximum distance of a presentation time from its event, in milliseconds. Xvfb's timer
    /// counts milliseconds, and a busy machine is late.
    private static let nearMilliseconds = 2.0

    private struct Row {
        var presented: Int64
        var reported: Int64?
        var slotError: Int64
        var period: Int64
        var dropped: Int
    }

    func run() throws {
        let tool = try Tool.path()
        guard SyntheticClip.isAvailable else {
            throw CannotProve("slots: ffmpeg is missing; apt-get install ffmpeg")
        }
        let seconds: Int64 = short ? 10 : 60
        var media = SyntheticMedia(
            frameTimes: SyntheticFrameTimes(
                framesPerSecond: 60, duration: MediaTime(value: seconds, timescale: 1)),
            sounds: [])
        (media.width, media.height) = (1920, 1080)
        media.keyframeInterval = 120
        Progress.show("making the video")
        let film = try SyntheticClip(media).url().path
        let server = try XServer()
        setenv("DISPLAY", server.display, 1)
        let source = try MainActor.assumeIsolated {
            var configuration = WindowConfiguration(
                title: "slots", size: WindowSize(width: 8, height: 8))
            configuration.isVisible = false
            return try Window(configuration).makeVsyncSource()
        }
        let watch = VsyncTimes(source)
        defer { watch.end() }
        var report = Report("slots")
        try report.measure(attempts: 3) { report in
            Progress.show(Machine.waitUntilQuiet(seconds: 60))
            let usage = Machine.usage
            try measure(tool, film, frames: Int(seconds * 60), watch, &report)
            let others = Machine.others(since: usage)
            report.add("others", "used \(others) of the machine, the X server among them")
            return others
        }
        Progress.clear()
        try report.finish()
    }

    /// The times of the X server's vsyncs, by its own timestamps.
    private final class VsyncTimes: Sendable {
        private let source: any VsyncSource
        private let thread: WorkerThread

        init(_ source: any VsyncSource) {
            self.source = source
            let list = Recording()
            recording = list
            thread = WorkerThread(name: "proof-vsyncs") {
                while let event = source.waitForVsync() {
                    guard event.source == .xPresent, let time = event.hostTime.nanoseconds else {
                        continue
                    }
                    list.times.withLock { $0.append(time) }
                }
            }
        }

        private final class Recording: Sendable {
            let times = Mutex<[Int64]>([])
        }
        private let recording: Recording

        /// Returns the vsyncs since the last call.
        func take() -> [Int64] {
            recording.times.withLock { times in
                defer { times = [] }
                return times
            }
        }

        func end() {
            source.stop()
            thread.join()
        }
    }

    private func measure(
        _ tool: String, _ film: String, frames: Int, _ watch: VsyncTimes,
        _ report: inout Report
    ) throws {
        let folder = TemporaryFolder()
        let csv = folder.appending("frames.csv").path
        _ = watch.take()
        Progress.show("playing")
        let result = try ProcessRunner.run(
            [
                tool, "play", film, "--mute", "--size", "1280x720", "--stats-csv", csv,
            ], environment: ["DISPLAY": ProcessInfo.processInfo.environment["DISPLAY"]],
            deadline: .seconds(120))
        guard result.status == 0 else { throw CannotProve("slots: \(result.standardError)") }
        let rows = try Self.rows(of: csv)
        judge(rows, frames: frames, events: watch.take(), &report)
    }

    private func judge(
        _ rows: [Row], frames: Int, events: [Int64], _ report: inout Report
    ) {
        let dropped = rows.reduce(0) { $0 + $1.dropped }
        let inSlot = rows.count { abs($0.slotError) < $0.period / 2 }
        let share = Double(inSlot) / Double(frames)
        report.add("frames", "\(frames), shown \(rows.count), dropped \(dropped)")
        report.add("in their slot", "\(inSlot), \(Machine.thousandths(share)) %")
        report.require(
            share >= Self.share,
            "only \(inSlot) of \(frames) frames were shown in their slot")
        // Both lists are sorted.
        var index = 0
        var errors: [Double] = []
        var unmatched = 0
        var last = -1
        for row in rows {
            while index + 1 < events.count,
                abs(events[index + 1] - row.presented) <= abs(events[index] - row.presented)
            {
                index += 1
            }
            let error = abs(events[index] - row.presented)
            errors.append(Double(error) / 1e6)
            if error > row.period / 2 || index == last { unmatched += 1 }
            last = index
        }
        guard !errors.isEmpty else { return }
        let own = rows.compactMap { row in
            row.reported.map { Double(abs($0 - row.presented)) / 1e6 }
        }
        report.add("ledger's time, its event", Self.distribution(own))
        report.add("  another client's event", Self.distribution(errors))
        report.require(
            Double(unmatched) <= 0.001 * Double(rows.count),
            "\(unmatched) frames were presented at no vsync of their own")
        report.require(
            Sample(own).magnitude(ofShare: 0.99) < Self.nearMilliseconds,
            "more than 1 % are further than \(Self.nearMilliseconds) ms from their event")
        report.require(
            Double(own.count) >= Self.share * Double(rows.count),
            "\(rows.count - own.count) frames have no event")
    }

    private static func distribution(_ milliseconds: [Double]) -> String {
        let sample = Sample(milliseconds)
        let values = [0.5, 0.99, 1].map { Machine.hundredths(sample.magnitude(ofShare: $0)) }
        return "p50 \(values[0]), p99 \(values[1]), max \(values[2]) ms apart"
    }

    private static func rows(of path: String) throws -> [Row] {
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let lines = text.split(separator: "\n")
        let names = lines.first?.split(separator: ",").map(String.init) ?? []
        func column(_ name: String) throws -> Int {
            guard let index = names.firstIndex(of: name) else {
                throw CannotProve("slots: there is no column \(name)")
            }
            return index
        }
        let columns = try [
            "presented_ns", "reported_ns", "slot_error_ns", "period_ns", "dropped_before",
        ]
        .map(column)
        return lines.dropFirst().compactMap { line in
            let fields = line.split(separator: ",", omittingEmptySubsequences: false)
            guard let presented = Int64(fields[columns[0]]),
                let error = Int64(fields[columns[2]]), let period = Int64(fields[columns[3]]),
                let dropped = Int(fields[columns[4]])
            else { return nil }
            return Row(
                presented: presented, reported: Int64(fields[columns[1]]), slotError: error,
                period: period,
                dropped: dropped)
        }
    }
}
