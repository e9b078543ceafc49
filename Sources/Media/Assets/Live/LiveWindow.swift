// SPDX-License-Identifier: Apache-2.0

package import PlayheadTime

/// The part of a live stream that can be played now: from the beginning of the oldest segment in
/// its playlist to the live edge, which is the end of the newest segment. For a file that is still
/// being written, it is the part that has been written.
///
/// - Concurrency: a value.
package struct LiveWindow: Sendable, Hashable {
    /// The range, on the asset's timeline.
    package var range: MediaTimeRange
    /// The recommended distance of the playhead from the live edge. It is not longer than the
    /// range.
    package var recommendedOffset: MediaTime
    /// The maximum duration of the parts in which a low-latency stream is read; nil if it is read
    /// in segments.
    package var partTarget: MediaTime?
    /// A Boolean value that indicates whether the stream has ended, so that the range is final.
    package var hasEnded: Bool
    /// A Boolean value that indicates whether the range is that of a file that is being written, so
    /// that its duration is the duration of the asset.
    package var isFile: Bool

    package init(
        range: MediaTimeRange, recommendedOffset: MediaTime, partTarget: MediaTime? = nil,
        hasEnded: Bool = false, isFile: Bool = false
    ) {
        self.range = range
        self.recommendedOffset = recommendedOffset
        self.partTarget = partTarget
        self.hasEnded = hasEnded
        self.isFile = isFile
    }
}
