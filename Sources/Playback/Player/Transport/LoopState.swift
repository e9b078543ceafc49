// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// The loop of an item: a range that begins again when playback reaches its end.
///
/// - Concurrency: a value.
struct LoopState: Sendable {
    private(set) var progress = LoopProgress()
    private(set) var start = MediaTime.zero
    /// The end of the range; `invalid` for the end of the item.
    private(set) var end = MediaTime.invalid
    /// A Boolean value that indicates whether a repetition has begun and no other seek has begun
    /// since.
    private(set) var isNew = false

    mutating func set(from start: MediaTime, to end: MediaTime, count: Int) {
        (self.start, self.end) = (start, end)
        progress.left = max(count, -1)
        progress.done = 0
        isNew = false
    }

    mutating func leaveRound() { isNew = false }

    /// Returns whether repetitions are left for an item. The range must overlap the item.
    func isActive(in description: AssetDescription?) -> Bool {
        guard progress.left != 0, !end.isNumeric || start < end else { return false }
        guard let whole = description?.seekableTimeRanges.first else { return true }
        return start < whole.end && (!end.isNumeric || end > whole.start)
    }

    /// Returns the ends of playback while repetitions are left; `invalid` if the ends of the item
    /// apply.
    func bounds(in description: AssetDescription?) -> (reverse: MediaTime, forward: MediaTime) {
        guard isActive(in: description) else { return (.invalid, .invalid) }
        let whole = description?.seekableTimeRanges.first
        return (
            start > whole?.start ?? .zero ? start : .invalid,
            whole.map { end < $0.end } ?? true ? end : .invalid
        )
    }

    /// Returns the time at which a repetition begins.
    ///
    /// - Parameters:
    ///   - itemStart: The start of the item, as far as it is known. It is after 0 in an MP3 file
    ///     that states the delay of its encoder.
    ///   - itemEnd: The end of the item, as far as it is known.
    func firstTime(
        inReverse: Bool, itemStart: MediaTime, itemEnd: MediaTime
    ) -> MediaTime {
        guard inReverse else { return itemStart.isNumeric ? max(start, itemStart) : start }
        return [end, itemEnd].filter(\.isNumeric).min() ?? .zero
    }

    /// Counts a repetition that begins.
    mutating func begin() {
        if progress.left > 0 { progress.left -= 1 }
        progress.done += 1
        progress.total += 1
        isNew = true
    }
}
