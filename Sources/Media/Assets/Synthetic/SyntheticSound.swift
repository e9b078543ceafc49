// SPDX-License-Identifier: Apache-2.0

import Glibc
public import PlayheadBuffers
public import PlayheadTime

/// The audio of a synthetic asset. Each sample is computed independently.
///
/// - Concurrency: a value; any thread.
public struct SyntheticSound: Sendable, Hashable {
    /// The signal of a synthetic audio track.
    public enum Signal: Sendable, Hashable {
        /// A tick of 20 ms at the start of every whole second, with silence between the ticks. The
        /// first sample of a tick is the loudest.
        case ticks
        /// The number of each sample frame as a fraction of 2²², which is exact in a `Float`. The
        /// signal shows whether a sample is missing or played twice.
        case sampleNumbers
        /// A sine with this frequency, in hertz, at half of full scale.
        case tone(Double)
    }

    /// The signal.
    public var signal: Signal
    /// The format of the track. Decoders convert it to any other format.
    public var format: AudioFormat
    /// The duration of the audio.
    public var duration: MediaTime
    /// The language of the track, as a BCP 47 or ISO 639 tag.
    package var languageTag: String?
    /// The number of sample frames in a packet. AAC has 1024.
    package var framesPerPacket = 1024

    /// Creates a generated audio track.
    public init(
        _ signal: Signal = .ticks, format: AudioFormat = .stereo(sampleRate: 48000),
        duration: MediaTime, languageTag: String? = nil
    ) {
        self.signal = signal
        self.format = format
        self.duration = duration
        self.languageTag = languageTag
    }

    /// The length of a tick.
    package static let tickDuration = MediaTime(value: 20, timescale: 1000)

    /// Returns the number of sample frames that the audio has at `sampleRate`.
    package func frameCount(sampleRate: Int) -> Int {
        let frames = duration.converted(
            toTimescale: Int32(clamping: sampleRate), method: .roundTowardPositiveInfinity)
        return frames.isNumeric ? Int(frames.value) : 0
    }

    /// Returns the sample of frame `index` at `sampleRate`. It is equal in all channels.
    package func sample(at index: Int, sampleRate: Int) -> Float {
        switch signal {
        case .ticks:
            let position = Double(index % sampleRate) / Double(sampleRate)
            let length = Self.tickDuration.seconds
            guard index >= 0, position < length else { return 0 }
            // A cosine begins at its peak, so the onset of the tick is sharp to one sample.
            return Float(0.8 * (1 - position / length) * cos(2 * .pi * 1000 * position))
        case .sampleNumbers:
            return Float(index & 0x3F_FFFF) / Float(1 << 22)
        case .tone(let frequency):
            let position = Double(index) / Double(sampleRate)
            return Float(0.5 * sin(2 * .pi * frequency * position))
        }
    }
}
