// SPDX-License-Identifier: Apache-2.0

import Glibc
public import PlayheadBuffers
public import PlayheadTime
import Synchronization

/// A tone, or a tick every so often: the smallest sound of a program's own.
///
/// See `PCMSource` for how a film is played in step with it.
///
/// - Concurrency: any thread. `render`, which the sink calls, neither locks nor allocates nor waits.
/// - Corresponds to: an `AVAudioSourceNode` that makes a sine.
public final class ToneSource: AudioSource, @unchecked Sendable {
    // Unchecked: `ramp` is touched by the sink's thread only.

    /// Of what is rendered: the tone is the same in every channel.
    public let format: AudioFormat
    /// In hertz.
    public let frequency: Double
    /// Seconds from one beginning of the tone to the next, and how much of them it lasts; nil for one
    /// that goes on.
    package let ticks: (interval: Double, length: Double)?
    /// Frames from one tick to the next.
    private let period: Int64
    private let conversion: FrameRateConversion
    private let start = Atomic<Int64>(.min)
    private let gain: Atomic<UInt32>
    private var ramp = GainRamp()

    /// - Parameters:
    ///   - frequency: in hertz.
    ///   - volume: the amplitude, 1 being full scale.
    ///   - ticks: to sound only for so long, and again after each interval; in seconds. After one
    ///     that is infinite, or no number, it does not sound again.
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

    /// Lets the tone begin when the sink's clock reads a time; see `PCMSource.play(at:)`.
    public func play(at clockTime: MediaTime) {
        start.store(clockTime.nearestNanoseconds ?? .min, ordering: .relaxed)
    }

    /// Plays nothing, until it is told to play again.
    public func stop() { start.store(.min, ordering: .relaxed) }

    /// The amplitude, 1 being full scale; changes take 10 ms.
    public var volume: Float {
        get { Float(bitPattern: gain.load(ordering: .relaxed)) }
        set {
            let volume = newValue.isFinite ? max(0, newValue) : 0.25
            gain.store(volume.bitPattern, ordering: .relaxed)
        }
    }

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

    /// The sample of a frame since the beginning.
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
