// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The newest timeline of a live stream. All openings of an asset share it, so that their times
/// agree although they begin at different segments.
///
/// - Concurrency: any thread.
final class LiveTimelineStore: Sendable {
    private let state = Mutex<LiveTimeline?>(nil)
    /// The numbers of a presentation's segments by track, and those of its periods.
    private let numbers = Mutex<(segments: [Int: SegmentNumbers], periods: SegmentNumbers)>(
        ([:], SegmentNumbers()))

    var timeline: LiveTimeline? {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }

    /// Returns the numbers of the first segment and of the first period that are listed.
    func numbers(
        ofTrack track: Int, starts: [Int64], periods: [Int64]
    ) -> (segment: Int64, period: Int64) {
        numbers.withLock { numbers in
            (
                numbers.segments[track, default: SegmentNumbers()].take(starts),
                numbers.periods.take(periods)
            )
        }
    }
}
