// SPDX-License-Identifier: Apache-2.0

import PlayheadTime

/// A wish to be at another time, from its request until it is fulfilled or superseded.
///
/// States: *requested* (the demuxer has not moved yet) → *moving* (packets of its generation are
/// being decoded) → *landed*. A newer seek ends it in any of the first two. From *moving* it goes
/// back to *requested*, as a new generation, when it turns out that decoding began too late in the
/// film or left out too much. The completion runs exactly once, when the seek lands or is ended.
///
/// There are two ways past *requested*. Where decoding stands in the same group of pictures before
/// the target, or has just passed it, it is *redirected*: nothing is flushed, and nothing decoded
/// twice. And where seeks come faster than they land, a hand is scrubbing: the newest is *put off*
/// until the one that is being moved to has brought something to see.
struct Seek: Sendable {
    var generation = 0
    var target: MediaTime
    var toleranceBefore = MediaTime.zero
    var toleranceAfter = MediaTime.zero
    /// Whether decoding begins after the target, at the next keyframe: that is within
    /// `toleranceAfter`, and the one before is not within `toleranceBefore`.
    var startsLate = false
    /// How many frames before the one that begins at `target` it lands: 0 for the frame that covers
    /// the target, which is what all seeks are but steps backwards.
    var framesBefore = 0
    /// How far before the target the demuxer is sent, for it to find a keyframe from which on the
    /// wanted frames are decoded.
    var leadTime = MediaTime.zero
    /// Whether frames on the way are decoded although no other refers to them.
    var decodesAll = false
    /// Whether it is one of many that come faster than they land: then frames on the way to the target
    /// are shown, if they are nearer to it than what is.
    var isScrub = false
    /// Whether its frame is seen already, since it was kept.
    var isServed = false
    /// Whether the timeline runs on meanwhile: the target is then wherever the playhead is.
    var followsTimeline = false
    /// Where the playhead was before it, and before those that were under way when it was asked for: where
    /// it goes back to if they are cancelled. Nil for what nobody has asked for as a seek.
    var origin: MediaTime?
    var completion: (@Sendable (Bool) -> Void)?

    /// Where the demuxer is sent.
    var demuxerTarget: MediaTime { target - leadTime }

    /// Whether `time` is early enough to land there though the target lies later.
    func tolerates(_ time: MediaTime) -> Bool {
        toleranceBefore.isPositiveInfinity || time >= target - toleranceBefore
    }

    /// Whether a picture that begins at `time` is where the seek lands, and not its target.
    func isEarlyLanding(_ time: MediaTime) -> Bool {
        toleranceBefore > .zero && time < target && tolerates(time)
    }

    /// Whether a frame that is shown from `start` to `end` may be where the seek lands. A frame that
    /// ends within the tolerance of clocks has ended: outputs would show the next.
    func accepts(from start: MediaTime, to end: MediaTime) -> Bool {
        if end > target + FrameQueue.tolerance { return true }
        return toleranceBefore > .zero && tolerates(start)
    }

    /// Whether a picture that begins at `time`, after the target, is near enough to land on.
    func toleratesLate(_ time: MediaTime) -> Bool {
        toleranceAfter.isPositiveInfinity || time <= target + toleranceAfter
    }

    /// Whether it lands at its target and nowhere else.
    var isExact: Bool {
        toleranceBefore == .zero && toleranceAfter == .zero && framesBefore == 0
    }

    /// Frames that end at or before this time are not needed; nil where all are.
    var skipLimit: MediaTime? {
        if decodesAll || framesBefore > 0 || toleranceBefore.isPositiveInfinity { return nil }
        // A hand that scrubs is likely to turn back.
        return target - (isScrub ? max(toleranceBefore, Self.scrubMargin) : toleranceBefore)
    }

    private static let scrubMargin = MediaTime(value: 2, timescale: 1)
}
