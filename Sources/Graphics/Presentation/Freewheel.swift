// SPDX-License-Identifier: Apache-2.0

import PlayheadTime

/// Decides when drawing pauses: half a second after the last frame that looked different.
///
/// - Concurrency: a value, of the render thread.
struct Freewheel {
    /// The time for which frames must be equal: fifteen frames of a video at 30 fps, so that
    /// drawing does not pause between the frames of a video that plays.
    static let idleDuration = MediaTime(value: 1, timescale: 2)
    /// The interval between a notification and the next frame: more than the longest vsync
    /// interval and the time that a display's driver and a thread take to wake.
    static let advanceInterval = MediaTime(value: 1, timescale: 10)

    /// The time when a frame last looked different, or drawing last began.
    private var lastChange: MediaTime?

    /// Restarts drawing.
    mutating func begin() { lastChange = nil }

    /// Returns whether drawing pauses after a frame.
    mutating func rests(at timestamp: MediaTime, hasChanged: Bool) -> Bool {
        guard let last = lastChange, !hasChanged else {
            lastChange = timestamp
            return false
        }
        return timestamp - last >= Self.idleDuration
    }
}
