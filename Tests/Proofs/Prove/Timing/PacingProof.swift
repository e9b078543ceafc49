// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import MediaTestSupport
import PlayheadUI
import Synchronization

/// `prove pacing`: every display shows videos as evenly as it can.
///
/// Displays of 23.976 to 240 Hz are simulated on a manual clock, through the real display link.
/// Each shows videos of 23.976 to 60 frames a second with `FramePacer` for a simulated hour, once
/// with true vsyncs and once with reports of them that are up to 1 ms early or late.
///
/// The ideal: a frame is *r* vsyncs long, so any *n* consecutive frames are shown for exactly
/// floor(n r) or ceil(n r) vsyncs: 24 on 60 Hz is 3, 2, 3, 2 without exception. On a display slower
/// than the video the same holds for the number of frames in any consecutive vsyncs. The proof
/// counts every run of up to ten for which it does not hold. None may exist, even if the two rates
/// have no common measure and the pattern must shift as they drift. No frame may be shown more than
/// three quarters of a vsync from its time. On a display at least as fast as the video, every frame
/// must be shown.
///
/// A video of varying frame durations is measured only by the distance from its times, and so is
/// any video on a display whose rate varies, here from 48 to 144 Hz and back in seven seconds.
struct PacingProof: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pacing", abstract: "Videos are shown as evenly as the display can.")

    @Flag(help: "Simulates a minute of each instead of an hour.")
    var short = false

    private static let displays: [(name: String, schedule: VsyncSchedule)] = [
        ("23.976", VsyncSchedule(vsyncs: 24_000, inSeconds: 1001)),
        ("24", VsyncSchedule(vsyncs: 24)), ("50", VsyncSchedule(vsyncs: 50)),
        ("59.94", VsyncSchedule(vsyncs: 60_000, inSeconds: 1001)),
        ("60", VsyncSchedule(vsyncs: 60)), ("75", VsyncSchedule(vsyncs: 75)),
        ("120", VsyncSchedule(vsyncs: 120)), ("144", VsyncSchedule(vsyncs: 144)),
        ("240", VsyncSchedule(vsyncs: 240)),
    ]

    func run() throws {
        let seconds: Int32 = short ? 60 : 3600
        var report = Report("pacing")
        for display in Self.displays {
            for jitter in [0, 1] {
                Progress.show("\(display.name) Hz, jitter \(jitter) ms")
                let runs = PacedFilm.all.map { PacedRun(film: $0, schedule: display.schedule) }
                play(runs, on: display.schedule, seconds: seconds, jitter: jitter)
                let title = "\(display.name) Hz" + (jitter > 0 ? ", 1 ms jitter" : "")
                report.add(title, runs.map(\.summary).joined(separator: "  "))
                for run in runs {
                    for shortfall in run.shortfalls {
                        report.require(false, "\(title): \(shortfall)")
                    }
                }
            }
        }
        let runs = PacedFilm.all.map {
            PacedRun(film: $0, schedule: VsyncSchedule(vsyncs: 48), isVariable: true)
        }
        playVariably(runs, seconds: seconds)
        report.add("48 to 144 Hz", runs.map(\.summary).joined(separator: "  "))
        for shortfall in runs.flatMap(\.shortfalls) {
            report.require(false, "48 to 144 Hz: \(shortfall)")
        }
        try report.finish()
    }

    /// Plays on a display whose rate varies. It is not estimated: the reported times are used.
    private func playVariably(_ runs: [PacedRun], seconds: Int32) {
        let clock = ManualClock()
        let link = ManualDisplayLink(clock: clock, schedule: VsyncSchedule(vsyncs: 48)) { tick in
            for run in runs { run.show(tick) }
        }
        var vsync: Int64 = 0
        while vsync < Int64(seconds) * 1_000_000_000 {
            let rate = 96 + 48 * sin(Double(vsync) / 1e9 / 7 * 2 * .pi)
            let next = vsync + Int64(1e9 / rate)
            link.tick(at: MediaTime(nanoseconds: vsync), target: MediaTime(nanoseconds: next))
            vsync = next
        }
    }

    /// Plays all videos in parallel on a display, for `seconds`.
    private func play(
        _ runs: [PacedRun], on schedule: VsyncSchedule, seconds: Int32, jitter: Int
    ) {
        let clock = ManualClock()
        let faults = SimulatedDisplay.Faults(
            jitter: MediaTime(value: Int64(jitter), timescale: 1000), seed: 7)
        let display = SimulatedDisplay(schedule: schedule, driving: clock, faults: faults)
        let end = MediaTime(value: Int64(seconds), timescale: 1)
        let isOver = DispatchSemaphore(value: 0)
        let hasEnded = Atomic<Bool>(false)
        let link = DisplayLink(source: display, name: "proof-pacing") { tick in
            for run in runs { run.show(tick) }
            if tick.timestamp >= end, !hasEnded.exchange(true, ordering: .relaxed) {
                isOver.signal()
            }
        }
        link.isPaused = false
        isOver.wait()
        link.invalidate()
    }
}
