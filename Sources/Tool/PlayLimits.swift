// SPDX-License-Identifier: Apache-2.0

import Playhead

/// When playing ends before the film does: `--duration` and `--frames`.
struct PlayLimits {
    private let end: MediaTime?
    private let frames: Int?

    init(_ options: PlayCommand) {
        let start = options.start?.time ?? .zero
        end = options.duration.map { start + $0.time }
        frames = options.frames
    }

    /// Whether a playhead at `time`, with so many frames shown, has come far enough.
    func areReached(at time: MediaTime, presented: Int) -> Bool {
        if let frames, presented >= frames { return true }
        if let end, time >= end { return true }
        return false
    }
}
