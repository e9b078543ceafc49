// SPDX-License-Identifier: Apache-2.0

import PlayheadPlayback
import PlayheadTime
import Synchronization

extension HostedPlayer.Control {
    /// Whether an item is what is open, and has another round to play.
    func hasRounds(of item: PlayerItem) -> Bool {
        film?.item === item && loop.left != 0 && loop.fits(item)
    }
}

extension HostedPlayer {
    /// How far a film is at its end.
    enum Ending {
        case none
        /// The next round of its loop is about to begin.
        case betweenRounds
        /// It stays there.
        case reached
    }

    func ending(of item: PlayerItem) -> Ending {
        // Before the item's state: an end that comes, and is answered, in between is known to neither.
        let (isTurning, hasRounds, heardEnds) = control.withLock { control in
            let film = control.film?.item === item ? control.film : nil
            return (
                film?.isTurning == true, control.hasRounds(of: item), film?.heardEnds ?? 0
            )
        }
        if isTurning { return .betweenRounds }
        let state = item.state
        guard state.hasPlayedToEnd else { return .none }
        return hasRounds && state.playedToEndCount > heardEnds ? .betweenRounds : .reached
    }

    /// Rounds that are left to play.
    struct Loop {
        /// Of fewer nanoseconds a loop is none: it would not get beyond beginning.
        static let shortest: Int64 = 1_000_000

        /// −1 for ever.
        var left: Int32 = 0
        var done: Int64 = 0
        var start = MediaTime.zero
        /// `invalid` for the film's end.
        var end = MediaTime.invalid

        /// Whether any of the film lies in it, as far as is known: rounds of nothing would end as soon as
        /// they begin.
        func fits(_ item: PlayerItem) -> Bool {
            guard let film = item.seekableTimeRanges.first else { return true }
            return start < film.end && (!end.isNumeric || end > film.start)
        }

        /// Where playback ends on its account, backwards and forwards: `invalid` for where the film does.
        func bounds(in item: PlayerItem) -> (start: MediaTime, end: MediaTime) {
            guard left != 0, fits(item) else { return (.invalid, .invalid) }
            let film = item.seekableTimeRanges.first
            return (
                start > film?.start ?? .zero ? start : .invalid,
                film.map { end < $0.end } ?? true ? end : .invalid
            )
        }

        /// Where a round begins that is played at a rate.
        func firstTime(in item: PlayerItem, rate: Double) -> MediaTime {
            guard rate < 0 else { return start }
            let ends = [end, item.end].filter(\.isNumeric)
            return ends.min() ?? .zero
        }

        /// Whether playback ends where it does with `other`.
        func isBound(as other: Loop) -> Bool {
            (left != 0) == (other.left != 0) && start == other.start && end == other.end
        }
    }
}
