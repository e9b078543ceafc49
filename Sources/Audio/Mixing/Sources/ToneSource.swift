// SPDX-License-Identifier: Apache-2.0

import Glibc
public import PlayheadBuffers
public import PlayheadTime
import Synchronization

/// A source of a tone or of periodic ticks.
///
/// `PCMSource` shows how to play a video in step with a source.
///
/// - Concurrency: any thread. `render`, which the sink calls, does not lock, allocate or wait.
/// - Corresponds to: an `AVAudioSourceNode` that generates a sine.
public final class ToneSource: AudioSource, @unchecked Sendable {
    // Unchecked: `ramp` is touched only by the sink's thread.

    /// The format of the output. The tone is the same in every channel.
    public let format: AudioFormat
    /// The frequency, in hertz.
    public let frequency: Double
    /// The interval between two ticks and their length, in seconds; nil for a continuous tone.
    package let ticks: (interval: Double, length: Double)?
    /// The number of frames from one tick to the next.
    private let period: Int64
    private let conversion: FrameRateConversion
    private let start = Atomic<Int64>(.min)
    private let gain: Atomic<UInt32>
    private var ramp = GainRamp()

    /// Creates a tone.
    ///
    /// - Parameters:
    ///   - frequency: The frequency, in hertz.
    ///   - volume: The amplitude; 1 is full scale.
    ///   - ticks: The interval between two ticks and their length, in seconds; nil for a continuous
    ///     tone. If the interval is infinite or NaN, there is one tick.
    public init(
        frequency: Double = 440, volume: Float = 0.25, format: AudioFormat,
        ticks: (interval: Double, length: Double)? = nil
    ) {
        self.format = format
        self.frequency = frequency.isFinite ? frequency : 440
        self.ticks = ticks
        let frames = max(ticks?.interval ?? .infinity, 0.001) * Double(format.sampleRate) + 0.5
        period = Int64(exactly: frames.rounded(.down)).map { max(1, $0) } ?? .max
        conversion = FrameRateConversion(sampleRate: format.sampleRate)
        gain = Atomic((volume.isFinite ? max(0, volume) : 0.25).bitPattern)
    }

    /// Starts the tone at a time of the sink's clock; see `PCMSource.play(at:)`.
    public func play(at clockTime: MediaTime) {
        start.store(clockTime.nearestNanoseconds ?? .min, ordering: .relaxed)
    }

    /// Stops the tone until the next call of `play(at:)`.
    public func stop() { start.store(.min, ordering: .relaxed) }

    /// The amplitude; 1 is full scale. Changes take 10 ms.
    public var volume: Float {
        get { Float(bitPattern: gain.load(ordering: .relaxed)) }
        set {
            let volume = newValue.isFinite ? max(0, newValue) : 0.25
            gain.store(volume.bitPattern, ordering: .relaxed)
        }
    }

    /// Fills a block for the sink; see `AudioSource`.
    public func render(
        into target: UnsafeMutablePointer<Float>, frameCount: Int, presentationTime: Int64
    ) {
        let channels = format.channelCount
        let start = start.load(ordering: .relaxed)
        let first =
            start == .min
            ? Int64.min : conversion.nearestFrame(nanoseconds: presentationTime - start)
        for frame in 0..<frameCount {
            let sample = start == .min ? 0 : sample(first + Int64(frame))
            for channel in 0..<channels { target[frame * channels + channel] = sample }
        }
        ramp.apply(
            target: volume, step: 1 / (Float(format.sampleRate) * GainRamp.seconds), to: target,
            frameCount: frameCount, channelCount: channels)
    }

    /// Returns the sample for a frame; frames are counted from the beginning.
    private func sample(_ number: Int64) -> Float {
        guard number >= 0 else { return 0 }
        let rate = Double(format.sampleRate)
        var time = Double(number) / rate
        if let ticks {
            time = Double(number % period) / rate
            if time >= ticks.length { return 0 }
        }
        return Float(cos(2 * .pi * (frequency * time).truncatingRemainder(dividingBy: 1)))
    }
}
