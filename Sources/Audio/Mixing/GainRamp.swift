// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A gain that moves towards its target in small steps. Blocks that exceed full scale are
/// soft-clipped.
///
/// - Concurrency: one thread; real-time.
struct GainRamp {
    /// The duration of a change by 1, in seconds. It is short enough to feel immediate and long
    /// enough to prevent a click.
    static let seconds: Float = 0.010
    /// The level at which soft clipping begins, 1 dB below full scale.
    private static let knee: Float = 0.891

    private(set) var gain: Float?

    /// Applies the gain to a block. If the gain is 1 and no sample exceeds full scale, samples are
    /// unchanged.
    mutating func apply(
        target: Float, step: Float, to samples: UnsafeMutablePointer<Float>, frameCount: Int,
        channelCount: Int
    ) {
        var gain = gain ?? target
        let count = frameCount * channelCount
        if gain != target {
            // Large changes take the same time as small ones.
            let step = step * max(1, max(gain, target))
            for frame in 0..<frameCount {
                gain += max(-step, min(step, target - gain))
                for index in (frame * channelCount)..<((frame + 1) * channelCount) {
                    samples[index] *= gain
                }
            }
        } else if gain != 1 {
            for index in 0..<count { samples[index] *= gain }
        }
        self.gain = gain
        Self.limit(samples, count: count)
    }

    /// Rounds off the samples if any of them exceeds full scale. Samples that are not finite are
    /// replaced by silence.
    static func limit(_ samples: UnsafeMutablePointer<Float>, count: Int) {
        var outside: Int32 = 0
        for index in 0..<count { outside |= abs(samples[index]) <= 1 ? 0 : 1 }
        guard outside != 0 else { return }
        for index in 0..<count { samples[index] = limit(samples[index]) }
    }

    /// Returns the sample unchanged up to the knee. Above the knee, the curve begins with the same
    /// slope and ends at full scale.
    static func limit(_ sample: Float) -> Float {
        guard sample.isFinite else { return 0 }
        let magnitude = abs(sample)
        guard magnitude > knee else { return sample }
        let room = 1 - knee
        let limited = knee + room * tanhf((magnitude - knee) / room)
        return sample < 0 ? -limited : limited
    }
}
