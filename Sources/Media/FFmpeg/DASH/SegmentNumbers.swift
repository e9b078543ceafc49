// SPDX-License-Identifier: Apache-2.0

/// The sequence numbers of a live presentation's segments, which an MPD does not state.
///
/// A segment keeps its number while others leave and join the presentation, and when it is opened
/// again. It is recognised by the time at which it begins.
///
/// - Concurrency: a value.
struct SegmentNumbers: Sendable, Hashable {
    private var first: Int64 = 0
    private var starts: [Int64] = []

    /// The maximum distance between two times of the same segment, in microseconds.
    private static let tolerance: Int64 = 10_000

    /// Records the times of the segments that are listed, in order, and returns the number of the
    /// first one.
    mutating func take(_ listed: [Int64]) -> Int64 {
        guard let start = listed.first else { return first }
        if let oldest = starts.first, start < oldest - Self.tolerance {
            // Earlier segments are listed again.
            first -= Int64(listed.firstIndex { $0 >= oldest - Self.tolerance } ?? listed.count)
        } else {
            let index = starts.firstIndex { $0 >= start - Self.tolerance } ?? starts.count
            first += Int64(index)
        }
        first = max(first, 0)
        starts = listed
        return first
    }
}
