// SPDX-License-Identifier: Apache-2.0

import Glibc
public import PlayheadBuffers

/// A tap that applies one second-order filter. Changes of its parameters are gradual.
///
///     let filter = AudioFilterTap(.bandPass, frequency: 1000, bandwidth: 1)
///     filter.frequency = 2000     // heard within 50 ms, without a click
///
/// - Concurrency: the parameters may be set on any thread.
/// - Corresponds to: `kAudioUnitSubType_BandPassFilter` and its relatives;
///   `AVAudioUnitEQFilterType`.
public final class AudioFilterTap: AudioProcessingTap, @unchecked Sendable {
    // Unchecked: `prepare` and `unprepare` use all variables while no audio is processed. Besides,
    // only the audio callback uses `states`, `sampleRate` and `coefficients`.

    /// The response of a filter.
    public enum Kind: UInt8, Sendable, Hashable, CaseIterable {
        /// Passes frequencies below the corner.
        case lowPass
        /// Passes frequencies above the corner.
        case highPass
        /// Passes frequencies around the centre.
        case bandPass
        /// Removes frequencies around the centre.
        case notch
        /// Amplifies or attenuates frequencies around the centre, by the gain.
        case peak
        /// Amplifies or attenuates frequencies below the middle, by the gain.
        case lowShelf
        /// Amplifies or attenuates frequencies above the middle, by the gain.
        case highShelf
    }

    /// The state of a channel: its last two input samples and output samples (direct form I). The
    /// state does not depend on the coefficients, so a change of coefficients does not click.
    private struct State {
        var x1 = 0.0
        var x2 = 0.0
        var y1 = 0.0
        var y2 = 0.0
    }

    /// The response of the filter.
    public let kind: Kind
    /// The frequency in octaves above 1 Hz. Octaves are used because pitch is perceived
    /// logarithmically.
    private let octave: GlidingValue
    private let width: GlidingValue
    private let level: GlidingValue
    private var coefficients = BiquadCoefficients.identity
    private var states: UnsafeMutableBufferPointer<State> = .init(start: nil, count: 0)
    private var sampleRate = 48_000.0

    /// The number of frames from one step of a change to the next.
    private static let stepFrames = 32
    /// The time after which only a twentieth of a change remains, in seconds.
    private static let glideSeconds = 0.03
    /// The largest step, in octaves. With a larger step, the ringing of the filter would click.
    private static let largestStep = 0.1
    private static let frequencies = 1.0...100_000.0
    private static let bandwidths = 0.01...10.0
    private static let gains = -60.0...60.0

    /// Creates a filter.
    ///
    /// - Parameters:
    ///   - kind: The response, which cannot be changed later.
    ///   - frequency: The frequency in hertz; see `frequency`.
    ///   - bandwidth: The bandwidth in octaves; see `bandwidth`.
    ///   - gain: The gain in decibels; see `gain`.
    public init(_ kind: Kind, frequency: Double, bandwidth: Double = 1, gain: Double = 0) {
        self.kind = kind
        octave = GlidingValue(log2(Self.clamp(frequency, Self.frequencies, 1000)))
        width = GlidingValue(Self.clamp(bandwidth, Self.bandwidths, 1))
        level = GlidingValue(Self.clamp(gain, Self.gains, 0))
    }

    /// The frequency in hertz: the centre of a band, notch or peak, the corner of a pass, or the
    /// middle of a shelf. The range is 1 Hz to 0.49 of the sample rate. A low pass at or above the
    /// upper limit is transparent.
    public var frequency: Double {
        get { exp2(octave.target) }
        set { octave.target = log2(Self.clamp(newValue, Self.frequencies, 1000)) }
    }

    /// The bandwidth in octaves, from 0.01 to 10. For a band or notch, it is the distance between
    /// the −3 dB points. For a peak, it is the distance between the points at half of the gain in
    /// decibels. For a pass or shelf, a smaller value is steeper; above 1.9 (Butterworth), the
    /// response has no peak.
    public var bandwidth: Double {
        get { width.target }
        set { width.target = Self.clamp(newValue, Self.bandwidths, 1) }
    }

    /// The gain of a peak or shelf, in decibels, from −60 to 60.
    public var gain: Double {
        get { level.target }
        set { level.target = Self.clamp(newValue, Self.gains, 0) }
    }

    private static func clamp(
        _ value: Double, _ range: ClosedRange<Double>, _ otherwise: Double
    ) -> Double {
        value.isNaN ? otherwise : min(max(value, range.lowerBound), range.upperBound)
    }

    /// Allocates the filter states for a format.
    public override func prepare(maxFrames: Int, format: AudioFormat) {
        sampleRate = Double(format.sampleRate)
        states = .allocate(capacity: format.channelCount)
        states.initialize(repeating: State())
        for value in [octave, width, level] { value.jump() }
        updateCoefficients()
    }

    /// Frees the filter states.
    public override func unprepare() {
        states.deallocate()
        states = .init(start: nil, count: 0)
    }

    /// Pulls the source audio and filters it.
    public override func process(_ block: inout AudioTapBlock) {
        block.pull()
        var frame = 0
        while frame < block.frameCount {
            glide()
            let count = min(Self.stepFrames, block.frameCount - frame)
            for channel in 0..<block.channelCount {
                filter(
                    block.samples, from: frame * block.channelCount + channel,
                    stride: block.channelCount, count: count, &states[channel])
            }
            frame += count
        }
    }

    private func filter(
        _ samples: UnsafeMutableBufferPointer<Float>, from first: Int, stride: Int, count: Int,
        _ state: inout State
    ) {
        let c = coefficients
        var (x1, x2, y1, y2) = (state.x1, state.x2, state.y1, state.y2)
        var index = first
        for _ in 0..<count {
            let x = Double(samples[index])
            let y = c.b0 * x + c.b1 * x1 + c.b2 * x2 - c.a1 * y1 - c.a2 * y2
            (x2, x1) = (x1, x)
            (y2, y1) = (y1, y)
            samples[index] = Float(y)
            index += stride
        }
        state = State(
            x1: Self.kept(x1), x2: Self.kept(x2), y1: Self.kept(y1), y2: Self.kept(y2))
    }

    /// Returns the value, or 0 if it is a denormal number or NaN. Denormals are inaudible and a
    /// hundred times as slow, and NaN would persist.
    private static func kept(_ value: Double) -> Double {
        abs(value) > 1e-30 && value.isFinite ? value : 0
    }

    private func glide() {
        if octave.isSettled, width.isSettled, level.isSettled { return }
        let share = min(1, 3 * Double(Self.stepFrames) / (sampleRate * Self.glideSeconds))
        octave.advance(by: share, atMost: Self.largestStep)
        width.advance(by: share)
        level.advance(by: share)
        updateCoefficients()
    }

    private func updateCoefficients() {
        coefficients = BiquadCoefficients(
            kind, frequency: exp2(octave.value), bandwidth: width.value, decibels: level.value,
            sampleRate: sampleRate)
    }
}

extension BiquadCoefficients {
    fileprivate static let identity = BiquadCoefficients(
        .peak, frequency: 1000, bandwidth: 1, decibels: 0, sampleRate: 48_000)
}
