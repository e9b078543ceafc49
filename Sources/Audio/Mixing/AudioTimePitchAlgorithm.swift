// SPDX-License-Identifier: Apache-2.0

/// What becomes of the pitch of sound at rates other than 1.
///
/// - Corresponds to: `AVAudioTimePitchAlgorithm`. `spectral`, its phase vocoder, is not offered: it
///   smears what sets in, by which lips are read, over tens of milliseconds.
public enum AudioTimePitchAlgorithm: UInt8, Sendable, Hashable, CaseIterable {
    /// The pitch is kept, at rates from 1/4 to 4; at others there is silence. Whatever sets in is
    /// heard exactly when it is due. For voices and music.
    case timeDomain
    /// The pitch follows the rate, as with a tape, at rates from 1/32 to 32.
    case varispeed

    /// The rates at which there is sound.
    public var rates: ClosedRange<Double> {
        switch self {
        case .timeDomain: TimeStretcher.rates
        case .varispeed: (1.0 / 32)...32.0
        }
    }
}
