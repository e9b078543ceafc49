// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadBuffers
import PlayheadThreads
import PlayheadTime

/// Seeks that arrive faster than they can be served, and those that need not go back.
extension ItemPipeline {
    /// The interval between seeks, in nanoseconds, below which they count as scrubbing.
    private static let scrubInterval: Int64 = 150_000_000

    /// Returns whether a new seek is one of many, and records its time.
    func isScrubbing(_ control: inout Control) -> Bool {
        let now = HostClock.nanoseconds
        let isSoon = now - max(control.lastRequest, 0) < Self.scrubInterval
        control.lastRequest = now
        return control.videoTrack != nil && (control.seek != nil || isSoon)
    }

    /// Returns whether a newer seek has to wait until the one in progress has shown a frame: if
    /// each began at once, and they arrived faster than the decoder outputs frames, none would ever
    /// be shown.
    func mustShowFirst(_ control: Control) -> Bool {
        guard let move = control.move, move.isScrub, !control.demuxerMustMove else { return false }
        return !control.hasShownMove && !control.hasVideo && control.videoEnd == nil
    }

    /// Returns whether decoding continues to the old target for the cache: a newer seek whose frame
    /// is visible already can wait.
    func goesOn(_ control: Control) -> Bool {
        guard let move = control.move, move.isScrub, !control.demuxerMustMove else { return false }
        return !hasArrived(control)
    }

    /// Shows a cached frame for the target of a scrubbing seek.
    func show(_ hit: ScrubCache.Hit, at target: MediaTime, _ control: Control) -> Bool {
        frames.show(
            hit.frame.anew, onTheWayTo: target, generation: control.generation,
            isExact: hit.isExact)
    }

    /// Shows the nearest cached frame after new ones were added.
    func showKept(generation: Int) {
        let isSeen = control.withLock { control -> Bool in
            guard control.generation == generation, let target = control.seek?.target else {
                return false
            }
            let hit = scrubbed.hit(at: target, byteLimit: control.reverseByteLimit / 2)
            return hit.map { show($0, at: target, control) } ?? false
        }
        if isSeen { tellOutputs(.willChange) }
    }

    /// Continues decoding to the target of a seek from its present position, if that leads there
    /// without going back and by the shortest way. With the lock held.
    func redirect(_ control: inout Control, to seek: Seek) -> Bool {
        let target = seek.target - control.ending.leadTime(to: seek.target)
        guard seek.isExact, case .ready = control.phase, let track = control.videoTrack,
            control.direction == .forward, !control.demuxerMustMove, let reach = control.videoReach,
            target >= reach,
            control.move.map({ $0.framesBefore == 0 }) ?? true,
            packets.redirect(
                generation: control.generation + 1, to: target, leading: track.id,
                index: control.keyframes)
        else { return false }
        begin(&control, seek)
        return true
    }

    /// Shows a frame on the way to the target of a scrubbing seek if it is nearer than the visible
    /// one; nearer to the newest target, if another seek waits.
    func show(_ frame: VideoFrame, onTheWayTo target: MediaTime, generation: Int) {
        let newest = control.withLock { $0.isPutOff ? $0.seek?.target : nil } ?? target
        let isShown = frames.show(frame, onTheWayTo: newest, generation: generation)
        guard isShown || newest != target else { return }
        control.change { control in
            if control.generation == generation { control.hasShownMove = true }
        }
        evaluate()
        if isShown { tellOutputs(.willChange) }
    }

    /// Sets the time from which the video decoder can still show every frame.
    func videoReaches(from time: MediaTime?, generation: Int) {
        control.withLock { control in
            if control.generation == generation { control.videoReach = time }
        }
    }
}

extension ItemPipeline.Control {
    /// A Boolean value that indicates whether the newest seek waits for the one in progress.
    var isPutOff: Bool { seek.map { $0.generation != generation } ?? false }
}
