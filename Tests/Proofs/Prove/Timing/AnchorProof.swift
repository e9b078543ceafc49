// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import MediaTestSupport
import PlayheadUI
import PulseTestSupport

/// `prove anchor`: `setRate(_:time:atHostTime:)` starts playback at the exact time.
///
/// A video of 1080p30, H.264 with a keyframe every 250 frames, with audio into a private PulseAudio
/// server, is started repeatedly:
///
/// - at a whole second of the video and a host time 200 ms ahead, after a preroll. The audio ticks
///   there: a recorder must receive the tick at the host time, within 5 ms. The frame must be there
///   at the first vsync from the host time on, the second frame one frame later, and none earlier,
///   within one vsync of 60 Hz.
/// - at zero and a host time 2 s in the past, without a preroll: from 300 ms after the call on,
///   each vsync must have the expected frame.
struct AnchorProof: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "anchor", abstract: "Playback starts at the given host time.")

    @Flag(help: "Runs 3 starts of each kind instead of 20.")
    var short = false

    private static let lead = MediaTime(value: 200, timescale: 1000)
    private static let past = MediaTime(value: 2, timescale: 1)
    private static let soundLimit = 5.0
    private static let catchUpLimit = 300.0
    private static let framesPerSecond: Int64 = 30

    func run() async throws {
        guard SyntheticClip.isAvailable else {
            throw CannotProve("anchor: ffmpeg is missing; apt-get install ffmpeg")
        }
        guard PulseServer.isInstalled else { throw CannotProve("anchor: \(PulseServer.absence)") }
        Progress.show("making the video")
        // PCM samples: a codec would smear the first sample of the tick.
        let file = try SyntheticClip(Self.film, audioCodec: "pcm_s16le", container: "mov").url()
        var report = Report("anchor")
        let starts = short ? 3 : 20
        var (frames, second, sounds, catchUps) = ([Double](), [Double](), [Double](), [Double]())
        report.add("machine before", Machine.waitUntilQuiet(seconds: short ? 10 : 60))
        let before = Machine.usage
        for start in 0..<starts {
            Progress.show("start \(start + 1) of \(starts), ahead")
            let ahead = try await startAhead(file.path, at: Int64(1 + start % 7))
            frames.append(ahead.first)
            second.append(ahead.second)
            sounds.append(ahead.sound)
            Progress.show("start \(start + 1) of \(starts), past")
            catchUps.append(try await startInPast(file.path))
        }
        let others = Machine.others(since: before)
        report.add("machine during", "others used \(others)")
        let vsync = 1000.0 / 60
        report.add("200 ms ahead: first frame", Sample(frames))
        report.add("  second frame, after its time", Sample(second).range)
        report.add("  tick played", Sample(sounds))
        report.add("2 s past: caught up after", Sample(catchUps).range)
        report.require(
            Sample(frames).magnitude(ofShare: 1) <= vsync, "a first frame was over a vsync off")
        report.require(
            Sample(second).smallest >= -0.05 && Sample(second).largest <= vsync + 0.05,
            "a second frame was over a vsync off")
        report.require(
            Sample(sounds).magnitude(ofShare: 1) <= Self.soundLimit, "a tick was over 5 ms off")
        report.require(
            Sample(catchUps).largest <= Self.catchUpLimit, "catching up took over 300 ms")
        try report.finish()
    }

    private static let film: SyntheticMedia = {
        var film = SyntheticMedia(
            frameTimes: SyntheticFrameTimes(
                framesPerSecond: 30, duration: MediaTime(value: 12, timescale: 1)))
        (film.width, film.height) = (1920, 1080)
        // No keyframe lies between zero and the frame to catch up with.
        film.keyframeInterval = 250
        film.bidirectionalFrames = 2
        return film
    }()

    /// Returns the offsets, in milliseconds, of the first frame, the second frame and the tick.
    private func startAhead(
        _ file: String, at second: Int64
    ) async throws -> (first: Double, second: Double, sound: Double) {
        let stage = try await Stage(file)
        defer { stage.end() }
        let time = MediaTime(value: second, timescale: 1)
        guard await stage.item.seek(to: time, toleranceBefore: .zero, toleranceAfter: .zero),
            await stage.player.preroll(atRate: 1)
        else {
            throw CannotProve("the video is not ready to start")
        }
        let watch = VsyncWatch([stage.output], hertz: 60)
        let instant = HostClock.shared.time + Self.lead
        stage.player.setRate(1, time: time, atHostTime: instant)
        let recording = stage.recorder.wait(
            untilHostTime: (instant.nanoseconds ?? 0) + 700_000_000)
        let sightings = watch.end()[0]
        let first = Int(second * Self.framesPerSecond)
        // The frame was there before, after the seek; it must still be there at the instant.
        guard let there = sightings.first(where: { $0.target >= instant && $0.frame == first }),
            let next = sightings.first(where: { $0.frame == first + 1 })
        else {
            throw CannotProve(
                "the frames of the start were not seen: \(Self.words(sightings, instant))")
        }
        if (there.target - instant).seconds > 1.0 / 60 {
            print("  late:", Self.words(sightings, instant))
        }
        let interval = MediaTime(value: 1, timescale: Int32(Self.framesPerSecond))
        let onset = recording.onsets().compactMap { recording.hostTime(ofFrame: Double($0)) }
            .map { MediaTime(nanoseconds: $0) - instant }
            .first { $0.seconds > -0.15 }
        guard let onset else { throw CannotProve("no tick was recorded") }
        return (
            (there.target - instant).seconds * 1000,
            (next.target - instant - interval).seconds * 1000, onset.seconds * 1000
        )
    }

    /// Describes the sightings around an instant: the vsync, its offset in milliseconds, and the
    /// frame.
    private static func words(
        _ sightings: [VsyncWatch.Sighting], _ instant: MediaTime
    ) -> String {
        sightings.filter { abs(($0.target - instant).seconds) < 0.1 }.map {
            let milliseconds = ($0.target - instant).seconds * 1000
            return String(format: "%d %+.1f ", $0.sequence, milliseconds)
                + ($0.frame.map { "\($0)" } ?? "-")
        }.joined(separator: ", ")
    }

    /// Returns the time after the call, in milliseconds, from which on every vsync had the expected
    /// frame.
    private func startInPast(_ file: String) async throws -> Double {
        let stage = try await Stage(file)
        defer { stage.end() }
        try await stage.item.waitUntilReady()
        let watch = VsyncWatch([stage.output], hertz: 60)
        let call = HostClock.shared.time
        stage.player.setRate(1, time: .zero, atHostTime: call - Self.past)
        while stage.item.currentTime < Self.past + Self.past, stage.item.error == nil {
            try await Task.sleep(for: .milliseconds(20))
        }
        let sightings = watch.end()[0].filter { $0.target > call }
        let wrong = sightings.last { sighting in
            // The timeline follows a clock of nanoseconds: a microsecond before a frame counts as
            // within it.
            let time = sighting.itemTime + MediaTime(value: 1, timescale: 1_000_000)
            return sighting.frame != Self.film.frameTimes?.index(at: time)
        }
        guard let wrong else { return 0 }
        return (wrong.target - call).seconds * 1000 + 1000.0 / 60
    }

    /// A player with the video, and an audio server and a recorder of its own.
    private struct Stage {
        let server: PulseServer
        let recorder: PulseRecorder
        let player: Player
        let item: PlayerItem
        let output = PlayerItemVideoOutput()

        init(_ file: String) async throws {
            server = try PulseServer()
            var options = PulseAudioOptions()
            options.server = server.address
            let sink = try PulseAudioSink(options: options)
            recorder = try PulseRecorder(server: server.address)
            item = PlayerItem(asset: URLAsset(file))
            item.add(output)
            player = Player(playerItem: item, audioSink: sink)
            try await item.waitUntilReady()
            // Audio before the recorder's first sample is not recorded.
            _ = recorder.wait(seconds: 10) { $0.frameCount > $0.sampleRate / 2 }
        }

        func end() {
            player.replaceCurrentItem(with: nil)
        }
    }
}
