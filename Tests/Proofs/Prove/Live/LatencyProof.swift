// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import MediaTestSupport
import PlayheadThreads
import PlayheadUI

/// `prove latency`: cameras over HTTP are shown at once, and files are followed while they are
/// written.
///
/// A camera on this machine sends numbered images in each framing, at 5, 25 and 60 a second and at
/// a rate that changes. A look at every vsync of a display of 60 Hz finds the newest frame, 95 % of
/// the time within 60 ms of the moment when its last byte was sent, and no later at the end of a
/// run than at its beginning. A pause of seconds does not change that.
///
/// `ffmpeg` writes a video in real time as MPEG-TS, Matroska and fragmented MP4. It plays from
/// shortly after its beginning. Every frame must come, in order, and the end must be known a second
/// after the writer has closed the file.
struct LatencyProof: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "latency", abstract: "Cameras and files that are written play at once.")

    @Flag(help: "Runs of 3 s instead of 20.")
    var short = false

    /// The limit of 95 % of the latencies, and of their growth, in milliseconds.
    private static let latencyLimit = 60.0
    private static let growthLimit = 10.0
    /// The limit of the time between closing a file and knowing its end, in milliseconds.
    private static let endLimit = 1000.0

    func run() throws {
        guard SyntheticClip.isAvailable else {
            throw CannotProve("latency: ffmpeg is missing; apt-get install ffmpeg")
        }
        var report = Report("latency")
        let seconds = short ? 3.0 : 20.0
        try report.measure(attempts: short ? 1 : 3) { report in
            let before = Machine.usage
            for framing in CameraServer.Framing.allCases {
                for rates in [[5.0], [25.0], [60.0], [60.0, 5.0, 30.0, 10.0]] {
                    let run = try CameraRun(framing, rates: rates, seconds: seconds)
                    check(run, in: &report)
                }
            }
            let others = Machine.others(since: before)
            report.add("machine during", "others used \(others)")
            return others
        }
        for container in ["ts", "mkv", "mp4"] {
            let run = try GrowingRun(container: container, seconds: short ? 8 : 20)
            report.add(
                "\(container), written while it plays",
                String(
                    format: "%d of %d frames, %d seen, end known after %.0f ms",
                    run.decodedCount, run.frameCount, run.seenCount, run.endDelay))
            report.require(
                run.decodedCount == run.frameCount,
                "\(container): \(run.decodedCount) of \(run.frameCount) frames")
            report.require(run.isInOrder, "\(container): frames were seen out of order")
            report.require(
                run.endDelay <= Self.endLimit,
                "\(container): the end is known after \(Int(run.endDelay)) ms")
        }
        try report.finish()
    }

    private func check(_ run: CameraRun, in report: inout Report) {
        let p95 = run.all.magnitude(ofShare: 0.95)
        let growth = run.last.magnitude(ofShare: 0.95) - run.first.magnitude(ofShare: 0.95)
        report.add(
            run.name,
            String(
                format: "p50 %.1f, p95 %.1f, max %.1f ms; growth of p95 %+.1f ms; %d of %d shown",
                run.all.magnitude(ofShare: 0.5), p95, run.all.largest, growth, run.all.count,
                run.sentCount))
        report.require(p95 <= Self.latencyLimit, "\(run.name): p95 \(Int(p95)) ms")
        report.require(growth <= Self.growthLimit, "\(run.name): grows by \(Int(growth)) ms")
        // At 60 images a second, some share a vsync.
        report.require(
            run.all.count >= run.sentCount * 2 / 3,
            "\(run.name): \(run.all.count) of \(run.sentCount) images shown")
    }
}
