// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadTime

/// A request to move to another time, from the request until it is fulfilled or superseded.
///
/// States: *requested* (the demuxer has not moved yet) → *moving* (packets of its generation are
/// being decoded) → *landed*. A newer seek ends it in either of the first two. From *moving* it
/// returns to *requested*, as a new generation, if decoding began too late in the media or left out
/// too much. The completion runs exactly once, when the seek lands or is ended.
///
/// There are two ways past *requested*. If decoding is in the same group of pictures before the
/// target, or has just passed it, the seek is *redirected*: no flush, and no frame is decoded
/// twice. If seeks arrive faster than they land, the user is scrubbing: the newest is *deferred*
/// until the current one has produced a visible frame.
struct Seek: Sendable {
    var generation = 0
    var target: MediaTime
    var toleranceBefore = MediaTime.zero
    var toleranceAfter = MediaTime.zero
    /// A Boolean value that indicates whether decoding begins after the target, at the next
    /// keyframe: that one is within `toleranceAfter`, and the one before is not within
    /// `toleranceBefore`.
    var startsLate = false
    /// The number of frames before the one that begins at `target` at which it lands: 0 for the
    /// frame that covers the target, in all seeks but steps backwards.
    var framesBefore = 0
    /// The time before the target to which the demuxer is sent, so that it finds a keyframe from
    /// which the requested frames can be decoded.
    var leadTime = MediaTime.zero
    /// A Boolean value that indicates whether frames on the way are decoded even if no other refers
    /// to them.
    var decodesAll = false
    /// A Boolean value that indicates whether it is one of many that arrive faster than they land:
    /// frames on the way to the target are then shown if they are nearer to it than the visible
    /// one.
    var isScrub = false
    /// A Boolean value that indicates whether its frame is visible already, from the cache.
    var isServed = false
    /// A Boolean value that indicates whether the timeline continues meanwhile: the target is then
    /// the playhead.
    var followsTimeline = false
    /// The position of the playhead before it, and before the seeks that were in progress at the
    /// request: cancelling returns there. Nil for a seek that was not requested by the client.
    var origin: MediaTime?
    var completion: (@Sendable (Bool) -> Void)?

    /// The time to which the demuxer is sent.
    var demuxerTarget: MediaTime { target - leadTime }

    /// Returns whether the seek may land at `time` although the target is later.
    func tolerates(_ time: MediaTime) -> Bool {
        toleranceBefore.isPositiveInfinity || time >= target - toleranceBefore
    }

    /// Returns whether a frame that begins at `time` is where the seek lands, but not its target.
    func isEarlyLanding(_ time: MediaTime) -> Bool {
        toleranceBefore > .zero && time < target && tolerates(time)
    }

    /// Returns whether a frame shown from `start` to `end` may be where the seek lands. A frame
    /// that ends within the tolerance of clocks has ended: outputs would show the next one.
    func accepts(from start: MediaTime, to end: MediaTime) -> Bool {
        if end > target + VideoFrame.timeTolerance { return true }
        return toleranceBefore > .zero && tolerates(start)
    }

    /// Returns whether a frame that begins at `time`, after the target, is near enough to land on.
    func toleratesLate(_ time: MediaTime) -> Bool {
        toleranceAfter.isPositiveInfinity || time <= target + toleranceAfter
    }

    /// A Boolean value that indicates whether it lands only at its target.
    var isExact: Bool {
        toleranceBefore == .zero && toleranceAfter == .zero && framesBefore == 0
    }

    /// The time such that frames that end at or before it are not needed; nil if all are.
    var skipLimit: MediaTime? {
        if decodesAll || framesBefore > 0 || toleranceBefore.isPositiveInfinity { return nil }
        // A user who scrubs is likely to reverse.
        return target - (isScrub ? max(toleranceBefore, Self.scrubMargin) : toleranceBefore)
    }

    private static let scrubMargin = MediaTime(value: 2, timescale: 1)
}
