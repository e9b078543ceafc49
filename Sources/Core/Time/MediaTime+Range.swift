// SPDX-License-Identifier: Apache-2.0

/// Times in relation to ranges.
extension MediaTime {
    /// Returns the time in `range` that is nearest to this time. The end counts as part of the
    /// range. Returns `invalid` if the range is empty or either value is invalid.
    ///
    /// - Corresponds to: `CMTimeClampToRange`.
    public func clamped(to range: MediaTimeRange) -> MediaTime {
        guard isValid, range.isValid, !range.isEmpty else { return .invalid }
        return min(max(self, range.start), range.end)
    }

    /// Returns the time moved by whole durations of `range` until it is inside, as in a loop.
    ///
    /// A time before the range is moved forwards. To leave such a time unchanged, compare it with
    /// the start of the range before you call this method. Returns `invalid` if the range is empty,
    /// if the time is not numeric or has another epoch, or if the time precedes a range without
    /// end.
    ///
    /// - Corresponds to: `CMTimeFoldIntoRange`.
    package func folded(into range: MediaTimeRange) -> MediaTime {
        if range.contains(self) { return self }
        guard isNumeric, range.isValid, !range.isEmpty, range.start.isNumeric,
            range.duration.isNumeric, epoch == range.start.epoch
        else { return .invalid }
        // In units of the common denominator, which is below 2^93, all three are whole numbers
        // below 2^125.
        let scales = [timescale, range.start.timescale, range.duration.timescale]
        let denominator = scales.reduce(UInt128(1)) { common, scale in
            let scale = UInt128(UInt32(scale))
            return common / greatestCommonDivisor(common, scale) * scale
        }
        func units(_ time: MediaTime) -> Int128 {
            Int128(time.value) * (Int128(denominator) / Int128(time.timescale))
        }
        let (first, length) = (units(range.start), units(range.duration))
        var rest = (units(self) - first) % length
        if rest < 0 { rest += length }
        let result = MediaTime(
            ExactSeconds(
                isNegative: first + rest < 0, first: (first + rest).magnitude,
                divisor: denominator),
            preferring: scales.max() ?? timescale,
            flags: roundedFlag.union(range.start.roundedFlag).union(range.duration.roundedFlag),
            epoch: epoch)
        if range.contains(result) { return result }
        // Rounding may have moved the time out of the range.
        var start = range.start
        start.flags.insert(.hasBeenRounded)
        return start
    }

    /// Maps this time from `source` to `target`. The start of `source` maps to the start of
    /// `target`, the end of `source` to the end of `target`, and all other times linearly, even
    /// outside `source`.
    ///
    /// Returns `invalid` for empty ranges, and if the time and the start of the source have
    /// different epochs. Between two ranges without end, times move by the difference of the
    /// starts.
    ///
    /// - Corresponds to: `CMTimeMapTimeFromRangeToRange`.
    public func mapped(from source: MediaTimeRange, to target: MediaTimeRange) -> MediaTime {
        guard isValid, source.isValid, target.isValid, !source.isEmpty, !target.isEmpty,
            !isNumeric || epoch == source.start.epoch
        else { return .invalid }
        let offset = self - source.start
        return offset.scaled(from: source.duration, to: target.duration) + target.start
    }

    /// Returns the duration, scaled in the way that `mapped(from:to:)` scales distances. Returns
    /// `invalid` if the epoch is not 0 or the source is empty.
    ///
    /// - Corresponds to: `CMTimeMapDurationFromRangeToRange`.
    package func durationMapped(
        from source: MediaTimeRange, to target: MediaTimeRange
    ) -> MediaTime {
        guard isValid, source.isValid, target.isValid, !source.isEmpty, epoch == 0 else {
            return .invalid
        }
        return scaled(from: source.duration, to: target.duration)
    }

    /// Returns `self * (target / source)` for durations that are not negative. The result is exact
    /// if it fits.
    private func scaled(from source: MediaTime, to target: MediaTime) -> MediaTime {
        if source.isPositiveInfinity, target.isPositiveInfinity { return self }
        guard isValid, source.isNumeric, source.value > 0, target.isNumeric else {
            return .invalid
        }
        guard isNumeric else { return self }
        return MediaTime(
            ExactSeconds(
                isNegative: value < 0, first: UInt128(value.magnitude),
                second: UInt128(target.value.magnitude) * UInt128(UInt32(source.timescale)),
                divisor: UInt128(UInt32(timescale)) * UInt128(source.value.magnitude)
                    * UInt128(UInt32(target.timescale))),
            preferring: Swift.max(timescale, 1_000_000_000),
            flags: roundedFlag.union(source.roundedFlag).union(target.roundedFlag), epoch: 0)
    }
}
