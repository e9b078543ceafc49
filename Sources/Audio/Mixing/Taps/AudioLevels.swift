// SPDX-License-Identifier: Apache-2.0

import Glibc
public import PlayheadTime

/// The levels of audio channels at a moment.
public struct AudioLevels: Sendable, Hashable {
    /// The level of one channel; 1 is full scale.
    public struct Channel: Sendable, Hashable {
        /// The peak level, which falls slowly.
        public var peak: Float
        /// The root mean square. It is 0.71 for a full-scale sine.
        public var rms: Float

        /// The peak in decibels relative to full scale; −∞ in silence.
        public var peakDecibels: Float { 20 * log10f(peak) }
        /// The root mean square in decibels relative to a full-scale sample; −∞ in silence.
        public var rmsDecibels: Float { 20 * log10f(rms) }
    }

    /// The item time at which the levels were measured.
    public var time: MediaTime
    /// The levels of the channels, in the order of the device.
    public var channels: [Channel]
}
