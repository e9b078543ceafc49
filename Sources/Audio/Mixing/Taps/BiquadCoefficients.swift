// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The coefficients of a second-order filter, normalised so that a0 is 1.
///
/// The formulas are those of Robert Bristow-Johnson's "Cookbook formulae for audio equalizer biquad
/// filter coefficients" (Audio EQ Cookbook, W3C Note of 8 June 2021), with bandwidths in octaves.
struct BiquadCoefficients: Sendable, Hashable {
    var b0 = 1.0
    var b1 = 0.0
    var b2 = 0.0
    var a1 = 0.0
    var a2 = 0.0

    /// The highest frequency of a filter, as a fraction of the sample rate.
    private static let largestShare = 0.49

    /// Creates coefficients.
    ///
    /// - Parameters:
    ///   - frequency: The centre or the corner, in hertz. It is kept away from 0 and from half the
    ///     sample rate. A low pass at or above the upper limit is transparent.
    ///   - bandwidth: The bandwidth in octaves. For a band, it is between the −3 dB points; for a
    ///     peak, between the points of half the gain. For a pass or shelf, it is the steepness.
    ///   - decibels: The gain of a peak or shelf, in decibels.
    init(
        _ kind: AudioFilterTap.Kind, frequency: Double, bandwidth: Double, decibels: Double,
        sampleRate: Double
    ) {
        let share = frequency / sampleRate
        if kind == .lowPass, share >= Self.largestShare { return }
        let w0 = 2 * .pi * min(max(share, 1e-5), Self.largestShare)
        let (cosine, sine) = (cos(w0), sin(w0))
        // A band keeps its width at frequencies that the bilinear transform warps. A corner has no
        // width; for a corner, the correction would only flatten the filter, down to silence near
        // half the sample rate.
        let isBand = kind == .bandPass || kind == .notch || kind == .peak
        let warp = isBand ? w0 / sine : 1
        let alpha = sine * sinh(log(2.0) / 2 * bandwidth * warp)
        let amplitude = pow(10, decibels / 40)
        switch kind {
        case .lowPass:
            let b = (1 - cosine) / 2
            set(b, 2 * b, b, 1 + alpha, -2 * cosine, 1 - alpha)
        case .highPass:
            let b = (1 + cosine) / 2
            set(b, -2 * b, b, 1 + alpha, -2 * cosine, 1 - alpha)
        case .bandPass: set(alpha, 0, -alpha, 1 + alpha, -2 * cosine, 1 - alpha)
        case .notch: set(1, -2 * cosine, 1, 1 + alpha, -2 * cosine, 1 - alpha)
        case .peak:
            set(
                1 + alpha * amplitude, -2 * cosine, 1 - alpha * amplitude, 1 + alpha / amplitude,
                -2 * cosine, 1 - alpha / amplitude)
        case .lowShelf: setShelf(amplitude, cosine, alpha, sign: 1)
        case .highShelf: setShelf(amplitude, cosine, alpha, sign: -1)
        }
    }

    /// Sets a shelf. The high shelf is the mirror image of the low shelf, with the opposite sign of
    /// the cosine.
    private mutating func setShelf(
        _ amplitude: Double, _ cosine: Double, _ alpha: Double, sign: Double
    ) {
        let (sum, difference) = (amplitude + 1, amplitude - 1)
        let (c, root) = (sign * cosine, 2 * amplitude.squareRoot() * alpha)
        set(
            amplitude * (sum - difference * c + root),
            sign * 2 * amplitude * (difference - sum * c),
            amplitude * (sum - difference * c - root), sum + difference * c + root,
            sign * -2 * (difference + sum * c), sum + difference * c - root)
    }

    private mutating func set(
        _ b0: Double, _ b1: Double, _ b2: Double, _ a0: Double, _ a1: Double, _ a2: Double
    ) {
        self.b0 = b0 / a0
        self.b1 = b1 / a0
        self.b2 = b2 / a0
        self.a1 = a1 / a0
        self.a2 = a2 / a0
    }
}
