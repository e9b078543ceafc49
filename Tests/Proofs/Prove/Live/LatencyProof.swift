// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import MediaTestSupport
import PlayheadThreads
import PlayheadUI

/// `prove latency`: cameras over HTTP and transport streams in datagrams are shown at once,
/// low-latency HLS after two seconds, and files are followed while they are written.
///
/// A camera on this machine sends numbered images in each framing, at 5, 25 and 60 a second and at
/// a rate that changes. A look at every vsync of a display of 60 Hz finds the newest frame, 95 % of
/// the time within 60 ms of the moment when its last byte was sent, and no later at the end of a
/// run than at its beginning. A pause of seconds does not change that.
///
/// A transport stream is sent by UDP and RTP, frame by frame, through a network that loses and swaps
/// datagrams. 95 % of its frames are visible within 150 ms of the moment when the first datagram of
/// the frame was sent. The demuxer knows that a frame is complete when the next one begins, and the
/// parser when the one after it does, which is two frames of that time. Losses are logged, and no
/// frame stands longer than a second: after a loss, the next keyframe is complete again. The same
/// holds for SRT, beside the latency that is chosen for it, and for RTSP over TCP. A source that stops
/// is reported, its last frame stays, and it is visible again, with new frames, within two seconds
/// after its return.
///
/// A server publishes a low-latency HLS stream in parts of a third of a second. A frame is visible
/// at most 2 s after the moment at which it was made, 99 % of the frames within 300 ms of the
/// median, no later at the end of a run than at its beginning, in order, without a stall. If the
/// last part of a segment is lost, no frame stands longer than a second.
///
/// `ffmpeg` writes a video in real time as MPEG-TS, Matroska and fragmented MP4. It plays from
/// shortly after its beginning. Every frame must come, in order, and the end must be known a second
/// after the writer has closed the file.
struct LatencyProof: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "latency",
        abstract: "Cameras, streams and files that are being written play at once, "
            + "low-latency HLS after 2 s.")

    @Flag(help: "Runs of 3 s instead of 20, and of 8 s of HLS instead of 120.")
    var short = false

    @Option(help: "The duration of each run of HLS, in minutes.")
    var minutes: Double?

    /// The limit of 95 % of the latencies, and of their growth, in milliseconds.
    private static let latencyLimit = 60.0
    private static let growthLimit = 10.0
    /// The limit of 95 % of the latencies of datagrams, of the time for which a frame stands, and
    /// of the time from the first datagram to the first frame, in milliseconds.
    private static let datagramLimit = 150.0
    private static let standLimit = 1000.0
    private static let openingLimit = 2000.0
    /// The limits of low-latency HLS: of all latencies, of the distance of 99 % of them from the
    /// median, and of the growth of the median, in milliseconds; and the share of the frames that
    /// looks must find, because a look may come late.
    private static let partLimit = 2000.0
    private static let spreadLimit = 300.0
    private static let driftLimit = 50.0
    private static let seenShare = 0.99
    /// The limit of the time from the return of a source to its first frame, in milliseconds.
    private static let returnLimit = 2000.0
    /// The limit of the time between closing a file and knowing its end, in milliseconds.
    private static let endLimit = 1000.0

    func run() throws {
        guard SyntheticClip.isAvailable else {
            throw CannotProve("latency: ffmpeg is missing; apt-get install ffmpeg")
        }
        let missing = StreamRoute.allCases.flatMap(\.missing)
        guard missing.isEmpty else {
            throw CannotProve(
                "latency: programs are missing; apt-get install \(missing.joined(separator: " "))"
                    + ", or Scripts/install-dependencies --peers")
        }
        var report = Report("latency")
        let seconds = short ? 3.0 : 20.0
        let streamSeconds = minutes.map { $0 * 60 } ?? (short ? 8 : 120)
        try report.measure(attempts: short ? 1 : 3) { report in
            let before = Machine.usage
            for framing in CameraServer.Framing.allCases {
                for rates in [[5.0], [25.0], [60.0], [60.0, 5.0, 30.0, 10.0]] {
                    let run = try CameraRun(framing, rates: rates, seconds: seconds)
                    check(run, in: &report)
                }
            }
            let streams: [(StreamRoute, Int, Bool)] = [
                (.udp, 30, false), (.rtp, 60, false), (.udp, 60, true), (.rtp, 30, true),
                (.srt, 30, false), (.srt, 60, false), (.rtsp, 30, false), (.rtsp, 60, false),
                (.gstreamer, 30, false),
            ]
            for (route, rate, hasLosses) in streams {
                let run = try DatagramRun(
                    route, framesPerSecond: rate, hasLosses: hasLosses, seconds: seconds)
                check(
                    run, after: route.delay(framesPerSecond: rate), isLossy: hasLosses, in: &report)
            }
            for route in StreamRoute.allCases {
                check(try ReturnRun(route), in: &report)
            }
            let others = Machine.others(since: before)
            report.add("machine during", "others used \(others)")
            return others
        }
        try report.measure(attempts: short ? 1 : 3) { report in
            let before = Machine.usage
            for losesPart in [false, true] {
                let run = try LowLatencyRun(losesPart: losesPart, seconds: streamSeconds)
                check(run, in: &report)
            }
            let others = Machine.others(since: before)
            report.add("machine during HLS", "others used \(others)")
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
        let (all, p95, growth) = (run.latencies.all, run.latencies.p95, run.latencies.growth)
        report.add(
            run.name,
            String(
                format: "p50 %.1f, p95 %.1f, max %.1f ms; growth of p95 %+.1f ms; %d of %d shown",
                all.magnitude(ofShare: 0.5), p95, all.largest, growth, all.count,
                run.sentCount))
        report.require(p95 <= Self.latencyLimit, "\(run.name): p95 \(Int(p95)) ms")
        report.require(growth <= Self.growthLimit, "\(run.name): grows by \(Int(growth)) ms")
        // At 60 images a second, some share a vsync.
        report.require(
            all.count >= run.sentCount * 2 / 3,
            "\(run.name): \(all.count) of \(run.sentCount) images shown")
    }

    private func check(_ run: LowLatencyRun, in report: inout Report) {
        let (all, first, last) = (run.latencies.all, run.latencies.first, run.latencies.last)
        let p50 = all.magnitude(ofShare: 0.5)
        let spread = all.magnitude(ofShare: 0.99) - p50
        let growth = last.magnitude(ofShare: 0.5) - first.magnitude(ofShare: 0.5)
        report.add(
            run.name,
            String(
                format: "first frame after %.0f ms; p50 %.0f, p99 %.0f, max %.0f ms; "
                    + "growth %+.0f ms; %d of %d frames seen, one at most for %.0f ms, %d stalls",
                run.openingTime, p50, p50 + spread, all.largest, growth, run.seenCount,
                run.frameCount, run.longestStand, run.stallCount))
        report.require(
            all.largest <= Self.partLimit, "\(run.name): up to \(Int(all.largest)) ms")
        report.require(spread <= Self.spreadLimit, "\(run.name): p99 is \(Int(spread)) ms later")
        report.require(growth <= Self.driftLimit, "\(run.name): grows by \(Int(growth)) ms")
        report.require(run.isInOrder, "\(run.name): frames were seen out of order")
        report.require(run.stallCount == 0, "\(run.name): \(run.stallCount) stalls")
        report.require(
            Double(run.seenCount) >= Self.seenShare * Double(run.frameCount),
            "\(run.name): \(run.seenCount) of \(run.frameCount) frames")
        report.require(
            run.longestStand <= Self.standLimit,
            "\(run.name): a frame stands for \(Int(run.longestStand)) ms")
    }

    private func check(_ run: ReturnRun, in report: inout Report) {
        report.add(
            run.name,
            String(
                format: "%d frames after 0.5 s of silence, visible %.0f ms after its return",
                run.lateFrames, run.returnTime))
        report.require(run.isReported, "\(run.name): not in the log")
        report.require(run.staysVisible, "\(run.name): the last frame does not stay")
        report.require(run.isNew, "\(run.name): an old frame is visible after its return")
        report.require(
            run.returnTime <= Self.returnLimit,
            "\(run.name): visible only after \(Int(run.returnTime)) ms")
    }

    private func check(
        _ run: DatagramRun, after delay: Double, isLossy: Bool, in report: inout Report
    ) {
        let (all, p95, growth) = (run.latencies.all, run.latencies.p95, run.latencies.growth)
        report.add(
            run.name,
            String(
                format: "first frame after %.0f ms; p50 %.1f, p95 %.1f, max %.1f ms; "
                    + "growth of p95 %+.1f ms; %d of %d shown, one at most for %.0f ms",
                run.openingTime, all.magnitude(ofShare: 0.5), p95, all.largest, growth,
                all.count, run.sentCount, run.longestStand))
        report.require(
            p95 <= Self.datagramLimit + delay, "\(run.name): p95 \(Int(p95)) ms")
        report.require(growth <= Self.growthLimit, "\(run.name): grows by \(Int(growth)) ms")
        report.require(
            run.longestStand <= Self.standLimit,
            "\(run.name): a frame stands for \(Int(run.longestStand)) ms")
        report.require(
            run.openingTime <= Self.openingLimit,
            "\(run.name): the first frame comes after \(Int(run.openingTime)) ms")
        report.require(
            run.isLossLogged == isLossy,
            "\(run.name): losses are \(isLossy ? "not " : "")in the log")
    }
}
