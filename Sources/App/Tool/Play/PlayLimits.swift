// SPDX-License-Identifier: Apache-2.0

import PlayheadUI

/// When playing ends before the films do: `--duration`, of each film, and `--frames`, of the run.
struct PlayLimits {
    /// Where the film began.
    private var start: MediaTime
    /// Where films begin that were not left elsewhere.
    private let usualStart: MediaTime
    private let duration: MediaTime?
    private let frames: Int?
    /// How much of the film has been played in rounds of `--loop` that are over.
    private var earlierRounds = MediaTime.zero

    init(_ options: PlayCommand) {
        usualStart = options.start?.time ?? .zero
        start = usualStart
        duration = options.duration?.time
        frames = options.frames
    }

    /// Another film begins, at a time of its own where it was left there.
    mutating func beginFilm(at time: MediaTime? = nil) {
        start = time ?? usualStart
        earlierRounds = .zero
    }

    /// The film has come to its end, at `time`, and begins anew.
    mutating func beginRound(after time: MediaTime) {
        earlierRounds = earlierRounds + (time - start).magnitude
    }

    /// Whether a playhead at `time` has played enough of its film.
    func isDurationReached(at time: MediaTime) -> Bool {
        guard let duration else { return false }
        return earlierRounds + (time - start).magnitude >= duration
    }

    /// Whether enough frames have been shown.
    func areFramesReached(_ presented: Int) -> Bool {
        frames.map { presented >= $0 } ?? false
    }
}
