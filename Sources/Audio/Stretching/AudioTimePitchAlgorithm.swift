// SPDX-License-Identifier: Apache-2.0

/// The treatment of pitch at rates other than 1.
///
/// - Corresponds to: `AVAudioTimePitchAlgorithm`. There is no `spectral` (a phase vocoder), because
///   it smears onsets over tens of milliseconds, and lip reading depends on onsets.
public enum AudioTimePitchAlgorithm: UInt8, Sendable, Hashable, CaseIterable {
    /// The pitch is kept at rates from 1/4 to 4 and from −4 to −1/4; at other rates there is
    /// silence. During forward playback, onsets are heard exactly when they are due. For voices and
    /// music.
    case timeDomain
    /// The pitch follows the rate, as with a tape, at rates from 1/32 to 32 and from −32 to −1/32.
    case varispeed

    /// The range of rates at which there is audio, in either direction.
    public var rates: ClosedRange<Double> {
        switch self {
        case .timeDomain: TimeStretcher.rates
        case .varispeed: (1.0 / 32)...32.0
        }
    }
}
