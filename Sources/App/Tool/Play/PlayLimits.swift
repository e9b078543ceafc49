// SPDX-License-Identifier: Apache-2.0

import PlayheadUI

/// The limits of a run: `--duration` for each file, and `--frames` for the whole run.
struct PlayLimits {
    /// The start of the current file.
    private var start: MediaTime
    /// The start time of files without a saved position.
    private let usualStart: MediaTime
    private let duration: MediaTime?
    private let frames: Int?
    /// The duration that was played in completed rounds of `--loop`.
    private var earlierRounds = MediaTime.zero

    init(_ options: PlayOptions) {
        usualStart = options.start?.time ?? .zero
        start = usualStart
        duration = options.duration?.time
        frames = options.frames
    }

    /// Resets the limits for another file, which starts at its saved position if there is one.
    mutating func beginFilm(at time: MediaTime? = nil) {
        start = time ?? usualStart
        earlierRounds = .zero
    }

    /// Counts a completed round that ended at `time`.
    mutating func beginRound(after time: MediaTime) {
        earlierRounds = earlierRounds + (time - start).magnitude
    }

    /// Returns whether the current file has played for `--duration` at a time.
    func isDurationReached(at time: MediaTime) -> Bool {
        guard let duration else { return false }
        return earlierRounds + (time - start).magnitude >= duration
    }

    /// Returns whether enough frames have been shown.
    func areFramesReached(_ presented: Int) -> Bool {
        frames.map { presented >= $0 } ?? false
    }
}
