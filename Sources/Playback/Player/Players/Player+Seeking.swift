// SPDX-License-Identifier: Apache-2.0

public import PlayheadTime

/// Seeking the current item. Without one, completions are false at once.
extension Player {
    /// Moves the current item near a time, as fast as can be.
    ///
    /// - Corresponds to: `AVPlayer.seek(to:completionHandler:)`.
    public func seek(to time: MediaTime, completion: (@Sendable (Bool) -> Void)? = nil) {
        guard let item = currentItem else {
            completion?(false)
            return
        }
        item.seek(to: time, completion: completion)
    }

    /// Moves the current item to a time within tolerances; see the same of `PlayerItem`.
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

    /// Moves the current item near a time; false without one, when a newer seek came first, when it was
    /// cancelled (`PlayerItem.cancelPendingSeeks()`), when the item failed, or when the task was cancelled,
    /// which ends the wait and not the seek.
    @discardableResult
    public func seek(to time: MediaTime) async -> Bool {
        await currentItem?.seek(to: time) ?? false
    }

    /// Moves the current item to a time within tolerances; false likewise.
    @discardableResult
    public func seek(
        to time: MediaTime, toleranceBefore: MediaTime, toleranceAfter: MediaTime
    ) async -> Bool {
        await currentItem?.seek(
            to: time, toleranceBefore: toleranceBefore, toleranceAfter: toleranceAfter) ?? false
    }
}
