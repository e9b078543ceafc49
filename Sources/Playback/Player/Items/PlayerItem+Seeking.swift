// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadBuffers
import PlayheadThreads
public import PlayheadTime

extension PlayerItem {
    /// Seeks near a time as fast as possible. The seek lands on the keyframe at or before the time,
    /// as with infinite tolerances.
    ///
    /// - Parameters:
    ///   - time: The target; see `seek(to:toleranceBefore:toleranceAfter:completion:)`.
    ///   - completion: Called once; see that method.
    /// - Corresponds to: `AVPlayerItem.seek(to:completionHandler:)`.
    public func seek(to time: MediaTime, completion: (@Sendable (Bool) -> Void)? = nil) {
        seek(
            to: time, toleranceBefore: .positiveInfinity, toleranceAfter: .positiveInfinity,
            completion: completion)
    }

    /// Seeks to a time, or near it within tolerances. If both tolerances are zero, the seek lands
    /// on the exact frame.
    ///
    /// The seek lands on the keyframe at or before `time` if that keyframe is within the tolerance.
    /// If it is not, but the container's index shows that the next keyframe is, the seek lands on
    /// the next keyframe. If neither is within the tolerance, frames are decoded from the earlier
    /// keyframe on, and the seek lands on the first frame within the tolerance. The larger the
    /// tolerances are, the faster the seek is.
    ///
    /// `currentTime` is set to `time` immediately. After the landing, it is the start of the frame
    /// that the seek landed on, or `time` if that frame covers it.
    ///
    /// The visible frame stays until the new one is decoded. A newer seek replaces this one. If
    /// seeks arrive faster than they land, as during scrubbing, frames on the way are shown, each
    /// nearer to the newest target than the previous one. The exact frame is shown after the last
    /// seek, and only then is the completion called with true.
    ///
    /// - Parameters:
    ///   - time: The target. It is clamped to the item's start; beyond the item's end, the last
    ///     frame is shown. In a live stream, it is clamped to the window (`seekableTimeRanges`). A
    ///     time at or after the live edge, or `positiveInfinity`, stands for the live edge minus
    ///     `configuredTimeOffsetFromLive`.
    ///   - toleranceBefore: The maximum time before `time` at which the seek may land. A negative
    ///     value counts as zero, and so does a value that is not numeric, except positive infinity.
    ///   - toleranceAfter: The maximum time after `time` at which the seek may land. The same rules
    ///     apply.
    ///   - completion: Called once. The argument is true when the frame of the new time is decoded.
    ///     It is false if a newer seek replaced this one, the seek was cancelled
    ///     (`cancelPendingSeeks()`), the file could not be read there, or the item failed or ended.
    ///     The completion runs on a thread of the item, or within the call that ends the seek,
    ///     which may be this call. Do not make such a call while holding a lock that the completion
    ///     takes. If the time is invalid, indefinite or infinite, the completion is called with
    ///     false immediately, and the call has no effect, except for `positiveInfinity` in a live
    ///     stream whose window is known.
    /// - Corresponds to: `AVPlayerItem.seek(to:toleranceBefore:toleranceAfter:completionHandler:)`.
    public func seek(
        to time: MediaTime, toleranceBefore: MediaTime, toleranceAfter: MediaTime,
        completion: (@Sendable (Bool) -> Void)? = nil
    ) {
        guard time.isNumeric || time.isPositiveInfinity else {
            completion?(false)
            return
        }
        pipeline.request(
            Seek(
                target: max(time, pipeline.firstTime),
                toleranceBefore: Self.tolerance(toleranceBefore),
                toleranceAfter: Self.tolerance(toleranceAfter), completion: completion))
    }

    private static func tolerance(_ time: MediaTime) -> MediaTime {
        time.isPositiveInfinity || (time.isNumeric && time > .zero) ? time : .zero
    }

    /// Cancels the pending seeks. Their completions are called with false, and the playhead returns
    /// to its position before the first of them. An item that was playing continues from there.
    ///
    /// `currentTime` is set to that position immediately. The last frame that was shown on the way
    /// stays until the frame of that position is decoded again. Steps that waited for the seeks are
    /// cancelled too. A seek of an item that is not open yet is discarded.
    ///
    /// Completions are called on the calling thread, before this method returns.
    ///
    /// - Concurrency: any thread.
    /// - Corresponds to: `AVPlayerItem.cancelPendingSeeks()`.
    public func cancelPendingSeeks() { pipeline.post(.cancelSeeks) }

    /// Seeks near a time as fast as possible. Returns false if a newer seek replaced this one, the
    /// seek was cancelled (`cancelPendingSeeks()`), the item failed, or the task was cancelled,
    /// which ends the wait but not the seek.
    ///
    /// This method also waits until the item is given to a player. In asynchronous functions, the
    /// compiler prefers this method. For a first seek, before the item has a player, call
    /// `seek(to: time, completion: nil)`.
    @discardableResult
    public func seek(to time: MediaTime) async -> Bool {
        await seek(
            to: time, toleranceBefore: .positiveInfinity, toleranceAfter: .positiveInfinity)
    }

    /// Seeks to a time within tolerances. It waits and returns false like `seek(to:)`.
    @discardableResult
    public func seek(
        to time: MediaTime, toleranceBefore: MediaTime, toleranceAfter: MediaTime
    ) async -> Bool {
        await waitForCompletion(orCancellation: false) { completion in
            seek(
                to: time, toleranceBefore: toleranceBefore, toleranceAfter: toleranceAfter,
                completion: completion)
        }
    }

    /// Steps by whole frames while paused: to the start of a later or an earlier frame, exactly,
    /// regardless of the durations of the frames. The step is limited to the first and the last
    /// frame.
    ///
    /// Steps add up: a step that is requested during other steps or a seek is performed after them,
    /// once their frames are decoded. A new seek or resumed playback cancels them. While the item
    /// plays or waits to play, steps are ignored.
    ///
    /// - Corresponds to: `AVPlayerItem.step(byCount:)`.
    public func step(byCount count: Int) {
        // More frames than any video has, and small enough that sums do not overflow.
        let limit = 1 << 32
        pipeline.post(.step(min(max(count, -limit), limit)))
    }
}
