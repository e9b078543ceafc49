// SPDX-License-Identifier: Apache-2.0

import Glibc
public import PlayheadTime

/// How loud the channels of a sound are at a moment.
public struct AudioLevels: Sendable, Hashable {
    /// Of one channel: 1 is full scale.
    public struct Channel: Sendable, Hashable {
        /// The largest sample, falling slowly.
        public var peak: Float
        /// Root of the mean square; that of a sine of full scale is 0.71.
        public var rms: Float

        /// Relative to full scale; −∞ in silence.
        public var peakDecibels: Float { 20 * log10f(peak) }
        /// Relative to a sample of full scale; −∞ in silence.
        public var rmsDecibels: Float { 20 * log10f(rms) }
    }

    /// The item time of the moment.
    public var time: MediaTime
    /// In the order of the device's channels.
    public var channels: [Channel]
}
