// SPDX-License-Identifier: Apache-2.0

/// The numbers of what has happened in histories.
package struct PlaybackTally: Sendable {
    package var events = 0
    package var stalls = 0
    package var rounds = 0
    package var declaredStarts = 0
    package var trackSwitches = 0
    /// The frames of tracks that were compared by their numbers, and the samples.
    package var frames = 0
    package var samples = 0

    package init() {}

    package static func += (tally: inout PlaybackTally, other: PlaybackTally) {
        tally.events += other.events
        tally.stalls += other.stalls
        tally.rounds += other.rounds
        tally.declaredStarts += other.declaredStarts
        tally.trackSwitches += other.trackSwitches
        tally.frames += other.frames
        tally.samples += other.samples
    }
}
