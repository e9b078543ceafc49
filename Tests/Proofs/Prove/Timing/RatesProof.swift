// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import MediaTestSupport
import PlayheadThreads
import PlayheadUI

/// `prove rates`: audio keeps its pitch and its time at rates from 0.25 to 4, audio and every frame
/// are played in reverse, and frames keep coming at rate 16.
///
/// **Audio** is rendered on a manual clock. Ticks over a hum must be played when the timeline reads
/// their item time, each of them once. A tone of 440 Hz must keep its frequency.
///
/// **Audio in reverse** is that of files, decoded by FFmpeg, on a manual clock. At −1 it must equal
/// the output of ffmpeg's `areverse`, each sample at its time; ticks must be heard when the timeline
/// reads their item time. At the other rates a tone must keep its frequency.
///
/// **In reverse**, a video of 1920 x 1080 in H.264 with B-frames plays from its end, decoded by
/// FFmpeg. On a manual clock every frame must be the one of its time, at every rate, however long
/// decoding takes. In real time a display of 120 Hz checks whether the current frame is available,
/// which shows up to which rate this machine decodes fast enough.
///
/// **Forward at 16** in real time, the frames that are taken are counted.
struct RatesProof: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rates", abstract: "Pitch and time at other rates, and in reverse.")

    @Flag(help: "Runs less of everything.")
    var short = false

    private static let rates = [0.25, 0.5, 0.75, 1, 1.1, 1.25, 1.5, 2, 3, 4]
    private static let reverseRates = [-0.5, -1, -2, -4]
    /// The limit of an unnoticeable deviation, in milliseconds of item time.
    private static let tickLimit = 3.0
    /// The maximum deviation of the frequency, in per cent: a sixth of a semitone.
    private static let pitchLimit = 1.0

    func run() throws {
        guard SyntheticClip.isAvailable else {
            throw CannotProve("rates: ffmpeg is missing; apt-get install ffmpeg")
        }
        var report = Report("rates")
        for rate in Self.rates { addSound(rate: rate, to: &report) }
        addDrift(to: &report)
        try addReversedAudio(to: &report)
        Progress.show("making the video")
        let film = try Self.film(seconds: short ? 6 : 20)
        for rate in Self.reverseRates { try addExact(film, rate: rate, to: &report) }
        report.add("machine before", Machine.waitUntilQuiet(seconds: short ? 5 : 60))
        try report.measure(attempts: short ? 1 : 3) { report in
            let before = Machine.usage
            for rate in Self.reverseRates { try addRealTime(film, rate: rate, to: &report) }
            try addFast(film, to: &report)
            let others = Machine.others(since: before)
            report.add("machine during", "others used \(others)")
            return others
        }
        try report.finish()
    }

    // MARK: Audio

    private func addSound(rate: Double, to report: inout Report) {
        Progress.show("audio at \(rate)")
        let seconds = short ? 10.0 : 60
        let ticks = StretchRun(rate: rate, seconds: seconds) {
            StretchRun.tick($0) + StretchRun.tone(220, 0.1, $0)
        }.tickErrors
        let tone = StretchRun(rate: rate, seconds: min(seconds, 10)) {
            StretchRun.tone(440, 0.5, $0)
        }
        let sample = Sample(ticks.errors)
        let pitch = (tone.frequency / 440 - 1) * 100
        report.add(
            "audio at \(rate)",
            String(
                format: "ticks mean %+.3f, p99 %.3f ms of the item's time (n = %d), pitch %+.3f %%",
                sample.mean, sample.magnitude(ofShare: 0.99), sample.count, pitch))
        report.require(!ticks.errors.isEmpty, "at \(rate) no tick was played")
        report.require(
            ticks.missing == 0 && ticks.extra == 0,
            "at \(rate) \(ticks.missing) ticks were missing, \(ticks.extra) were extra")
        report.require(
            sample.magnitude(ofShare: 1) <= Self.tickLimit,
            "at \(rate) a tick was \(sample.magnitude(ofShare: 1)) ms off")
        report.require(abs(pitch) <= Self.pitchLimit, "at \(rate) the pitch was \(pitch) % off")
    }

    private func addDrift(to report: inout Report) {
        Progress.show("a long run at 1.1")
        let run = StretchRun(rate: 1.1, seconds: short ? 120 : 1200) {
            StretchRun.tick($0) + StretchRun.tone(220, 0.1, $0)
        }
        let errors = run.tickErrors.errors
        let last = Sample(Array(errors.suffix(100)))
        report.add(
            "audio at 1.1, \(short ? 2 : 20) minutes on",
            String(
                format: "the last 100 ticks mean %+.3f, max %.3f ms", last.mean,
                last.magnitude(ofShare: 1)))
        report.require(last.magnitude(ofShare: 1) <= Self.tickLimit, "at 1.1 ticks drifted")
    }

    // MARK: Reverse

    private struct Film {
        let media: SyntheticMedia
        let path: String
        var frameCount: Int { media.frameTimes?.count ?? 0 }
        var end: MediaTime { media.frameTimes?.end ?? .zero }
        /// Returns the frame of an item time; clocks have whole nanoseconds.
        func frame(at time: MediaTime) -> Int? {
            media.frameTimes?.index(at: max(.zero, time + MediaTime(nanoseconds: 1000)))
        }
    }

    private static func film(seconds: Int) throws -> Film {
        var media = SyntheticMedia(
            frameTimes: SyntheticFrameTimes(
                framesPerSecond: 30, duration: MediaTime(value: Int64(seconds), timescale: 1)),
            sounds: [])
        (media.width, media.height) = (1920, 1080)
        // The default of x264, and more than fits into the cache at once.
        media.keyframeInterval = 250
        media.bidirectionalFrames = 2
        // Grain makes decoding as expensive as that of filmed video: flat frames cost little.
        let grain = [
            "-vf",
            "setparams=range=tv:color_primaries=bt709:color_trc=bt709:colorspace=bt709,"
                + "noise=c0s=8:c0f=t",
        ]
        return Film(media: media, path: try SyntheticClip(media, options: grain).url().path)
    }

    /// Returns a player at the end of the video, playing in reverse.
    private func reversed(
        _ film: Film, rate: Double, clock: any MediaClock
    ) throws -> (Player, PlayerItem, PlayerItemVideoOutput) {
        let item = PlayerItem(asset: URLAsset(film.path))
        let output = PlayerItemVideoOutput()
        item.add(output)
        item.seek(
            to: film.end - MediaTime(value: 1, timescale: 60), toleranceBefore: .zero,
            toleranceAfter: .zero)
        let player = Player(playerItem: item, audioSink: nil, masterClock: clock)
        player.rate = rate
        let deadline = HostClock.nanoseconds + 60_000_000_000
        while player.timeControlStatus != .playing {
            if let error = item.error { throw error }
            guard HostClock.nanoseconds < deadline else {
                throw CannotProve("rates: playback backwards does not begin")
            }
            usleep(1000)
        }
        return (player, item, output)
    }

    private func addExact(_ film: Film, rate: Double, to report: inout Report) throws {
        Progress.show("backwards at \(rate), on a manual clock")
        let clock = ManualClock()
        let (player, item, output) = try reversed(film, rate: rate, clock: clock)
        var shown: [Int] = []
        var wrong = 0
        // Two steps a frame.
        let step = MediaTime(value: 1, timescale: 60) * (1 / abs(rate))
        while player.rate != 0, item.currentTime > .zero {
            let time = item.currentTime
            _ = output.waitForPixelBuffer(after: time, seconds: 60)
            if output.hasNewPixelBuffer(forItemTime: time),
                let (picture, _) = output.copyPixelBuffer(forItemTime: time)
            {
                let frame = FrameNumberStrip.read(from: picture)
                if frame != film.frame(at: time) { wrong += 1 }
                if let frame { shown.append(frame) }
            }
            clock.advance(by: step)
        }
        let ideal = film.frameCount
        report.add(
            "backwards at \(rate), manual clock",
            "\(shown.count) frames of \(ideal) shown, \(wrong) wrong")
        report.require(
            wrong == 0 && shown == (ideal - shown.count..<ideal).reversed()
                && shown.count >= ideal - 1,
            "backwards at \(rate) frames were dropped or shown at the wrong time")
        player.replaceCurrentItem(with: nil)
    }

    private func addRealTime(_ film: Film, rate: Double, to report: inout Report) throws {
        Progress.show("backwards at \(rate), in real time")
        let (player, item, output) = try reversed(film, rate: rate, clock: HostClock.shared)
        var looks = 0
        var right = 0
        var shown: Set<Int> = []
        let before = Machine.ownSeconds
        let start = HostClock.nanoseconds
        let length = film.end.seconds / abs(rate)
        let deadline = start + Int64((2 * length + 10) * 1e9)
        var next = start
        // Counts from half a second on, after the frames that were decoded in advance have been
        // shown.
        while player.rate != 0, item.currentTime > .zero {
            let time = item.currentTime
            let picture = output.copyPixelBuffer(forItemTime: time)?.0
            looks += 1
            if let picture, let frame = FrameNumberStrip.read(from: picture),
                frame == film.frame(at: time)
            {
                right += 1
                shown.insert(frame)
            }
            guard HostClock.nanoseconds < deadline else { break }
            next += 8_333_333
            usleep(UInt32(max(0, next - HostClock.nanoseconds) / 1000))
        }
        let seconds = Double(HostClock.nanoseconds - start) / 1e9
        let share = Double(right) / Double(max(1, looks))
        report.add(
            "backwards at \(rate), real time",
            String(
                format: "the current frame in %.1f %% of looks, %d of %d frames shown, "
                    + "%.2f processors busy", share * 100, shown.count, film.frameCount,
                (Machine.ownSeconds - before) / seconds))
        // Faster than the recorded rate, a machine may not decode fast enough.
        let least = rate < -1 ? 0.9 : 0.99
        report.require(
            share >= least,
            String(
                format: "backwards at %g only %.1f %% of looks hit their frame", rate, share * 100))
        // The first look may come after the last frame's time.
        report.require(
            Double(shown.count) >= least * Double(film.frameCount - 2),
            "backwards at \(rate) only \(shown.count) of \(film.frameCount) frames were shown")
        report.require(
            abs(seconds - length) < 0.05 * length + 0.5,
            String(format: "backwards at %g took %.1f s, not %.1f", rate, seconds, length))
        player.replaceCurrentItem(with: nil)
    }

    // MARK: Forward, fast

    private func addFast(_ film: Film, to report: inout Report) throws {
        Progress.show("forward at 16, in real time")
        let item = PlayerItem(asset: URLAsset(film.path))
        let output = PlayerItemVideoOutput()
        item.add(output)
        let player = Player(playerItem: item, audioSink: nil)
        player.rate = 16
        var taken: [(time: MediaTime, lateness: Double)] = []
        let start = HostClock.nanoseconds
        while !item.hasPlayedToEnd, item.error == nil,
            HostClock.nanoseconds < start + 60_000_000_000
        {
            let time = item.currentTime
            if output.hasNewPixelBuffer(forItemTime: time),
                let (_, shown) = output.copyPixelBuffer(forItemTime: time)
            {
                taken.append((shown, (time - shown).seconds))
            }
            usleep(4000)
        }
        let seconds = film.end.seconds / 16
        let rate = Double(taken.count) / seconds
        let worst = taken.map(\.lateness).max() ?? .infinity
        report.add(
            "forward at 16, real time",
            String(
                format: "%.0f frames a second, the latest %.1f s of the item behind", rate, worst)
        )
        report.require(rate >= 4, String(format: "at 16 only %.1f frames a second", rate))
        player.replaceCurrentItem(with: nil)
    }
}
