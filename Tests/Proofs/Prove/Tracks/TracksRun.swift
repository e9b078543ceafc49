// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadUI

/// One playback of all tracks on a manual clock, with the differences from the expected frames and
/// samples.
struct TracksRun {
    private static let step = MediaTime(value: 1, timescale: 100)
    /// The error of a sum whose terms are added in another order.
    private static let rounding: Float = 1e-6
    /// The number of the video track, and of the audio track, that is switched.
    private static let switched = 3

    private var looks = 0
    private var wrongLooks: [String] = []
    private var sampleCount = 0
    private var wrongSamples: [String] = []
    private var wrongCount = (frames: 0, samples: 0)
    /// The samples without the switched track, and with all of it.
    private var silentCount = 0
    private var wholeCount = 0
    private var switches = 0

    /// Plays the video from its start to its end.
    ///
    /// - Parameter switchCount: The number of times that a video track and an audio track are
    ///   switched off or on.
    init(_ film: TracksFilm, switchCount: Int, name: String) throws {
        let clock = ManualClock(time: MediaTime(value: 10, timescale: 1))
        let sink = CaptureAudioSink(format: .mono(sampleRate: TracksFilm.rate), clock: clock)
        let tracks = try TracksPlayer(film, sink: sink, clock: clock)
        let (item, player) = (tracks.item, tracks.player)
        defer { player.replaceCurrentItem(with: nil) }
        let video = item.tracks.filter { $0.assetTrack.mediaType == .video }[Self.switched]
        let audio = item.tracks.filter { $0.assetTrack.mediaType == .audio }[Self.switched]
        player.play()
        try TracksPlayer.wait("the start") { player.timeControlStatus == .playing }
        guard let start = item.timebase.hostTime(at: .zero) else {
            throw CannotProve("tracks: it does not play")
        }
        let isSwitching = switchCount > 0
        while clock.time < start + film.duration {
            try TracksPlayer.wait("a frame") { player.isAhead }
            let time = clock.time - start
            if time >= .zero {
                for (track, output) in tracks.outputs.enumerated() {
                    let isOn = track != Self.switched || video.isEnabled
                    look(at: output, of: film, track: track, at: time, isOn: isOn)
                }
                let share = time.seconds / film.duration.seconds
                if switches < Int(share * Double(switchCount + 1)) {
                    switches += 1
                    video.isEnabled.toggle()
                    audio.isEnabled.toggle()
                }
                Progress.show("\(name): \(Int(share * 100)) %")
            }
            sink.advance(to: clock.time + Self.step)
            for run in sink.takeRuns() {
                let place = (MediaTime(nanoseconds: run.clockTime) - start).converted(
                    toTimescale: Int32(TracksFilm.rate))
                compare(run.samples, at: Int(place.value), film, isSwitching: isSwitching)
            }
        }
    }

    private mutating func look(
        at output: PlayerItemVideoOutput, of film: TracksFilm, track: Int, at time: MediaTime,
        isOn: Bool
    ) {
        looks += 1
        let seen = output.copyPixelBuffer(forItemTime: time).flatMap {
            FrameNumberStrip.read(from: $0.0)
        }
        let due = isOn ? film.number(at: time, track: track) : nil
        guard seen != due else { return }
        wrongCount.frames += 1
        let (found, expected) = (seen.map(String.init), due.map(String.init))
        wrongLooks.append(
            "track \(track) at \(time.seconds) s: \(found ?? "nothing"), not "
                + "\(expected ?? "nothing")")
    }

    private mutating func compare(
        _ heard: [Float], at start: Int, _ film: TracksFilm, isSwitching: Bool
    ) {
        for (offset, sample) in heard.enumerated() {
            let place = start + offset
            guard place >= 0, place < film.samples[0].count else { continue }
            sampleCount += 1
            let isRight: Bool
            if isSwitching {
                // What is left of the switched track, which fades at each switch.
                let rest = sample - film.sum(at: place, without: Self.switched)
                let own = film.samples[Self.switched][place]
                if abs(rest) <= Self.rounding { silentCount += 1 }
                if abs(rest - own) <= Self.rounding { wholeCount += 1 }
                isRight =
                    rest >= min(own, 0) - Self.rounding && rest <= max(own, 0) + Self.rounding
            } else {
                isRight = sample == film.sum(at: place)
            }
            if isRight { continue }
            wrongCount.samples += 1
            if wrongSamples.count < 3 {
                wrongSamples.append("sample \(place) is \(sample), not \(film.sum(at: place))")
            }
        }
    }

    /// Adds the figures and their requirements.
    func add(to report: inout Report, name: String, _ film: TracksFilm, switchCount: Int) {
        report.add(
            name,
            "\(looks) looks, \(wrongCount.frames) at a wrong frame; \(sampleCount) samples, "
                + "\(wrongCount.samples) different")
        if switchCount > 0 {
            report.add(
                "  switched",
                "\(switches) times; \(wholeCount) samples with the track, "
                    + "\(silentCount) without")
            report.require(switches == switchCount, "\(name): \(switches) switches")
            let least = sampleCount / 4
            report.require(
                wholeCount >= least && silentCount >= least,
                "\(name): the audio track was not switched")
        }
        for line in wrongLooks.prefix(3) + wrongSamples { report.add("", line) }
        report.require(wrongCount.frames == 0, "\(name): \(wrongCount.frames) wrong frames")
        report.require(wrongCount.samples == 0, "\(name): \(wrongCount.samples) wrong samples")
        report.require(
            sampleCount >= film.samples[0].count - TracksFilm.rate / 5,
            "\(name): only \(sampleCount) samples were heard")
    }
}
