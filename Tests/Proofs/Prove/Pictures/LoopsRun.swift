// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadUI

/// One playback of several parts in a row, with the differences from the expected result.
final class LoopsRun {
    let player: QueuePlayer
    private let clock = ManualClock(time: MediaTime(value: 10, timescale: 1))
    private let sink: CaptureAudioSink
    private let output: PlayerVideoOutput

    private var looks = 0
    private var frames = 0
    private var wrongFrames = 0
    /// Descriptions of the first few wrong frames.
    private var wrongLooks: [String] = []
    private static let shownLimit = 5
    private var lastFrame = (part: -1, frame: -1)
    /// The number of times that the next part was ready shortly before it was due.
    private var readyCount = 0
    private var sound = ExpectedSound([])
    private var seconds = 0.0
    /// The resources after a tenth of the parts, and before the last one; see `moments`.
    private var resources: [Resources] = []

    init() {
        sink = CaptureAudioSink(format: .mono(sampleRate: 48_000), clock: clock)
        player = QueuePlayer(audioSink: sink, masterClock: clock)
        output = PlayerVideoOutput(player: player)
    }

    /// Plays the parts from the first to the end of the last.
    func play(_ parts: [Part], name: String) throws {
        let began = HostClock.nanoseconds
        player.play()
        try wait { self.player.timeControlStatus == .playing }
        guard let start = player.currentItem?.timebase.hostTime(at: .zero) else {
            throw CannotProve("it does not play")
        }
        var part = 0
        var partStart = start
        sound = ExpectedSound(parts)
        let step = MediaTime(value: 1, timescale: 100)
        var moments = Self.moments(in: parts)
        while part < parts.count {
            try wait { self.player.isAhead }
            if clock.time >= start {
                while part < parts.count, clock.time >= partStart + parts[part].duration {
                    partStart += parts[part].duration
                    part += 1
                    Progress.show("\(name): \(part) of \(parts.count)")
                }
                if part < parts.count {
                    let time = clock.time - partStart
                    // Resources are measured in the middle of a part, and not at a seam, where one
                    // item is closed and another is opened.
                    if let next = moments.first, part == next, time >= parts[part].duration * 0.5 {
                        moments.removeFirst()
                        resources.append(.settled())
                    }
                    look(at: parts[part], part, time)
                    noteReadiness(before: partStart + parts[part].duration, step)
                }
            }
            sink.advance(to: clock.time + step)
            for run in sink.takeRuns() { compare(run, start: start, &sound) }
        }
        seconds = Double(HostClock.nanoseconds - began) / 1e9
    }

    /// Returns the parts in which resources are measured. The first is after a tenth of the parts.
    /// The second has the same video, and is the last one that is followed by as many parts as are
    /// opened ahead.
    private static func moments(in parts: [Part]) -> [Int] {
        let early = max(parts.count / 10, min(10, parts.count / 2))
        let late = parts.indices.dropLast(3).last { parts[$0].asset === parts[early].asset }
        return [early] + [late].compactMap { $0 }
    }

    /// Counts, once for each part, the cases in which the next one could begin.
    private func noteReadiness(before end: MediaTime, _ step: MediaTime) {
        guard clock.time < end, clock.time + step >= end else { return }
        if player.items.dropFirst().first?.status == .readyToPlay { readyCount += 1 }
    }

    /// Compares the frame with the expected one.
    private func look(at part: Part, _ number: Int, _ time: MediaTime) {
        looks += 1
        // If the audio is longer than the video, the last frame stays visible.
        let due = part.frame(at: time)
        let itemTime = output.itemTime(forHostTime: clock.time)
        let seen = output.copyPixelBuffer(forItemTime: itemTime).flatMap {
            FrameNumberStrip.read(from: $0.0)
        }
        if seen == nil || seen != due {
            wrongFrames += 1
            if wrongLooks.count < Self.shownLimit {
                wrongLooks.append(
                    "part \(number) at \(time.seconds) s: \(seen.map { "\($0)" } ?? "nothing"), "
                        + "not \(due)")
            }
        }
        guard let seen, lastFrame != (number, seen) else { return }
        frames += 1
        lastFrame = (number, seen)
    }

    private func compare(
        _ run: CapturedAudio, start: MediaTime, _ sound: inout ExpectedSound
    ) {
        let offset = MediaTime(nanoseconds: run.clockTime) - start
        let place = offset.converted(toTimescale: 48_000)
        sound.compare(run.samples, from: Int(place.value))
    }

    private func wait(_ condition: () -> Bool) throws {
        let deadline = HostClock.nanoseconds + 60_000_000_000
        while !condition() {
            guard HostClock.nanoseconds < deadline else { throw CannotProve("it hangs") }
            usleep(200)
        }
    }

    /// Adds the figures and their requirements.
    func add(to report: inout Report, name: String, parts: Int, rounds: Int?, _ limit: Double) {
        let decibels =
            sound.residue == 0 ? -Double.infinity : 20 * log10(Double(sound.residue))
        report.add(
            name,
            "\(parts) \(rounds == nil ? "videos" : "rounds"), \(frames) frames at \(looks) looks, "
                + "\(wrongFrames) wrong; \(sound.place) samples, \(sound.differentCount) different, "
                + String(format: "difference %.0f dB; %.1f s", decibels, seconds))
        report.require(wrongFrames == 0, "\(name): \(wrongFrames) wrong frames")
        report.require(
            decibels <= limit, String(format: "%@: %.1f dB, not %.0f", name, decibels, limit))
        if let rounds {
            report.require(rounds == parts, "\(name): \(rounds) rounds, not \(parts)")
        }
        report.add("", "the next one ready before \(readyCount) of \(parts - 1) seams")
        report.require(
            readyCount >= parts - 1, "\(name): \(parts - 1 - readyCount) were not ready in time")
        for line in wrongLooks + sound.differences.prefix(Self.shownLimit) {
            report.add("", line)
        }
        addResources(to: &report, name: name)
    }

    /// The limit for the growth of resident memory in a run, in KiB: an allocator keeps some of the
    /// memory that is freed. A leak of one frame a round exceeds this within a hundred rounds.
    private static let memoryLimit = 8192

    private func addResources(to report: inout Report, name: String) {
        guard let early = resources.first, let late = resources.last else { return }
        report.add("", "after a tenth of it \(early); at its end \(late)")
        report.require(
            late.memory - early.memory <= Self.memoryLimit,
            "\(name): memory has grown by \(late.memory - early.memory) KiB")
        // Thread pools of Swift and libdispatch vary by one thread or so; an item has five.
        report.require(
            late.threads <= early.threads + 2 && late.descriptors <= early.descriptors,
            "\(name): \(late) after \(early)")
    }
}
