// SPDX-License-Identifier: Apache-2.0

import PlayheadTime

/// Decides when drawing rests: half a second after the last frame that looked any different.
///
/// - Concurrency: a value, of the render thread's.
struct Freewheel {
    /// How long frames may stay the same: fifteen frames of a film at 30 fps, so that no film that
    /// plays rests between its frames.
    static let patience = MediaTime(value: 1, timescale: 2)
    /// How early to hear of the next picture: more than the longest vsync, and the time that a
    /// display's driver and a thread take to wake up.
    static let advanceInterval = MediaTime(value: 1, timescale: 10)

    /// When a frame last looked different, or drawing last began.
    private var lastChange: MediaTime?

    /// Drawing begins again.
    mutating func begin() { lastChange = nil }

    /// Whether drawing rests after a frame.
    mutating func rests(at timestamp: MediaTime, hasChanged: Bool) -> Bool {
        guard let last = lastChange, !hasChanged else {
            lastChange = timestamp
            return false
        }
        return timestamp - last >= Self.patience
    }
}
