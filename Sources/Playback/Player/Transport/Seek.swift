// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadTime

/// A request to move to another time. It exists until it is fulfilled or replaced.
///
/// It has three states: *requested* (the demuxer has not moved yet) → *moving* (packets of its
/// generation are being decoded) → *landed*. In the first two states, a newer seek ends it. It
/// returns from *moving* to *requested*, with a new generation, if decoding began too late in the
/// media or skipped too much. The completion is called exactly once, when the seek lands or is
/// ended.
///
/// There are two exceptions. If decoding has reached the group of pictures of the target but not
/// the target, or has just passed the target, the seek is *redirected*: there is no flush, and no
/// frame is decoded twice. If seeks arrive faster than they land, the user is scrubbing, and the
/// newest seek is *deferred* until the current one has produced a visible frame.
struct Seek: Sendable {
    var generation = 0
    var target: MediaTime
    var toleranceBefore = MediaTime.zero
    var toleranceAfter = MediaTime.zero
    /// A Boolean value that indicates whether decoding begins at the next keyframe after the
    /// target, because that keyframe is within `toleranceAfter` and the keyframe before the target
    /// is not within `toleranceBefore`.
    var startsLate = false
    /// The distance, in frames, from the frame that begins at `target` back to the frame on which
    /// the seek lands. It is 0 in all seeks except steps back. With 0, the seek lands on the frame
    /// that covers the target.
    var framesBefore = 0
    /// The distance between the target and the earlier time to which the demuxer is moved, so that
    /// it finds a keyframe from which the requested frames can be decoded.
    var leadTime = MediaTime.zero
    /// A Boolean value that indicates whether frames on the way are decoded even if they are
    /// non-reference frames.
    var decodesAll = false
    /// A Boolean value that indicates whether the seek is one of many that arrive faster than they
    /// land. If so, frames on the way to the target are shown if they are nearer to it than the
    /// visible frame.
    var isScrub = false
    /// A Boolean value that indicates whether the frame of the seek is already visible, because it
    /// was cached.
    var isServed = false
    /// A Boolean value that indicates whether the timeline continues during the seek. If so, the
    /// target is the playhead.
    var followsTimeline = false
    /// The position of the playhead before this seek and before the seeks that were in progress
    /// when it was requested. Cancelling returns to this position. It is nil for a seek that the
    /// client did not request.
    var origin: MediaTime?
    var completion: (@Sendable (Bool) -> Void)?

    /// The time to which the demuxer is moved.
    var demuxerTarget: MediaTime { target - leadTime }

    /// Returns whether the seek may land at `time` although the target is later.
    func tolerates(_ time: MediaTime) -> Bool {
        toleranceBefore.isPositiveInfinity || time >= target - toleranceBefore
    }

    /// Returns whether the seek lands on a frame that begins at `time`, although it is not the
    /// frame at the target.
    func isEarlyLanding(_ time: MediaTime) -> Bool {
        toleranceBefore > .zero && time < target && tolerates(time)
    }

    /// Returns whether the seek may land on a frame that is shown from `start` to `end`. A frame
    /// that ends at the target, or later by no more than the tolerance of clocks, counts as ended,
    /// because outputs then show the next frame.
    func accepts(from start: MediaTime, to end: MediaTime) -> Bool {
        if end > target + VideoFrame.timeTolerance { return true }
        return toleranceBefore > .zero && tolerates(start)
    }

    /// Returns whether a frame that begins at `time`, after the target, is near enough to land on.
    func toleratesLate(_ time: MediaTime) -> Bool {
        toleranceAfter.isPositiveInfinity || time <= target + toleranceAfter
    }

    /// A Boolean value that indicates whether the seek lands only at its target.
    var isExact: Bool {
        toleranceBefore == .zero && toleranceAfter == .zero && framesBefore == 0
    }

    /// The time up to which frames are not needed: a frame is skipped if it ends at or before this
    /// time. It is nil if all frames are needed.
    var skipLimit: MediaTime? {
        if decodesAll || framesBefore > 0 || toleranceBefore.isPositiveInfinity { return nil }
        // A user who is scrubbing is likely to turn back.
        return target - (isScrub ? max(toleranceBefore, Self.scrubMargin) : toleranceBefore)
    }

    private static let scrubMargin = MediaTime(value: 2, timescale: 1)
    /// The distance before the target of a scrubbing seek from which on cached frames are enough.
    static let cachedMargin = MediaTime(value: 1, timescale: 2)
}
