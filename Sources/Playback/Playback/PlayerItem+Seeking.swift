// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadBuffers
public import PlayheadTime

extension PlayerItem {
    /// Moves to a time, exactly unless tolerances say otherwise.
    ///
    /// The picture that was visible stays until that of the new time is there. A newer seek
    /// supersedes this one.
    ///
    /// - Parameters:
    ///   - time: clamped to the item's start; beyond its end, its last picture is shown.
    ///   - toleranceBefore: how much earlier than `time` the seek may land: the more, the faster.
    ///   - toleranceAfter: how much later it may land.
    ///   - completion: called once, on a thread of the item's: true when the picture of the new
    ///     time is there, false when a newer seek came first, or the item failed or ended. An
    ///     invalid or infinite time is refused with false at once.
    /// - Corresponds to: `AVPlayerItem.seek(to:toleranceBefore:toleranceAfter:completionHandler:)`.
    public func seek(
        to time: MediaTime, toleranceBefore: MediaTime = .zero, toleranceAfter: MediaTime = .zero,
        completion: (@Sendable (Bool) -> Void)? = nil
    ) {
        guard time.isNumeric else {
            completion?(false)
            return
        }
        let start = assetDescription?.startTime ?? .zero
        pipeline.request(
            Seek(
                target: max(time, start.isNumeric ? min(start, .zero) : .zero),
                toleranceBefore: max(toleranceBefore, .zero),
                toleranceAfter: max(toleranceAfter, .zero), completion: completion))
    }

    /// Moves to a time exactly; false when a newer seek came first or the item failed.
    @discardableResult
    public func seek(to time: MediaTime) async -> Bool {
        await withCheckedContinuation { continuation in
            seek(to: time) { continuation.resume(returning: $0) }
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
    public func step(byCount count: Int) { pipeline.step(by: count) }
}
