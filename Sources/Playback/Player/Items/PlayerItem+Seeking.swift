// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadBuffers
import PlayheadThreads
public import PlayheadTime

extension PlayerItem {
    /// Moves near a time, as fast as can be: to the keyframe at or before it, as with tolerances
    /// without limits.
    ///
    /// - Parameters:
    ///   - time: see `seek(to:toleranceBefore:toleranceAfter:completion:)`.
    ///   - completion: as there.
    /// - Corresponds to: `AVPlayerItem.seek(to:completionHandler:)`.
    public func seek(to time: MediaTime, completion: (@Sendable (Bool) -> Void)? = nil) {
        seek(
            to: time, toleranceBefore: .positiveInfinity, toleranceAfter: .positiveInfinity,
            completion: completion)
    }

    /// Moves to a time, or near it within tolerances: exactly to the frame where both are zero.
    ///
    /// It lands on the keyframe at or before `time` if that is within the tolerance, else on the next
    /// one if the container's index knows it to be, else on the first frame within it that decoding
    /// from the keyframe comes to: the farther from `time` it may be, the faster. `currentTime` is
    /// `time` at once, and from the landing on the start of the frame that it landed on; `time` itself
    /// where that frame covers it.
    ///
    /// The picture that was visible stays until the new one is there. A newer seek supersedes this
    /// one. While seeks come faster than they land, as from a hand that scrubs, frames on the way are
    /// shown meanwhile, each nearer to the newest target than the one before; the exact frame follows
    /// when the hand rests, and only then the completion says true.
    ///
    /// - Parameters:
    ///   - time: clamped to the item's start; beyond its end, its last picture is shown.
    ///   - toleranceBefore: how much earlier than `time` the seek may land. What is negative or no
    ///     number, other than positive infinity, counts as zero.
    ///   - toleranceAfter: how much later it may land, likewise.
    ///   - completion: called once: true when the picture of the new time is there, false when a
    ///     newer seek came first, the seek was cancelled (`cancelPendingSeeks()`), the file could not be
    ///     read there, or the item failed or ended. It
    ///     runs on a thread of the item's, or within whatever call brings it about, which may be this
    ///     one: hold no lock that it takes. An invalid, indefinite or infinite time is refused with
    ///     false at once, and changes nothing.
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

    /// Takes back the seeks that are under way, if any are: their completions are called with false, and
    /// the playhead is where it was before the first of them, from where the item goes on if it plays.
    ///
    /// `currentTime` reads that time at once; of what has been seen on the way, the last picture stays until
    /// the one of that time is there again. Steps that waited for the seeks are taken back with them. A seek
    /// of an item that is not open yet is as if it had not been asked for.
    ///
    /// Completions run on the calling thread, before this returns.
    ///
    /// - Concurrency: any thread.
    /// - Corresponds to: `AVPlayerItem.cancelPendingSeeks()`.
    public func cancelPendingSeeks() { pipeline.cancelSeeks() }

    /// Moves near a time, as fast as can be; false when a newer seek came first, it was cancelled
    /// (`cancelPendingSeeks()`), the item failed, or the task was cancelled, which ends the wait and not the
    /// seek.
    ///
    /// It waits until the item has been given to a player, too. In asynchronous functions the compiler
    /// prefers this; a first seek, before there is a player, is `seek(to: time, completion: nil)`.
    @discardableResult
    public func seek(to time: MediaTime) async -> Bool {
        await seek(
            to: time, toleranceBefore: .positiveInfinity, toleranceAfter: .positiveInfinity)
    }

    /// Moves to a time within tolerances; false, and waiting, as `seek(to:)`.
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

    /// Moves by whole frames while paused: forward to the start of later ones, back to that of
    /// earlier ones, exactly, whatever their durations; at most to the first or last frame.
    ///
    /// Steps add up: one asked for while others or a seek are under way follows on them, once their
    /// frames are decoded. A new seek, or playing on, puts an end to them. While the item plays or
    /// waits to play, steps are ignored.
    ///
    /// - Corresponds to: `AVPlayerItem.step(byCount:)`.
    public func step(byCount count: Int) {
        // More than any film has; and such numbers can be added up.
        let limit = 1 << 32
        pipeline.step(by: min(max(count, -limit), limit))
    }
}
