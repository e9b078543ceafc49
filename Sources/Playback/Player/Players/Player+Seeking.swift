// SPDX-License-Identifier: Apache-2.0

public import PlayheadTime

/// Seeking in the current item. Without a current item, completions are called with false
/// immediately.
extension Player {
    /// Seeks near a time in the current item as fast as possible.
    ///
    /// - Corresponds to: `AVPlayer.seek(to:completionHandler:)`.
    public func seek(to time: MediaTime, completion: (@Sendable (Bool) -> Void)? = nil) {
        guard let item = currentItem else {
            completion?(false)
            return
        }
        item.seek(to: time, completion: completion)
    }

    /// Seeks to a time within tolerances in the current item; see the method of `PlayerItem`.
    ///
    /// - Corresponds to: `AVPlayer.seek(to:toleranceBefore:toleranceAfter:completionHandler:)`.
    public func seek(
        to time: MediaTime, toleranceBefore: MediaTime, toleranceAfter: MediaTime,
        completion: (@Sendable (Bool) -> Void)? = nil
    ) {
        guard let item = currentItem else {
            completion?(false)
            return
        }
        item.seek(
            to: time, toleranceBefore: toleranceBefore, toleranceAfter: toleranceAfter,
            completion: completion)
    }

    /// Seeks near a time in the current item. Returns false if there is no item, a newer seek
    /// replaced this one, the seek was cancelled (`PlayerItem.cancelPendingSeeks()`), the item
    /// failed, or the task was cancelled, which ends the wait but not the seek.
    @discardableResult
    public func seek(to time: MediaTime) async -> Bool {
        await currentItem?.seek(to: time) ?? false
    }

    /// Seeks to a time within tolerances in the current item. Returns false in the same cases as
    /// `seek(to:)`.
    @discardableResult
    public func seek(
        to time: MediaTime, toleranceBefore: MediaTime, toleranceAfter: MediaTime
    ) async -> Bool {
        await currentItem?.seek(
            to: time, toleranceBefore: toleranceBefore, toleranceAfter: toleranceAfter) ?? false
    }
}
