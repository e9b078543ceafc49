// SPDX-License-Identifier: Apache-2.0

import PlayheadPlayback
import PlayheadTime

extension HostedPlayer.Control {
    /// Whether an item is what is open, and has another round to play.
    func hasRounds(of item: PlayerItem) -> Bool {
        film?.item === item && loop.left != 0 && loop.fits(item)
    }
}

extension HostedPlayer {
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

        /// Whether playback ends where it does with `other`.
        func isBound(as other: Loop) -> Bool {
            (left != 0) == (other.left != 0) && start == other.start && end == other.end
        }
    }
}
