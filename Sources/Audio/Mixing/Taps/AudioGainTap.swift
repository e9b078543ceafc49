// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers

/// A tap that amplifies a track's audio before the following taps and the mix.
///
/// - Concurrency: `gain` may be set on any thread.
/// - Corresponds to: an `AVAudioUnitEQ` with only its `globalGain`.
public final class AudioGainTap: AudioProcessingTap, @unchecked Sendable {
    // Unchecked: `step` is set while no audio is processed.

    private let current: GlidingValue
    /// The fraction of the remaining change that is made from one frame to the next.
    private var step = 1.0

    /// The time after which only a twentieth of a change remains, in seconds.
    private static let glideSeconds = 0.02

    /// Creates a tap.
    ///
    /// - Parameter gain: The factor on the samples.
    public init(gain: Float = 1) { current = GlidingValue(Self.valid(gain)) }

    /// The factor on the samples; 1 by default. A negative factor inverts the samples. Changes are
    /// gradual.
    public var gain: Float {
        get { Float(current.target) }
        set { current.target = Self.valid(newValue) }
    }

    private static func valid(_ gain: Float) -> Double { gain.isFinite ? Double(gain) : 1 }

    /// Computes the speed of gain changes for the sample rate of `format`.
    public override func prepare(maxFrames: Int, format: AudioFormat) {
        step = min(1, 3 / (Double(format.sampleRate) * Self.glideSeconds))
    }

    /// Pulls the source audio and multiplies it by the gain.
    public override func process(_ block: inout AudioTapBlock) {
        block.pull()
        // These values are copied from the block, because Swift 6.3 fails to compile their mutation
        // in place under ThreadSanitizer.
        let (samples, channels) = (block.samples, block.channelCount)
        for frame in 0..<block.frameCount {
            current.advance(by: step)
            let gain = Float(current.value)
            for index in (frame * channels)..<((frame + 1) * channels) {
                samples[index] *= gain
            }
        }
    }
}
