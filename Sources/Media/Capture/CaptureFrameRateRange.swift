// SPDX-License-Identifier: Apache-2.0

public import PlayheadTime

/// A range of frame durations that a device offers. Both ends are equal if the device offers a
/// single rate.
///
/// - Corresponds to: `AVFrameRateRange`.
public struct CaptureFrameRateRange: Sendable, Hashable {
    /// The duration of a frame at the highest rate.
    public var minFrameDuration: MediaTime
    /// The duration of a frame at the lowest rate.
    public var maxFrameDuration: MediaTime

    package init(minFrameDuration: MediaTime, maxFrameDuration: MediaTime) {
        self.minFrameDuration = minFrameDuration
        self.maxFrameDuration = maxFrameDuration
    }

    package init(framesPerSecond: Int32) {
        let duration = MediaTime(value: 1, timescale: framesPerSecond)
        self.init(minFrameDuration: duration, maxFrameDuration: duration)
    }

    /// Returns whether the duration lies in the range.
    public func contains(_ duration: MediaTime) -> Bool {
        duration >= minFrameDuration && duration <= maxFrameDuration
    }
}
