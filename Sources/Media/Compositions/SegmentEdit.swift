// SPDX-License-Identifier: Apache-2.0

import PlayheadTime

/// An edit of segments. Its times are on a composition's timeline.
struct SegmentEdit: Sendable {
    private let range: MediaTimeRange
    private let change: Change

    private enum Change {
        case insertEmpty
        case remove
        case scale(MediaTime)
    }

    private init(_ range: MediaTimeRange, _ change: Change) throws(CompositionError) {
        try range.requirePlace()
        self.range = range.takenAsExact
        self.change = change
    }

    static func insertEmpty(_ range: MediaTimeRange) throws(CompositionError) -> SegmentEdit {
        try SegmentEdit(range, .insertEmpty)
    }

    static func remove(_ range: MediaTimeRange) throws(CompositionError) -> SegmentEdit {
        try SegmentEdit(range, .remove)
    }

    static func scale(
        _ range: MediaTimeRange, toDuration duration: MediaTime
    ) throws(CompositionError) -> SegmentEdit {
        for length in [range.duration, duration] {
            guard length.isNumeric, length > .zero, length.epoch == 0 else {
                throw .badDuration(MediaTimeRange(start: range.start, duration: length))
            }
        }
        return try SegmentEdit(range, .scale(duration.takenAsExact))
    }

    func splice(of list: SegmentList) throws(CompositionError) -> SegmentList.Splice {
        switch change {
        case .insertEmpty:
            let place = MediaTimeRange(start: range.start, duration: .zero)
            let length = MediaTimeRange(start: .zero, duration: range.duration)
            return try list.splice(
                replacing: place,
                with: range.isEmpty ? [] : [CompositionTrackSegment(emptyTimeRange: length)])
        case .remove: return try list.splice(replacing: range, with: [])
        case .scale(let duration): return try list.scale(range, toDuration: duration)
        }
    }
}
