// SPDX-License-Identifier: Apache-2.0

package import PlayheadTime

/// Two audio tracks whose clips overlap during transitions, in which one becomes silent and the
/// other one audible.
///
/// - Concurrency: a value; any thread.
package struct AudioCrossfade: Sendable, Hashable {
    /// The two tracks. The first is heard first.
    package var trackIDs: [Int]
    /// The transitions, in the order of their times. Each changes to the other track.
    package var timeRanges: [MediaTimeRange]

    /// Creates a description of crossfades.
    package init(trackIDs: [Int], timeRanges: [MediaTimeRange]) {
        self.trackIDs = trackIDs
        self.timeRanges = timeRanges
    }
}
