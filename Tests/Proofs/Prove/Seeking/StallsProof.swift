// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import MediaTestSupport
import PlayheadThreads
import PlayheadUI

/// `prove stalls`: a video that arrives too slowly stalls and resumes, and no part of it is lost.
///
/// A web server on this machine sends a video of 1920 x 1080 at half of its rate, with an outage of
/// 3 s: once to a player that waits until enough is loaded, and once to one that does not. Then it
/// sends it at 1.2 times its rate, with the outage: playback must stall once. Then it sends it
/// without a limit, and the file plays locally while every processor is busy: playback must not
/// stall. The samples of the video are their own numbers, and its frames carry theirs. Every sample
/// must be played once and in order, except for those in the delay with which a real clock stops.
/// After every stall, samples must be within 3 ms of the timeline. Every look must find the
/// expected frame.
struct StallsProof: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stalls", abstract: "Videos that arrive too slowly stall and resume.")

    @Flag(help: "Plays a video of 8 s instead of 40.")
    var short = false

    /// The maximum offset of audio from the timeline, in milliseconds.
    private static let offsetLimit = 3.0
    /// The share of frames that a look every few milliseconds may miss.
    private static let unseenLimit = 0.02

    func run() throws {
        guard SyntheticClip.isAvailable else {
            throw CannotProve("stalls: ffmpeg is missing; apt-get install ffmpeg")
        }
        var report = Report("stalls")
        Progress.show("making the video")
        let film = try Film(seconds: short ? 8 : 40)
        report.add(
            "film",
            String(
                format: "%d s of 1920 x 1080, %.1f Mbit/s", film.seconds,
                film.bytesPerSecond * 8 / 1e6))
        report.add("machine before", Machine.waitUntilQuiet(seconds: short ? 5 : 60))
        try report.measure(attempts: short ? 1 : 3) { report in
            let before = Machine.usage
            let slow = try stream(film, "half the rate, waiting", speed: 0.5)
            check(slow, stalls: 0...2, of: film, in: &report)
            let choppy = try stream(film, "half the rate, not waiting", speed: 0.5, waits: false)
            check(choppy, stalls: 1...1000, of: film, in: &report)
            let interrupted = try stream(film, "1.2 of the rate, an outage", speed: 1.2)
            check(interrupted, stalls: 1...1, of: film, in: &report)
            let others = Machine.others(since: before)
            let fast = try stream(film, "without limit", speed: .infinity, outage: 0)
            check(fast, stalls: 0...0, of: film, in: &report)
            addBusy(film, to: &report)
            report.add("machine during", "others used \(others)")
            return others
        }
        try report.finish()
    }

    private struct Film {
        let clip: SyntheticClip
        let url: URL
        let bytes: [UInt8]
        let seconds: Int
        var media: SyntheticMedia { clip.media }
        var bytesPerSecond: Double { Double(bytes.count) / Double(seconds) }

        init(seconds: Int) throws {
            let duration = MediaTime(value: Int64(seconds), timescale: 1)
            var media = SyntheticMedia(
                frameTimes: SyntheticFrameTimes(framesPerSecond: 30, duration: duration),
                sounds: [SyntheticSound(.sampleNumbers, duration: duration)])
            (media.width, media.height) = (1920, 1080)
            media.keyframeInterval = 60
            media.bidirectionalFrames = 2
            // PCM audio, and an index at the start of the file.
            clip = SyntheticClip(
                media, audioCodec: "pcm_f32le", container: "mov",
                options: ["-movflags", "+faststart"])
            url = try clip.url()
            bytes = [UInt8](try Data(contentsOf: url))
            self.seconds = seconds
        }
    }

    /// Plays the video from a server at a multiple of its rate, with an outage in the middle.
    private func stream(
        _ film: Film, _ name: String, speed: Double, waits: Bool = true,
        outage: Double = 3
    ) throws -> StallRun {
        Progress.show(name)
        let pace = Pace(bytesPerSecond: film.bytesPerSecond * speed)
        let bytes = film.bytes
        let server = try LoopbackServer { _ in .paced(bytes, pace) }
        defer { server.stop() }
        guard let url = URL(string: server.url("/film.mov")) else {
            throw CannotProve("stalls: no address")
        }
        let middle = MediaTime(value: Int64(film.seconds), timescale: 2)
        var outageEnd: Int64?
        return StallRun(
            name, URLAsset(url: url), of: film.media, deadline: Double(film.seconds) * 4 + 20,
            waits: waits
        ) { time in
            guard outage > 0 else { return }
            if let end = outageEnd {
                if HostClock.nanoseconds >= end { pace.release() }
            } else if time >= middle {
                pace.hold()
                outageEnd = HostClock.nanoseconds + Int64(outage * 1e9)
            }
        }
    }

    /// Plays the file while every processor is busy, which must not cause a stall.
    private func addBusy(_ film: Film, to report: inout Report) {
        Progress.show("from its file, on a busy machine")
        let load = Load(threads: Machine.processorCount)
        let run = StallRun(
            "its file, every processor busy", URLAsset(url: film.url), of: film.media,
            deadline: Double(film.seconds) * 2 + 20)
        load.stop()
        report.add(run.name, "\(run.stalls) stalls")
        report.require(run.stalls == 0, "\(run.name): \(run.stalls) stalls")
        report.require(run.hasEnded, "\(run.name): it did not play to its end")
    }

    private func check(
        _ run: StallRun, stalls: ClosedRange<Int>, of film: Film, in report: inout Report
    ) {
        let sound = run.sound
        let frames = run.frames(
            tolerance: MediaTime(nanoseconds: Int64(Self.offsetLimit * 1e6)))
        // A stop of a real clock is slightly late: that much of the audio is dropped or repeated.
        let longest = Double(sound.breaks.map(abs).max() ?? 0) / 48
        let offsets = Sample(sound.offsets)
        report.add(
            run.name,
            String(
                format: "%d stalls, %.1f s in all, %.1f s of them stopped; ", run.stalls,
                run.seconds, run.standingSeconds)
                + String(
                    format: "%d samples, %d breaks of up to %.2f ms; ", sound.samples,
                    sound.breaks.count, longest)
                + "audio from the timeline \(offsets); "
                + "\(frames.wrong.count) of \(frames.looks) looks with another frame, "
                + "\(run.framesSeen) frames seen")
        func require(_ holds: Bool, _ what: String) {
            report.require(holds, "\(run.name): \(what)")
        }
        require(run.hasEnded, "it did not play to its end")
        require(stalls.contains(run.stalls), "\(run.stalls) stalls, not \(stalls)")
        require(run.events == run.stalls, "\(run.events) events of \(run.stalls) stalls")
        require(longest <= Self.offsetLimit, "\(longest) ms of audio were dropped or repeated")
        require(
            sound.samples >= film.seconds * 48_000 - 9_600, "only \(sound.samples) samples played")
        require(sound.offsets.count > run.stalls, "not every start was timed")
        require(
            offsets.magnitude(ofShare: 1) <= Self.offsetLimit,
            "audio was \(offsets.magnitude(ofShare: 1)) ms off")
        require(frames.wrong.isEmpty, "other frames: \(frames.wrong.prefix(3))")
        let count = film.media.frameTimes?.count ?? 0
        require(
            Double(count - run.framesSeen) <= Double(count) * Self.unseenLimit,
            "only \(run.framesSeen) frames were seen")
    }
}

/// Threads that keep processors busy.
private final class Load {
    private let isOver = Monitor(false)
    private var threads: [WorkerThread] = []

    init(threads count: Int) {
        threads = (0..<count).map { _ in
            WorkerThread(name: "load") { [isOver] in
                var value = 1.0
                while !isOver.withLock({ $0 }) {
                    for _ in 0..<100_000 { value = (value * 1.000_001).squareRoot() + 1 }
                }
                withExtendedLifetime(value) {}
            }
        }
    }

    func stop() {
        isOver.change { $0 = true }
        for thread in threads { thread.join() }
    }
}
