// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The newest timeline of a live stream. All openings of an asset share it, so that their times
/// agree although they begin at different segments.
///
/// - Concurrency: any thread.
final class LiveTimelineStore: Sendable {
    private let state = Mutex<LiveTimeline?>(nil)
    /// The numbers of a presentation's segments, and those of its periods. The variants have the
    /// same segments.
    private let numbers = Mutex<(segments: [Use: SegmentNumbers], periods: SegmentNumbers)>(
        ([:], SegmentNumbers()))
    private let tracks = Mutex<[MediaPresentation.Period.Track]>([])
    private let starts = Mutex<[String: Int64]>([:])

    typealias Use = MediaPresentation.Period.Track.Use

    var timeline: LiveTimeline? {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }

    /// Returns the numbers of the first segment and of the first period that are listed.
    func numbers(
        of use: Use, starts: [Int64], periods: [Int64]
    ) -> (segment: Int64, period: Int64) {
        numbers.withLock { numbers in
            (
                numbers.segments[use, default: SegmentNumbers()].take(starts),
                numbers.periods.take(periods)
            )
        }
    }

    /// Returns the number of the first period that is listed.
    func firstNumber(ofPeriods starts: [Int64]) -> Int64 {
        numbers.withLock { $0.periods.take(starts) }
    }

    /// The beginnings of the periods of the newest version of a presentation, by identifier.
    var periodStarts: [String: Int64] {
        get { starts.withLock { $0 } }
        set { starts.withLock { $0 = newValue } }
    }

    /// The tracks of the period of a presentation that was opened first.
    var presentationTracks: [MediaPresentation.Period.Track] {
        get { tracks.withLock { $0 } }
        set { tracks.withLock { $0 = newValue } }
    }
}
