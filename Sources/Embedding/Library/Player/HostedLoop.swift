// SPDX-License-Identifier: Apache-2.0

import PlayheadPlayback
import PlayheadTime
import Synchronization

extension HostedPlayer.Control {
    /// Returns whether an item is open and has iterations of the loop left.
    func hasRounds(of item: PlayerItem) -> Bool {
        film?.item === item && loop.left != 0 && loop.fits(item)
    }
}

extension HostedPlayer {
    /// The state of an item with respect to its end.
    enum Ending {
        case none
        /// The next iteration of the loop is about to begin.
        case betweenRounds
        /// Playback stays at the end.
        case reached
    }

    func ending(of item: PlayerItem) -> Ending {
        // These are read before the item's state. If an end is reached and handled in between,
        // neither of them includes it.
        let (isTurning, hasRounds, heardEnds) = control.withLock { control in
            let film = control.film?.item === item ? control.film : nil
            return (
                film?.isTurning == true, control.hasRounds(of: item), film?.heardEnds ?? 0
            )
        }
        if isTurning { return .betweenRounds }
        let endings = item.endings
        guard endings.isAtEnd else { return .none }
        return hasRounds && endings.count > heardEnds ? .betweenRounds : .reached
    }

    /// A loop, with the number of iterations that are left.
    struct Loop {
        /// The minimum duration of an iteration, in nanoseconds.
        static let shortest: Int64 = 1_000_000

        /// The number of iterations that are left; −1 for an endless loop.
        var left: Int32 = 0
        var done: Int64 = 0
        var start = MediaTime.zero
        /// The end of the loop; `invalid` for the end of the item.
        var end = MediaTime.invalid

        /// Returns whether the loop overlaps the item, as far as the end of the item is known.
        func fits(_ item: PlayerItem) -> Bool {
            guard let film = item.seekableTimeRanges.first else { return true }
            return start < film.end && (!end.isNumeric || end > film.start)
        }

        /// Returns the times at which reverse and forward playback end; `invalid` for the start or
        /// the end of the item.
        func bounds(in item: PlayerItem) -> (start: MediaTime, end: MediaTime) {
            guard left != 0, fits(item) else { return (.invalid, .invalid) }
            let film = item.seekableTimeRanges.first
            return (
                start > film?.start ?? .zero ? start : .invalid,
                film.map { end < $0.end } ?? true ? end : .invalid
            )
        }

        /// Returns the time at which an iteration begins when played at a rate.
        func firstTime(in item: PlayerItem, rate: Double) -> MediaTime {
            guard rate < 0 else { return start }
            let ends = [end, item.end].filter(\.isNumeric)
            return ends.min() ?? .zero
        }

        /// Returns whether the loop has the same bounds as `other`.
        func isBound(as other: Loop) -> Bool {
            (left != 0) == (other.left != 0) && start == other.start && end == other.end
        }
    }
}
