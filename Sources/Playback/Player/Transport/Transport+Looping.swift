// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// Loops.
///
/// A repetition ends as playback does: exactly at the bound in the direction of playback. Instead
/// of stopping there, the transport seeks to the other bound in the same step and keeps its rate.
/// No thread therefore finds the item at its end, and a pause is effective at any time.
extension Transport {
    /// Repeats a range, which replaces an earlier range. The ends of playback that were set still
    /// apply if they are within the range.
    mutating func setLoop(from start: MediaTime, to end: MediaTime, count: Int) {
        loop.set(from: start, to: end, count: count)
        boundLoop()
        haveSetEnds()
    }

    /// Sets the ends of repetitions. It is called again when more is known about the item.
    mutating func boundLoop() {
        let (reverse, forward) = loop.bounds(in: tracks.description)
        ending.setLoopEnds(forward: forward, reverse: reverse, playhead: playhead)
    }

    /// A Boolean value that indicates whether another repetition follows at the end of the range.
    var isLooping: Bool { loop.isActive(in: tracks.description) && tracks.readingError == nil }

    /// Returns the time at which playback or a repetition of the loop begins.
    func firstTime(inReverse: Bool) -> MediaTime {
        let itemEnd = tracks.naturalEnd ?? tracks.description?.end ?? .invalid
        return (isLooping ? loop : LoopState()).firstTime(
            inReverse: inReverse, itemStart: tracks.description?.firstTime ?? .invalid,
            itemEnd: itemEnd)
    }

    /// Begins the next repetition. The caller wakes the threads for the seek.
    mutating func beginRound(inReverse: Bool) {
        let target = firstTime(inReverse: inReverse)
        loop.begin()
        // After the last repetition, playback continues past the range.
        if loop.progress.left == 0 { boundLoop() }
        steps.clear()
        turn(to: target)
    }
}
