// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadTime

/// The state of the end of playback: its time, the action there, and the predecessor of the item.
///
/// - Concurrency: a value.
struct EndState: Sendable {
    private(set) var action = EndAction.pause
    /// The ends that were set; `invalid` if the item's own end applies.
    private(set) var forward = MediaTime.invalid
    private(set) var reverse = MediaTime.invalid
    /// The ends of a loop's repetitions; `invalid` if the ends that were set apply.
    private var loopForward = MediaTime.invalid
    private var loopReverse = MediaTime.invalid
    /// The time at which another item takes over; `invalid` if no item does.
    private(set) var handover = MediaTime.invalid
    /// The time at which playback ends because an end was set. It is the set time, or the time of
    /// the playhead if the playhead was moved beyond the set time.
    private(set) var limit = MediaTime.invalid
    /// The time from which on no frames are shown.
    private(set) var visibleEnd = MediaTime.invalid
    /// The time at which reverse playback ends because an end was set.
    private(set) var reverseLimit = MediaTime.invalid
    /// A Boolean value that indicates whether the item is the current item of its player.
    private(set) var isCurrent = false
    private(set) var hasPlayedToEnd = false
    /// A Boolean value that indicates whether playback ended at the beginning of the item.
    private(set) var endedInReverse = false
    /// A Boolean value that indicates whether playback ended because of `forward`.
    private(set) var endedAtLimit = false
    private(set) var count = 0
    /// A Boolean value that indicates whether the end has yet to be reported to the player.
    private(set) var isUnannounced = false
    /// The ends that were last passed to the renderer and the frame queue, and the time to which
    /// the timer was set.
    private(set) var notedEnd = MediaTime.invalid
    private(set) var notedReverseEnd = MediaTime.invalid
    private(set) var notedVisibleEnd = MediaTime.invalid
    private(set) var alarm = MediaTime.invalid
    /// The start that was declared at the end of another item, and the position in this item at
    /// which it starts. The value is nil once that end has been reached.
    private(set) var succession: (moment: Succession, position: MediaTime)?

    /// A Boolean value that indicates whether playback has ended, and nothing is left to play.
    var isOver: Bool { hasPlayedToEnd && (action != .none || isHandedOver) }

    /// A Boolean value that indicates whether another item takes over before the item's end.
    var isHandedOver: Bool { handover.isNumeric }

    /// A Boolean value that indicates whether no other item follows. It is always true at the end
    /// of reverse playback.
    var staysAtEnd: Bool { (action != .advance && !isHandedOver) || endedInReverse }

    /// The end that is reached first in each direction: an end that was set, the end of a loop's
    /// repetition, or, in the forward direction, the time at which another item takes over.
    private var firstForward: MediaTime {
        var first = handover
        for end in [forward, loopForward] where end.isNumeric {
            first = first.isNumeric ? min(first, end) : end
        }
        return first
    }
    private var firstReverse: MediaTime {
        guard reverse.isNumeric, loopReverse.isNumeric else {
            return reverse.isNumeric ? reverse : loopReverse
        }
        return max(reverse, loopReverse)
    }

    /// Handles a move of the playhead to `time`.
    mutating func move(to time: MediaTime) {
        let (forward, reverse) = (firstForward, firstReverse)
        let isBeyond = forward.isNumeric && time > forward
        limit = isBeyond ? time : forward
        visibleEnd = isBeyond ? .invalid : forward
        reverseLimit = reverse.isNumeric ? min(reverse, time) : .invalid
    }

    /// Returns how far the demuxer must move back from `time` to find the last frame before the end
    /// of playback that was set.
    func leadTime(to time: MediaTime) -> MediaTime {
        let forward = firstForward
        guard forward.isNumeric, time <= forward else { return .zero }
        return max(.zero, time - forward + VideoFrame.timeTolerance * Int32(2))
    }

    /// Records that playback has ended.
    mutating func reach(at time: MediaTime, inReverse: Bool) {
        hasPlayedToEnd = true
        endedAtLimit = !inReverse && limit.isNumeric && time >= limit
        endedInReverse = inReverse
        // If another item takes over, the media itself has not ended.
        if inReverse || !isHandedOver { count += 1 }
        isUnannounced = true
    }

    mutating func setHasPlayedToEnd(_ hasPlayedToEnd: Bool) {
        self.hasPlayedToEnd = hasPlayedToEnd
    }

    mutating func setEnds(forward: MediaTime?, reverse: MediaTime?, playhead: MediaTime) {
        self.forward = forward ?? self.forward
        self.reverse = reverse ?? self.reverse
        move(to: playhead)
    }

    mutating func setLoopEnds(
        forward: MediaTime, reverse: MediaTime, playhead: MediaTime
    ) {
        (loopForward, loopReverse) = (forward, reverse)
        move(to: playhead)
    }

    /// Sets the time at which another item takes over. The playhead does not move.
    mutating func setHandover(_ time: MediaTime, playhead: MediaTime) {
        handover = time
        move(to: playhead)
    }

    mutating func setAction(_ action: EndAction) { self.action = action }
    mutating func setCurrent(_ isCurrent: Bool) { self.isCurrent = isCurrent }

    /// Returns whether an end has been reached and not been announced yet. For each end, the result
    /// is true once.
    mutating func takeAnnouncement() -> Bool {
        defer { isUnannounced = false }
        return isUnannounced
    }

    mutating func note(end: MediaTime) -> Bool {
        defer { notedEnd = end }
        return notedEnd != end
    }

    mutating func note(reverseEnd: MediaTime) -> Bool {
        defer { notedReverseEnd = reverseEnd }
        return notedReverseEnd != reverseEnd
    }

    mutating func noteVisibleEnd() -> Bool {
        defer { notedVisibleEnd = visibleEnd }
        return notedVisibleEnd != visibleEnd
    }

    mutating func note(alarm: MediaTime) -> Bool {
        defer { self.alarm = alarm }
        return self.alarm != alarm
    }

    mutating func follow(_ moment: Succession, from position: MediaTime) {
        succession = (moment, position)
    }

    /// Discards the declared start. Returns whether there was one.
    mutating func forgetSuccession() -> Bool {
        defer { succession = nil }
        return succession != nil
    }
}
