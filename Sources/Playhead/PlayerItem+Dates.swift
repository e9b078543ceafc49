// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
public import PlayheadPlayback

/// Dates of HLS streams (`EXT-X-PROGRAM-DATE-TIME`) and of DASH presentations
/// (`availabilityStartTime`).
extension PlayerItem {
    /// The date of the media at the playhead; nil if the stream states no dates, or none for this
    /// part of it.
    ///
    /// - Concurrency: any thread.
    /// - Corresponds to: `AVPlayerItem.currentDate()`.
    public var currentDate: Date? { secondsSince1970.map { Date(timeIntervalSince1970: $0) } }

    /// Seeks near a date as fast as possible, as `seek(to:completion:)` seeks near a time. If
    /// nothing was broadcast at the date, the seek moves to the next date with media. If a date
    /// occurs twice, the first occurrence counts.
    ///
    /// - Parameters:
    ///   - date: The date. In a live stream, a date at the live edge stands for the live edge minus
    ///     `configuredTimeOffsetFromLive`.
    ///   - completion: Called once; see `seek(to:toleranceBefore:toleranceAfter:completion:)`. If
    ///     this method returns false, it is called with false immediately.
    /// - Returns: A Boolean value that indicates whether the stream has this date. It is false
    ///   before the item is ready.
    /// - Concurrency: any thread.
    /// - Corresponds to: `AVPlayerItem.seek(to:completionHandler:)` with a `Date`.
    @discardableResult
    public func seek(to date: Date, completion: (@Sendable (Bool) -> Void)? = nil) -> Bool {
        seek(toSecondsSince1970: date.timeIntervalSince1970, completion: completion)
    }
}
