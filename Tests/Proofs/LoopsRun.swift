// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import Playhead

/// One playing of parts one after another, with what differed from what was due.
final class LoopsRun {
    /// A film that is played, and what it is to look and sound like.
    struct Part {
        let asset: Asset
        let times: SyntheticFrameTimes
        /// As decoding the film by itself gives it, up to where the film ends.
        let samples: [Float]

        /// Decodes the film's sound, which ends the film where it is longer than the pictures.
        init(_ asset: Asset, _ film: SyntheticMedia) throws {
            guard let times = film.frameTimes else { throw CannotProve("a film has pictures") }
            self.asset = asset
            self.times = times
            var samples: [Float] = []
            let sound = try AssetReader(asset: asset)
                .addAudioOutput(format: .mono(sampleRate: 48_000))
            while let buffer = try sound.copyNextSampleBuffer() {
                let start = buffer.presentationTime.converted(toTimescale: 48_000)
                let place = start.isNumeric ? Int(start.value) : samples.count
                buffer.withSamples { new in
                    if place > samples.count {
                        samples += Array(repeating: 0, count: place - samples.count)
                    }
                    samples += new.dropFirst(max(0, samples.count - place))
                }
            }
            let pictures = Int(times.end.converted(toTimescale: 48_000).value)
            samples += Array(repeating: 0, count: max(0, pictures - samples.count))
            self.samples = samples
        }

        var duration: MediaTime { MediaTime(value: Int64(samples.count), timescale: 48_000) }
    }

    let player: QueuePlayer
    private let clock = ManualClock(time: MediaTime(value: 10, timescale: 1))
    private let sink: CaptureAudioSink
    private let output: PlayerVideoOutput

    private var looks = 0
    private var frames = 0
    private var wrongFrames = 0
    private var lastFrame = (part: -1, frame: -1)
    private var samples = 0
    private var wrongSamples = 0
    private var residue: Float = 0
    private var seconds = 0.0

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
        var sound = ExpectedSound(parts)
        let step = MediaTime(value: 1, timescale: 100)
        while part < parts.count {
            try wait { self.player.isAhead }
            if clock.time >= start {
                while part < parts.count, clock.time >= partStart + parts[part].duration {
                    partStart += parts[part].duration
                    part += 1
                    Progress.show("\(name): \(part) of \(parts.count)")
                }
                if part < parts.count { look(at: parts[part], part, clock.time - partStart) }
            }
            sink.advance(to: clock.time + step)
            for run in sink.takeRuns() { compare(run, start: start, &sound) }
        }
        seconds = Double(HostClock.nanoseconds - began) / 1e9
        samples = sound.place
    }

    /// Compares the picture with the one that is due.
    private func look(at part: Part, _ number: Int, _ time: MediaTime) {
        looks += 1
        let due = part.times.index(at: time + MediaTime(value: 1, timescale: 1_000_000))
        let itemTime = output.itemTime(forHostTime: clock.time)
        let seen = output.copyPixelBuffer(forItemTime: itemTime).flatMap {
            FrameNumberStrip.read(from: $0.0)
        }
        if seen == nil || seen != due { wrongFrames += 1 }
        guard let seen, lastFrame != (number, seen) else { return }
        frames += 1
        lastFrame = (number, seen)
    }

    private func compare(
        _ run: CaptureAudioSink.Run, start: MediaTime, _ sound: inout ExpectedSound
    ) {
        let offset = MediaTime(nanoseconds: run.clockTime) - start
        var place = Int(offset.converted(toTimescale: 48_000).value)
        for sample in run.samples {
            defer { place += 1 }
            guard place >= 0 else { continue }
            while sound.place < place { miss(sound.next() ?? 0, 0) }
            guard let expected = sound.next() else { return }
            miss(expected, sample)
        }
    }

    private func miss(_ expected: Float, _ sample: Float) {
        if sample != expected { wrongSamples += 1 }
        residue = max(residue, abs(sample - expected))
    }

    private func wait(_ condition: () -> Bool) throws {
        let deadline = HostClock.nanoseconds + 60_000_000_000
        while !condition() {
            guard HostClock.nanoseconds < deadline else { throw CannotProve("it hangs") }
            usleep(200)
        }
    }

    /// The parts' samples, one after another.
    private struct ExpectedSound {
        let parts: [Part]
        var place = 0
        private var part = 0
        private var index = 0

        init(_ parts: [Part]) { self.parts = parts }

        mutating func next() -> Float? {
            while part < parts.count, index == parts[part].samples.count {
                part += 1
                index = 0
            }
            guard part < parts.count else { return nil }
            defer {
                index += 1
                place += 1
            }
            return parts[part].samples[index]
        }
    }

    /// Adds the figures, and what they have to be.
    func add(to report: inout Report, name: String, parts: Int, rounds: Int?, _ limit: Double) {
        let decibels = residue == 0 ? -Double.infinity : 20 * log10(Double(residue))
        report.add(
            name,
            "\(parts) \(rounds == nil ? "films" : "rounds"), \(frames) frames at \(looks) looks, "
                + "\(wrongFrames) wrong; \(samples) samples, \(wrongSamples) different, "
                + String(format: "difference %.0f dB; %.1f s", decibels, seconds))
        report.require(wrongFrames == 0, "\(name): \(wrongFrames) wrong frames")
        report.require(
            decibels <= limit, String(format: "%@: %.1f dB, not %.0f", name, decibels, limit))
        if let rounds {
            report.require(rounds == parts, "\(name): \(rounds) rounds, not \(parts)")
        }
    }
}
