// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadBuffers
import PlayheadThreads
public import PlayheadTime

extension PlayerItem {
    /// Seeks near a time as fast as possible: to the keyframe at or before it, as with infinite
    /// tolerances.
    ///
    /// - Parameters:
    ///   - time: The target; see `seek(to:toleranceBefore:toleranceAfter:completion:)`.
    ///   - completion: Called once; see there.
    /// - Corresponds to: `AVPlayerItem.seek(to:completionHandler:)`.
    public func seek(to time: MediaTime, completion: (@Sendable (Bool) -> Void)? = nil) {
        seek(
            to: time, toleranceBefore: .positiveInfinity, toleranceAfter: .positiveInfinity,
            completion: completion)
    }

    /// Seeks to a time, or near it within tolerances; to the exact frame if both are zero.
    ///
    /// The seek lands on the keyframe at or before `time` if that is within the tolerance, else on
    /// the next keyframe if the container's index shows that it is, else on the first frame within
    /// the tolerance that is decoded from the keyframe on: the larger the tolerances, the faster.
    /// `currentTime` is `time` at once, and after the landing the start of the frame that it landed
    /// on; `time` itself if that frame covers it.
    ///
    /// The visible frame stays until the new one is decoded. A newer seek supersedes this one.
    /// While seeks arrive faster than they land, as during scrubbing, frames on the way are shown,
    /// each nearer to the newest target than the one before; the exact frame follows after the last
    /// seek, and only then is the completion called with true.
    ///
    /// - Parameters:
    ///   - time: The target, clamped to the item's start; beyond its end, the last frame is shown.
    ///   - toleranceBefore: The largest time before `time` at which the seek may land. A value that
    ///     is negative, or not numeric other than positive infinity, counts as zero.
    ///   - toleranceAfter: The largest time after `time` at which it may land, likewise.
    ///   - completion: Called once: with true when the frame of the new time is decoded, with false
    ///     if a newer seek came first, the seek was cancelled (`cancelPendingSeeks()`), the file
    ///     could not be read there, or the item failed or ended. It runs on a thread of the item,
    ///     or within the call that causes it, which may be this one: hold no lock that it takes. An
    ///     invalid, indefinite or infinite time is rejected with false at once and has no effect.
    /// - Corresponds to: `AVPlayerItem.seek(to:toleranceBefore:toleranceAfter:completionHandler:)`.
    public func seek(
        to time: MediaTime, toleranceBefore: MediaTime, toleranceAfter: MediaTime,
        completion: (@Sendable (Bool) -> Void)? = nil
    ) {
        guard time.isNumeric else {
            completion?(false)
            return
        }
        pipeline.request(
            Seek(
                target: max(time, assetDescription?.firstTime ?? .zero),
                toleranceBefore: Self.tolerance(toleranceBefore),
                toleranceAfter: Self.tolerance(toleranceAfter), completion: completion))
    }

    private static func tolerance(_ time: MediaTime) -> MediaTime {
        time.isPositiveInfinity || (time.isNumeric && time > .zero) ? time : .zero
    }

    /// Cancels the pending seeks: their completions are called with false, and the playhead returns
    /// to where it was before the first of them, from where a playing item continues.
    ///
    /// `currentTime` reads that time at once; the last frame that was shown on the way stays until
    /// the frame of that time is decoded again. Steps that waited for the seeks are cancelled with
    /// them. A seek of an item that is not open yet is forgotten.
    ///
    /// Completions run on the calling thread, before this returns.
    ///
    /// - Concurrency: any thread.
    /// - Corresponds to: `AVPlayerItem.cancelPendingSeeks()`.
    public func cancelPendingSeeks() { pipeline.post(.cancelSeeks) }

    /// Seeks near a time as fast as possible; returns false if a newer seek came first, the seek
    /// was cancelled (`cancelPendingSeeks()`), the item failed, or the task was cancelled, which
    /// ends the wait but not the seek.
    ///
    /// It also waits until the item is given to a player. In asynchronous functions the compiler
    /// prefers this method; for a first seek, before there is a player, call `seek(to: time,
    /// completion: nil)`.
    @discardableResult
    public func seek(to time: MediaTime) async -> Bool {
        await seek(
            to: time, toleranceBefore: .positiveInfinity, toleranceAfter: .positiveInfinity)
    }

    /// Seeks to a time within tolerances; waits and returns false as `seek(to:)` does.
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

    /// Steps by whole frames while paused: forward to the start of later ones, back to that of
    /// earlier ones, exactly, whatever their durations; at most to the first or last frame.
    ///
    /// Steps add up: one that is requested while others or a seek are in progress follows them,
    /// once their frames are decoded. A new seek, or resumed playback, cancels them. While the item
    /// plays or waits to play, steps are ignored.
    ///
    /// - Corresponds to: `AVPlayerItem.step(byCount:)`.
    public func step(byCount count: Int) {
        // More than any video has, and small enough to be added.
        let limit = 1 << 32
        pipeline.post(.step(min(max(count, -limit), limit)))
    }
}
