// SPDX-License-Identifier: Apache-2.0

import Glibc
public import PlayheadTime

/// The levels of audio channels at a moment.
public struct AudioLevels: Sendable, Hashable {
    /// The level of one channel; 1 is full scale.
    public struct Channel: Sendable, Hashable {
        /// The peak, which falls slowly.
        public var peak: Float
        /// The root mean square; that of a full-scale sine is 0.71.
        public var rms: Float

        /// The peak relative to full scale, in decibels; −∞ in silence.
        public var peakDecibels: Float { 20 * log10f(peak) }
        /// The root mean square relative to a full-scale sample, in decibels; −∞ in silence.
        public var rmsDecibels: Float { 20 * log10f(rms) }
    }

    /// The item time of the moment.
    public var time: MediaTime
    /// The channels, in the order of the device.
    public var channels: [Channel]
}
