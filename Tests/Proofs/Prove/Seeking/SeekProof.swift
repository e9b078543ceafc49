// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import MediaTestSupport

/// `prove seek`: the time of an exact seek until its frame is available, in a video with few
/// keyframes, compared with libmpv, and the frames shown while scrubbing.
///
/// The video: 1080p at 30 frames a second, H.264 with B-frames, a keyframe every 250 frames, made
/// with FFmpeg with noise, so that it costs as much to decode as a filmed video. Both players are
/// paused. A seek is measured from the call until the new frame is available: for libmpv, which
/// displays it nowhere (`vo=null`), until it sends `PLAYBACK_RESTART`; for ours until the
/// completion, when the output has the frame. Both seek to every target alternately while the other
/// is idle, since the machine may be busy: only the ratios within a round are meaningful.
struct SeekProof: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "seek",
        abstract: "Exact seeks compared with libmpv, and scrubbing, with few keyframes.")

    @Flag(help: "Runs three rounds of 8 seeks.")
    var short = false

    @Option(help: "The number of rounds.")
    var rounds = 3

    @Option(help: "The number of seeks in a round.")
    var seeks: Int?

    @Flag(help: "Measures our times only, without libmpv.")
    var alone = false

    func run() throws {
        let film = try SeekFilm.path()
        var report = Report("seek")
        let start = Machine.usage
        try compare(film, &report)
        try scrub(film, &report)
        report.add(
            "machine", "others used \(Machine.others(since: start))")
        try report.finish()
    }

    private func compare(_ film: String, _ report: inout Report) throws {
        let count = seeks ?? (short ? 8 : 30)
        var random = SplitMix64(seed: 7)
        var medians: [Double] = []
        var tails: [Double] = []
        for round in 0..<rounds {
            let targets = (0..<count).map { _ in
                Double(random.next() % UInt64(SeekFilm.frameCount)) / SeekFilm.framesPerSecond
            }
            Progress.show("round \(round + 1) of \(rounds)")
            let (our, their) = try Self.race(film, targets, round: round, alone: alone)
            var line = Self.describe("ours", our.sample)
            if !alone {
                medians.append(
                    our.sample.magnitude(ofShare: 0.5) / their.sample.magnitude(ofShare: 0.5))
                tails.append(
                    our.sample.magnitude(ofShare: 0.95) / their.sample.magnitude(ofShare: 0.95))
                line += Self.describe(", libmpv", their.sample)
                line += String(
                    format: ", ratios %.2f and %.2f, of processor time %.2f", medians[round],
                    tails[round], our.processorSeconds / their.processorSeconds)
            }
            report.add("round \(round + 1), \(count) exact seeks", line)
        }
        guard !alone else { return }
        let (median, tail) = (Self.median(medians), Self.median(tails))
        report.add(
            "ours to libmpv's, of \(rounds) rounds",
            String(format: "median %.2f, p95 %.2f", median, tail))
        report.require(median <= 0.5, "the median is more than half of libmpv's")
        report.require(tail <= 0.95, "the 95th percentile is more than 0.95 of libmpv's")
    }

    /// Both players seek to every target; the order alternates.
    private static func race(
        _ film: String, _ targets: [Double], round: Int, alone: Bool
    ) throws -> (ours: SeekTimes, theirs: SeekTimes) {
        let player = try SeekRun(film: film)
        let library = alone ? nil : try MPVLibrary(film: film)
        var (ours, theirs) = (SeekTimes(), SeekTimes())
        for (number, target) in targets.enumerated() {
            let isFirst = (number + round).isMultiple(of: 2)
            if isFirst { try ours.measure(target, player.seek) }
            // The target lies a little inside the frame, so that rounding does not select the one
            // before.
            if let library { try theirs.measure(target) { try library.seek(to: $0 + 0.001) } }
            if !isFirst { try ours.measure(target, player.seek) }
        }
        return (ours, theirs)
    }

    private static func describe(_ name: String, _ sample: Sample) -> String {
        String(
            format: "\(name) p50 %.0f, p95 %.0f ms", sample.magnitude(ofShare: 0.5),
            sample.magnitude(ofShare: 0.95))
    }

    private static func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        guard !sorted.isEmpty else { return .nan }
        let middle = sorted.count / 2
        return sorted.count.isMultiple(of: 2)
            ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    }

    private func scrub(_ film: String, _ report: inout Report) throws {
        for gesture in ScrubGesture.all {
            Progress.show("scrubbing \(gesture.name)")
            let result = try ScrubRun.run(film, gesture)
            report.add(
                "60 targets a second for 5 s, \(gesture.name)",
                String(
                    format: "%.0f new frames a second, at most %.0f ms apart; the exact one"
                        + " %.0f ms after the last target", result.picturesPerSecond,
                    result.longestGap * 1000, result.settling * 1000))
            report.require(
                result.picturesPerSecond >= gesture.leastPictures,
                "scrubbing \(gesture.name): fewer than \(gesture.leastPictures) new frames a second"
            )
            report.require(
                result.longestGap <= gesture.longestGap,
                "scrubbing \(gesture.name): no new frame for more than \(gesture.longestGap) s")
            report.require(
                result.isExact, "scrubbing \(gesture.name): another frame than the last target")
            report.require(
                result.completions == result.targets,
                "scrubbing \(gesture.name): \(result.completions) completions of \(result.targets)")
        }
    }
}

/// The video on which seeks are measured.
enum SeekFilm {
    static let framesPerSecond = 30.0
    static let frameCount = 600

    /// Returns the path of the video. It is made once and kept in the build folder, because making
    /// it takes longer than measuring.
    static func path() throws -> String {
        guard ProcessRunner.has("ffmpeg") else {
            throw CannotProve("seek: ffmpeg is missing; apt-get install ffmpeg")
        }
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let file = URL(filePath: own).deletingLastPathComponent().appending(
            path: "seek-film-600.mp4")
        if FileManager.default.fileExists(atPath: file.path) { return file.path }
        Progress.show("making a video of \(frameCount) frames")
        let part = file.deletingPathExtension().appendingPathExtension("part.mp4")
        _ = try ProcessRunner.check(
            [
                "ffmpeg", "-v", "error", "-nostdin", "-y", "-f", "lavfi", "-i",
                "testsrc2=size=1920x1080:rate=30:duration=\(frameCount / 30),noise=alls=8:allf=t",
                "-c:v", "libx264", "-preset", "veryfast", "-pix_fmt", "yuv420p", "-g", "250",
                "-keyint_min", "250", "-sc_threshold", "0", part.path,
            ], deadline: .seconds(600))
        try FileManager.default.moveItem(at: part, to: file)
        return file.path
    }
}
