// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadBuffers
import PlayheadThreads
import PlayheadTime

/// Seeks that come faster than they can be served, and those that need no going back.
extension ItemPipeline {
    /// A hand that moves gives another target sooner than this, in nanoseconds.
    private static let scrubInterval: Int64 = 150_000_000

    /// Whether a seek that is asked for now is one of many. Notes that it has been asked for.
    func isScrubbing(_ control: inout Control) -> Bool {
        let now = HostClock.nanoseconds
        let isSoon = now - max(control.lastRequest, 0) < Self.scrubInterval
        control.lastRequest = now
        return control.videoTrack != nil && (control.seek != nil || isSoon)
    }

    /// Whether a newer seek has to wait for something to be seen of the one that is under way: if
    /// each began at once, and they came faster than the decoder brings a picture, none ever would.
    func mustShowFirst(_ control: Control) -> Bool {
        guard let move = control.move, move.isScrub, !control.demuxerMustMove else { return false }
        return !control.hasShownMove && !control.hasVideo && control.videoEnd == nil
    }

    /// Whether decoding goes on to where it was sent, for what it brings to be kept: a newer seek whose
    /// frame is seen already can wait.
    func goesOn(_ control: Control) -> Bool {
        guard let move = control.move, move.isScrub, !control.demuxerMustMove else { return false }
        return !hasArrived(control)
    }

    /// Shows a frame that was kept for the target of a seek of many.
    func show(_ hit: ScrubCache.Hit, at target: MediaTime, _ control: Control) -> Bool {
        frames.show(
            hit.frame.anew, onTheWayTo: target, generation: control.generation,
            isExact: hit.isExact)
    }

    /// Shows the nearest frame that was kept, as more have come.
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

    /// Has decoding go on to the target of a seek from where it stands, if that leads there without
    /// going back and by the shortest way. With the lock held.
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

    /// Shows a frame on the way to the target of a seek of many, if it is nearer than what is seen;
    /// nearer to the newest target, if another seek waits.
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

    /// The video decoder tells from which time on it can still show everything.
    func videoReaches(from time: MediaTime?, generation: Int) {
        control.withLock { control in
            if control.generation == generation { control.videoReach = time }
        }
    }
}

extension ItemPipeline.Control {
    /// Whether the newest seek waits for the one that is under way.
    var isPutOff: Bool { seek.map { $0.generation != generation } ?? false }
}
