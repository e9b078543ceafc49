// SPDX-License-Identifier: Apache-2.0

public import PlayheadAssets
public import PlayheadTime

/// A piece that an edit inserts into a track: a range of another track, or an empty range.
///
/// - Concurrency: a value; any thread.
/// - Corresponds to: the parallel arrays of `insertTimeRanges(_:of:at:)`, where `NSNull` with a
///   range of invalid start is an empty piece.
public enum CompositionPiece: Sendable {
    /// A range of a track of an asset, at its natural rate. The range must be within the asset and
    /// overlap the track. Any part of the range outside of the track becomes empty.
    case media(Asset, track: AssetTrack, timeRange: MediaTimeRange)
    /// A range of a track of a composition: copies of its segments.
    case segments(CompositionTrack, timeRange: MediaTimeRange)
    /// An empty range with the given duration.
    case empty(duration: MediaTime)
}

extension CompositionPiece {
    /// Returns the segments of the piece. The first one begins at 0.
    func segments(
        for mediaType: MediaType
    ) throws(CompositionError) -> [CompositionTrackSegment] {
        switch self {
        case .media(let asset, let track, let timeRange):
            let source = CompositionSource(asset: asset, track: track)
            return try CompositionTrackSegment.segments(
                of: source, within: timeRange, for: mediaType, mayBeEmpty: false)
        case .segments(let track, let timeRange):
            let range = timeRange.takenAsExact
            let (type, list) = try track.content()
            guard type == mediaType else {
                throw .incompatible(type, with: mediaType, subject: "track \(track.trackID)")
            }
            try range.requireMedia()
            guard range.start >= .zero, range.end <= list.end else {
                throw .outside(
                    range, of: MediaTimeRange(start: .zero, duration: list.end),
                    subject: "the composition's track \(track.trackID)")
            }
            return try list.slice(range)
        case .empty(let duration):
            let range = MediaTimeRange(start: .zero, duration: duration.takenAsExact)
            guard duration.isNumeric, duration >= .zero, duration.epoch == 0 else {
                throw .badDuration(range)
            }
            return duration == .zero ? [] : [CompositionTrackSegment(emptyTimeRange: range)]
        }
    }

    /// Returns the segments of several pieces, one after another.
    static func segments(
        of pieces: [CompositionPiece], for mediaType: MediaType
    ) throws(CompositionError) -> [CompositionTrackSegment] {
        var result: [CompositionTrackSegment] = []
        for piece in pieces {
            let position = result.last?.targetRange.end ?? .zero
            for segment in try piece.segments(for: mediaType) {
                result.append(try segment.moved(by: position))
            }
        }
        return result
    }
}

extension CompositionTrackSegment {
    /// Returns a range of a source's track as segments that begin at 0. They are empty where the
    /// track has no media.
    static func segments(
        of source: CompositionSource, within timeRange: MediaTimeRange, for mediaType: MediaType,
        mayBeEmpty: Bool
    ) throws(CompositionError) -> [CompositionTrackSegment] {
        try source.requireUsable(for: mediaType)
        let range = timeRange.takenAsExact
        try range.requireMedia()
        let rangeEnd = try range.start.adding(range.duration)
        if let insertable = source.insertableRange, !insertable.contains(range) {
            throw .outside(range, of: insertable, subject: source.subject)
        }
        let (start, end) =
            source.mediaRange.map { (max($0.start, range.start), min($0.end, rangeEnd)) }
            ?? (range.start, rangeEnd)
        guard start < end else {
            if !mayBeEmpty, let media = source.mediaRange {
                throw .outside(
                    range, of: media, subject: "\(source.subject), track \(source.track.id)")
            }
            return [
                CompositionTrackSegment(
                    emptyTimeRange: MediaTimeRange(start: .zero, duration: range.duration))
            ]
        }
        let edges = [range.start, start, end, rangeEnd]
        var result: [CompositionTrackSegment] = []
        for (index, (first, last)) in zip(edges, edges.dropFirst()).enumerated()
        where first < last {
            let target = MediaTimeRange(
                start: try first.subtracting(range.start),
                duration: try last.subtracting(first))
            let part = MediaTimeRange(start: first, duration: target.duration)
            result.append(
                index == 1
                    ? CompositionTrackSegment(
                        source: source, MediaTimeMapping(source: part, target: target))
                    : CompositionTrackSegment(emptyTimeRange: target))
        }
        return result
    }
}

extension CompositionSource {
    /// - Throws: an error unless parts of the source can be inserted into a track of the media
    ///   type.
    func requireUsable(for mediaType: MediaType) throws(CompositionError) {
        guard track.mediaType == mediaType else {
            throw .incompatible(track.mediaType, with: mediaType, subject: subject)
        }
        guard !track.isEncrypted else {
            throw CompositionError(
                .protectedMedia, subject: subject, cause: "its track \(track.id) is encrypted",
                remedy: "use an unencrypted copy")
        }
    }
}

extension MediaTimeRange {
    /// - Throws: an error unless the start and the duration are numbers and the duration is
    ///   positive.
    func requireMedia() throws(CompositionError) {
        guard start.isNumeric, start.epoch == 0 else {
            throw CompositionError(
                .invalidSourceStart, cause: "the range begins at \(start), which is not a number",
                remedy: "use a range within the media", time: start)
        }
        guard duration.isNumeric, duration > .zero, duration.epoch == 0 else {
            throw .badDuration(self)
        }
    }

    /// - Throws: an error unless the range can be on a composition's timeline.
    func requirePlace() throws(CompositionError) {
        try start.requirePlace()
        guard duration.isNumeric, duration >= .zero, duration.epoch == 0 else {
            throw .badDuration(self)
        }
    }
}

extension MediaTimeRange {
    /// The range in seconds, for error texts: `1.5 s to 6 s`.
    fileprivate var inSeconds: String { "\(start.inSeconds) to \(end.inSeconds)" }
}

extension MediaTime {
    /// The time in seconds, rounded to microseconds: `1.5 s`.
    fileprivate var inSeconds: String {
        guard isNumeric else { return description }
        var digits = description.prefix { $0 != " " }.drop { $0 == "~" }
        while digits.last == "0" { digits.removeLast() }
        if digits.last == "." { digits.removeLast() }
        return String(digits) + " s"
    }

    /// - Throws: an error unless the time can be on a composition's timeline.
    func requirePlace() throws(CompositionError) {
        guard isNumeric, self >= .zero, epoch == 0 else { throw .negativeTime(self) }
    }
}

extension CompositionError {
    static func outside(
        _ range: MediaTimeRange, of media: MediaTimeRange, subject: String
    ) -> CompositionError {
        // Ranges that differ by less than a microsecond are shown exactly.
        let isExact = range.inSeconds == media.inSeconds
        let (found, expected) =
            isExact ? ("\(range)", "\(media)") : (range.inSeconds, media.inSeconds)
        return CompositionError(
            .sourceRangeOutsideMedia, subject: subject,
            cause: "the range \(found) is outside the media",
            remedy: "use a range within \(expected)",
            time: range.start)
    }

    static func incompatible(
        _ type: MediaType, with other: MediaType, subject: String
    ) -> CompositionError {
        CompositionError(
            .incompatibleMedia, subject: subject,
            cause: "\(type.rawValue) cannot be inserted into a track of type \(other.rawValue)",
            remedy: "use a track of type \(type.rawValue)")
    }
}
