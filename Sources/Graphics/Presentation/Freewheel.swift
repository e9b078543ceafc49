// SPDX-License-Identifier: Apache-2.0

import PlayheadTime

/// Decides when drawing pauses: half a second after the last frame that looked different.
///
/// - Concurrency: a value that belongs to the render thread.
struct Freewheel {
    /// The time for which frames must look equal before drawing pauses: fifteen frames of a video
    /// at 30 fps, so that drawing does not pause between the frames of a playing video.
    static let idleDuration = MediaTime(value: 1, timescale: 2)
    /// The interval between a notification and the frame that it announces. It is longer than the
    /// longest vsync interval plus the time that a display's driver and a thread take to wake.
    static let advanceInterval = MediaTime(value: 1, timescale: 10)

    /// The time when a frame last looked different, or when drawing last started.
    private var lastChange: MediaTime?

    /// Restarts drawing.
    mutating func begin() { lastChange = nil }

    /// Returns whether drawing pauses after the frame of a given time.
    mutating func rests(at timestamp: MediaTime, hasChanged: Bool) -> Bool {
        guard let last = lastChange, !hasChanged else {
            lastChange = timestamp
            return false
        }
        return timestamp - last >= Self.idleDuration
    }
}
