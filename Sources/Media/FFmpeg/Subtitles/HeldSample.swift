// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// The last sample of a text track, as long as its end is not known, and the cues that the decoder
/// of the track returns next.
///
/// - Concurrency: a value; any thread.
struct HeldSample<Contents: Sendable>: Sendable {
    /// Returns the cues of a sample that is shown in a time range; nil if its end is unknown.
    typealias Cues = (TextSample<Contents>, MediaTimeRange?) -> [SubtitleCue]

    private var sample: TextSample<Contents>?
    private var cues: [SubtitleCue] = []

    /// The time at which the first cue begins that the decoder has not returned; nil if it has
    /// returned all.
    var start: MediaTime? { cues.first?.timeRange.start ?? sample?.start }

    /// Ends the sample that is held.
    ///
    /// - Parameter next: The start of the next sample; nil at the end of the track.
    mutating func end(at next: MediaTime?, _ cues: Cues) {
        guard let sample else { return }
        self.cues += cues(sample, sample.range(until: next))
        self.sample = nil
    }

    /// Adds the cues of a sample, or holds the sample if its end is not known.
    mutating func add(_ sample: TextSample<Contents>, _ cues: Cues) {
        if let range = sample.range {
            append(cues(sample, range))
        } else {
            self.sample = sample
        }
    }

    /// Adds cues to those that the decoder returns next.
    mutating func append(_ cues: [SubtitleCue]) { self.cues += cues }

    /// Removes the cues that the decoder returns.
    mutating func take() -> [SubtitleCue] {
        defer { cues = [] }
        return cues
    }
}
