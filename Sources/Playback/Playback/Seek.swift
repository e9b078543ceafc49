// SPDX-License-Identifier: Apache-2.0

import PlayheadTime

/// A wish to be at another time, from its request until it is fulfilled or superseded.
///
/// States: *requested* (the demuxer has not moved yet) → *moving* (packets of its generation are
/// being decoded) → *landed*. A newer seek ends it in any of the first two. The completion runs
/// exactly once, in the last transition.
struct Seek: Sendable {
    var generation: Int
    var target: MediaTime
    var toleranceBefore: MediaTime
    var toleranceAfter: MediaTime
    var completion: (@Sendable (Bool) -> Void)?

    /// Whether a frame that is shown from `start` to `end` may be where the seek lands.
    func accepts(from start: MediaTime, to end: MediaTime) -> Bool {
        if end > target { return true }
        return toleranceBefore.isPositiveInfinity || start >= target - toleranceBefore
    }
}
