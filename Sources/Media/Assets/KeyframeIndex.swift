// SPDX-License-Identifier: Apache-2.0

package import PlayheadTime

/// A track's keyframes, as far as the container lists them. The list is known before the keyframes
/// are read.
///
/// - Corresponds to: `AVSampleCursor`'s sync samples; the entries of an `AVStream`'s index.
package struct KeyframeIndex: Sendable {
    /// The times of the keyframes in the container's list, in ascending order. Depending on the
    /// container, they are decode times or presentation times.
    package var times: [MediaTime]
    /// The time up to which all keyframes are listed, or `invalid` if the container lists none.
    package var end: MediaTime

    package init(times: [MediaTime] = [], end: MediaTime = .invalid) {
        self.times = times
        self.end = end
    }

    /// Returns whether the track is known to have no keyframe after `start` up to and including
    /// `limit`.
    package func hasNone(after start: MediaTime, upTo limit: MediaTime) -> Bool {
        guard end.isNumeric, limit <= end else { return false }
        var (low, high) = (0, times.count)
        while low < high {
            let middle = (low + high) / 2
            if times[middle] <= start { low = middle + 1 } else { high = middle }
        }
        return low == times.count || times[low] > limit
    }
}
