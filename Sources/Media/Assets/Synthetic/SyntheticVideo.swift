// SPDX-License-Identifier: Apache-2.0

import PlayheadTime

/// A video track of a synthetic asset in addition to the first one.
///
/// - Concurrency: a value; any thread.
package struct SyntheticVideo: Sendable, Hashable {
    /// The times of the frames.
    package var frameTimes: SyntheticFrameTimes
    /// The number of frames from one keyframe to the next.
    package var keyframeInterval: Int
    /// The number that the first frame shows.
    package var firstNumber: Int
    /// A Boolean value that indicates whether a seek moves to a keyframe of this track. If not, the
    /// track continues at the keyframe of the first track, as in a container without an index.
    package var hasIndex: Bool

    /// Creates a video track.
    package init(
        frameTimes: SyntheticFrameTimes, keyframeInterval: Int = 1, firstNumber: Int = 0,
        hasIndex: Bool = true
    ) {
        self.frameTimes = frameTimes
        self.keyframeInterval = keyframeInterval
        self.firstNumber = firstNumber
        self.hasIndex = hasIndex
    }
}
