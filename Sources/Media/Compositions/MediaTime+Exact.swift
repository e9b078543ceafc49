// SPDX-License-Identifier: Apache-2.0

package import PlayheadTime

/// Arithmetic that throws an error if a `MediaTime` cannot express the result without rounding.
extension MediaTime {
    /// The time, marked as exact. An edit detects only its own rounding, not earlier rounding of
    /// the times that it receives.
    var takenAsExact: MediaTime {
        guard isNumeric else { return self }
        return MediaTime(value: value, timescale: timescale, epoch: epoch)
    }

    /// Returns the exact sum.
    package func adding(_ other: MediaTime) throws(CompositionError) -> MediaTime {
        try (self + other).unlessRounded()
    }

    /// Returns the exact difference.
    package func subtracting(_ other: MediaTime) throws(CompositionError) -> MediaTime {
        try (self - other).unlessRounded()
    }

    /// Returns the time in `target` that corresponds to this one in `source`, exactly. The target
    /// may be empty.
    package func exactlyMapped(
        from source: MediaTimeRange, to target: MediaTimeRange
    ) throws(CompositionError) -> MediaTime {
        if source.duration == target.duration {
            if source.start == target.start { return self }
            return try adding(try target.start.subtracting(source.start))
        }
        guard let time = ExactSeconds(self), let first = ExactSeconds(source.start),
            let length = ExactSeconds(source.duration),
            let start = ExactSeconds(target.start),
            let targetLength = ExactSeconds(target.duration),
            let offset = time.minus(first)?.scaled(by: targetLength, over: length),
            let result = start.plus(offset)?.time(preferring: target.duration.timescale)
        else { throw .notExact(at: self) }
        return result
    }

    private func unlessRounded() throws(CompositionError) -> MediaTime {
        guard isNumeric, !hasBeenRounded else { throw .notExact(at: self) }
        return self
    }
}

extension MediaTimeRange {
    /// Returns the range between two times, with an exact duration.
    package static func exact(
        from start: MediaTime, to end: MediaTime
    ) throws(CompositionError) -> MediaTimeRange {
        MediaTimeRange(start: start, duration: try end.subtracting(start))
    }

    /// The range, with times marked as exact.
    var takenAsExact: MediaTimeRange {
        MediaTimeRange(start: start.takenAsExact, duration: duration.takenAsExact)
    }
}
