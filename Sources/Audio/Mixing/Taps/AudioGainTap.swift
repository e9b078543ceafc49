// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers

/// Amplifies a track's sound before taps that follow, and before the mix.
///
/// - Concurrency: `gain` from any thread.
/// - Corresponds to: an `AVAudioUnitEQ` with nothing but its `globalGain`.
public final class AudioGainTap: AudioProcessingTap, @unchecked Sendable {
    // Unchecked: `step` is set while nothing is processed.

    private let current: GlidingValue
    /// The share of a change that is made from one frame to the next.
    private var step = 1.0

    /// How long a change takes to be made by all but a twentieth.
    private static let glideSeconds = 0.02

    /// - Parameter gain: a factor on the samples.
    public init(gain: Float = 1) { current = GlidingValue(Self.valid(gain)) }

    /// A factor on the samples, 1 as they are; negative ones invert them. Changes glide.
    public var gain: Float {
        get { Float(current.target) }
        set { current.target = Self.valid(newValue) }
    }

    private static func valid(_ gain: Float) -> Double { gain.isFinite ? Double(gain) : 1 }

    public override func prepare(maxFrames: Int, format: AudioFormat) {
        step = min(1, 3 / (Double(format.sampleRate) * Self.glideSeconds))
    }

    public override func process(_ block: inout AudioTapBlock) {
        block.pull()
        // Taken out of the block: Swift 6.3 does not get through changes within it under ThreadSanitizer.
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
