// SPDX-License-Identifier: Apache-2.0

import Playhead

/// When playing ends before the films do: `--duration`, of each film, and `--frames`, of the run.
struct PlayLimits {
    private let start: MediaTime
    private let duration: MediaTime?
    private let frames: Int?
    /// How much of the film has been played in rounds of `--loop` that are over.
    private var earlierRounds = MediaTime.zero

    init(_ options: PlayCommand) {
        start = options.start?.time ?? .zero
        duration = options.duration?.time
        frames = options.frames
    }

    /// Another film begins.
    mutating func beginFilm() { earlierRounds = .zero }

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
