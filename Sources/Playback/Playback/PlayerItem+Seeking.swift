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
        pipeline.requestSeek(
            to: max(time, start.isNumeric ? min(start, .zero) : .zero),
            toleranceBefore: max(toleranceBefore, .zero),
            toleranceAfter: max(toleranceAfter, .zero), completion: completion)
    }

    /// Moves to a time exactly; false when a newer seek came first or the item failed.
    @discardableResult
    public func seek(to time: MediaTime) async -> Bool {
        await withCheckedContinuation { continuation in
            seek(to: time) { continuation.resume(returning: $0) }
        }
    }

    /// Moves by whole frames, while paused: forward to the start of the next ones, back to that of
    /// earlier ones, exactly, whatever their durations.
    ///
    /// - Corresponds to: `AVPlayerItem.step(byCount:)`.
    public func step(byCount count: Int) {
        guard count != 0 else { return }
        let now = currentTime
        if count > 0 {
            var time = now
            for _ in 0..<count {
                guard let next = pipeline.frames.frameTime(after: time) else { break }
                time = next
            }
            if time > now { pipeline.show(frameAt: time) }
        } else {
            pipeline.stepBack(by: -count)
        }
    }
}

extension ItemPipeline {
    /// Backwards there is nothing in the queue: seek to just before the visible frame, and take the
    /// start of the frame that turns up there for the new time.
    func stepBack(by count: Int) {
        guard let shown = frames.frame(at: timebase.time, playhead: timebase.time, taking: false)
        else { return }
        // The shortest frame at 1000 fps is a millisecond; half of that before a frame's start is
        // within the frame before.
        let target = shown.presentationTime - MediaTime(value: 1, timescale: 2000)
        requestSeek(to: max(target, .zero), toleranceBefore: .zero, toleranceAfter: .zero) {
            [weak self] landed in
            guard let self, landed else { return }
            let time = timebase.time
            if let frame = frames.frame(at: time, playhead: time, taking: false) {
                show(frameAt: frame.presentationTime)
            }
            if count > 1 { stepBack(by: count - 1) }
        }
    }
}
