// SPDX-License-Identifier: Apache-2.0

import Glibc
import PlayheadUI
import Synchronization

/// An audio source that mixes a metronome and a tune, and records the time at which each beat is
/// heard.
///
/// - Concurrency: `render` is called on the audio device's thread. It does not lock or allocate.
final class Band: AudioSource, @unchecked Sendable {
    // Unchecked: only the sink's thread uses `scratch` and `quiet`.

    private let metronome: ToneSource
    private let tune: PCMSource
    private let sampleRate: Int
    private let channelCount: Int
    /// The clock times of beats, in nanoseconds.
    private let onsets = SampleQueue<Int64>(capacity: 64)
    private let scratch: UnsafeMutableBufferPointer<Float>
    /// The number of silent frames that precede the current frame. A long silence separates two
    /// beats.
    private var quiet = 0

    /// Creates the source.
    ///
    /// - Parameter beat: the duration of a beat, in seconds.
    init(format: AudioFormat, beat: Double) {
        metronome = ToneSource(
            frequency: 1600, volume: 0.3, format: format, ticks: (interval: beat, length: 0.012))
        tune = PCMSource(Tune.samples(format: format, beat: beat), format: format, loops: true)
        sampleRate = format.sampleRate
        channelCount = format.channelCount
        scratch = .allocate(capacity: 16_384 * format.channelCount)
        scratch.initialize(repeating: 0)
    }

    deinit { scratch.deallocate() }

    /// Starts playing, so that the first beat is heard when the sink's clock reads the given time.
    func play(at clockTime: MediaTime) {
        metronome.play(at: clockTime)
        tune.play(at: clockTime)
    }

    func stop() {
        metronome.stop()
        tune.stop()
    }

    /// Returns the times on the sink's clock at which beats were heard or will be heard.
    func takeOnsets() -> [MediaTime] {
        var times: [MediaTime] = []
        while let time = onsets.read() { times.append(MediaTime(nanoseconds: time)) }
        return times
    }

    func render(
        into samples: UnsafeMutablePointer<Float>, frameCount: Int, presentationTime: Int64
    ) {
        metronome.render(
            into: samples, frameCount: frameCount, presentationTime: presentationTime)
        for frame in 0..<frameCount {
            if samples[frame * channelCount] == 0 {
                quiet += 1
                continue
            }
            // A beat begins at the first sample after a tenth of a second of silence.
            if quiet > sampleRate / 10 {
                let offset = Int64(frame) * 1_000_000_000 / Int64(sampleRate)
                _ = onsets.write(presentationTime + offset)
            }
            quiet = 0
        }
        guard let added = scratch.baseAddress, frameCount * channelCount <= scratch.count else {
            return
        }
        tune.render(into: added, frameCount: frameCount, presentationTime: presentationTime)
        for index in 0..<(frameCount * channelCount) { samples[index] += added[index] }
    }
}

/// Sixteen beats of music that consist of sine tones.
enum Tune {
    /// The beat, the pitch in semitones above A3, and the length in beats.
    private static let notes: [(beat: Double, pitch: Double, length: Double)] = [
        (0, 3, 1), (1, 7, 1), (2, 10, 1), (3, 12, 1), (4, 15, 1.5), (5.5, 12, 0.5), (6, 10, 2),
        (8, 7, 1), (9, 10, 1), (10, 12, 1), (11, 15, 1), (12, 12, 1.5), (13.5, 10, 0.5),
        (14, 7, 1), (15, 5, 1),
        (0, -9, 4), (4, -12, 4), (8, -5, 4), (12, -7, 4),
    ]
    private static let beats = 16.0

    static func samples(format: AudioFormat, beat: Double) -> [Float] {
        let rate = Double(format.sampleRate)
        let frameCount = Int((beats * beat * rate).rounded())
        var samples = [Float](repeating: 0, count: frameCount * format.channelCount)
        for note in notes {
            let frequency = 220 * pow(2, note.pitch / 12)
            let first = Int(note.beat * beat * rate)
            let length = min(Int(note.length * beat * rate), frameCount - first)
            for frame in 0..<length {
                let time = Double(frame) / rate
                // A struck tone that decays. Its end is faded out.
                let end = min(1, Double(length - frame) / (0.02 * rate))
                let loudness = 0.11 * min(1, time / 0.004) * exp(-2.2 * time) * end
                let phase = 2 * .pi * frequency * time
                let sample = Float(loudness * (sin(phase) + 0.35 * sin(2 * phase)))
                for channel in 0..<format.channelCount {
                    samples[(first + frame) * format.channelCount + channel] += sample
                }
            }
        }
        return samples
    }
}
