// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// Jumps of the playhead.
extension Transport {
    /// Requests a seek. It replaces a pending seek and pending steps.
    mutating func request(_ seek: Seek, isLeaving: Bool, _ view: some TransportView) {
        guard tracks.isAlive, let target = live.target(of: seek.target) else {
            act(.answer(false))
            return
        }
        act(.answer(true))
        live.forgetPlayedOffset()
        loop.leaveRound()
        if isLeaving {
            start.setRate(0)
            ending.setCurrent(false)
        }
        stop()
        var seek = seek
        seek.target = target
        if !isLeaving { seek.origin = self.seek.requested?.origin ?? now.time }
        change(to: seek, view)
    }

    /// Cancels the pending seeks, and the steps that wait for them.
    mutating func cancelSeeks(_ view: some TransportView) {
        guard let origin = seek.requested?.origin else { return }
        switch tracks.phase {
        case .ready: change(to: Seek(target: origin), view)
        case .idle, .opening:
            failRequests()
            seek.forget()
            // Reading was interrupted for a seek that the demuxer no longer performs.
            act(.resumeReading)
            steps.clear()
            ending.move(to: origin)
            moveTimeline(to: origin)
        case .failed, .closed: break
        }
    }

    /// Begins or defers a seek.
    private mutating func change(to seek: Seek, _ view: some TransportView) {
        var seek = seek
        let isSoon = self.seek.isSoon(at: now.hostNanoseconds)
        seek.isScrub = isSoon && tracks.video != nil
        let kept = seek.isScrub ? view.keptFrame(at: seek.target, byteLimit: keptByteLimit) : nil
        seek.isServed = kept ?? false
        failRequests()
        steps.clear()
        buffering.forgetDryness()
        // As for a timeline that has begun, only the rate of the declared start is kept.
        start.forgetDeclared()
        stop()
        forgetSuccession()
        forgetHandover()
        if let redirect = redirection(to: seek) {
            self.seek.startRedirecting(seek)
            act(redirect)
        } else {
            beginOrPutOff(seek, view)
        }
    }

    /// Begins a seek that the transport needs itself, and that was not requested.
    mutating func turn(to target: MediaTime) {
        failRequests()
        start.forgetDeclared()
        stop()
        forgetSuccession()
        forgetHandover()
        restart(for: Seek(target: target))
        moveTimeline(to: target)
    }

    /// Handles the packet queue's answer to `TransportAction.redirect`.
    mutating func redirected(_ isRedirected: Bool, _ view: some TransportView) {
        guard let seek = seek.endRedirecting() else { return }
        if isRedirected {
            begin(seek)
            hasChanged(to: seek, view)
        } else {
            beginOrPutOff(seek, view)
        }
    }

    private mutating func beginOrPutOff(_ seek: Seek, _ view: some TransportView) {
        if mustShowFirst || (seek.isServed && goesOn(view)) {
            // The seek has no generation yet. It begins when the seek in progress has shown a
            // frame.
            self.seek.putOff(seek)
        } else {
            restart(for: seek)
        }
        hasChanged(to: seek, view)
    }

    private mutating func hasChanged(to seek: Seek, _ view: some TransportView) {
        moveTimeline(to: seek.target)
        if seek.isScrub {
            act(.showKeptFrame(at: seek.target, generation: self.seek.generation))
        }
        act(.seekBegan)
    }

    /// The maximum size of frames that are kept during scrubbing, in bytes.
    var keptByteLimit: Int { seek.reverseByteLimit / 2 }

    /// A Boolean value that indicates whether a newer seek has to wait until the seek in progress
    /// has shown a frame. If seeks arrived faster than the decoder outputs frames, and each seek
    /// began at once, no frame would ever be shown.
    private var mustShowFirst: Bool {
        guard let performed = seek.performed, performed.isScrub, !seek.demuxerMustMove else {
            return false
        }
        return !seek.hasShown && !tracks.hasVideo && tracks.videoEnd == nil
    }

    /// Returns whether decoding continues to the old target in order to fill the cache. A newer
    /// seek whose frame is already visible can wait for that.
    private func goesOn(_ view: some TransportView) -> Bool {
        guard let performed = seek.performed, performed.isScrub, !seek.demuxerMustMove else {
            return false
        }
        return !hasArrived(view)
    }

    /// Returns an action that asks the packet queue whether decoding its packets is the shortest
    /// way to the target of a seek, without going back. Returns nil if another way is certainly
    /// shorter.
    private func redirection(to seek: Seek) -> TransportAction? {
        let target = seek.target - ending.leadTime(to: seek.target)
        guard seek.isExact, tracks.isReady, let track = tracks.video,
            self.seek.direction == .forward, !self.seek.demuxerMustMove,
            let reach = self.seek.reach, target >= reach,
            self.seek.performed.map({ $0.framesBefore == 0 }) ?? true
        else { return nil }
        return .redirect(
            generation: self.seek.generation + 1, to: target, leading: track.id,
            index: tracks.keyframes)
    }

    /// Begins a generation of packets and frames for a seek.
    mutating func restart(for seek: Seek) {
        begin(seek)
        self.seek.moveDemuxer()
        tracks.restart(readsAgain: true)
        act(.restartPackets(generation: self.seek.generation))
    }

    /// Begins a generation of frames.
    private mutating func begin(_ seek: Seek) {
        self.seek.begin(seek, leadTime: ending.leadTime(to: seek.target))
        ending.setHasPlayedToEnd(false)
        buffering.forgetDryness()
        tracks.forgetReadingError()
        tracks.restart(readsAgain: false)
        // A timeline that continues to run keeps its declared start.
        if !seek.followsTimeline { forgetSuccession() }
        ending.move(to: seek.target)
        act(
            .restartFrames(
                generation: self.seek.generation, isRunning: start.isRunning,
                reverseByteLimit: nil))
    }

    /// Repeats the seek of a generation, because decoding began too late, or because frames were
    /// skipped that turned out to be needed.
    mutating func repeatSeek(_ change: SeekChange, _ generation: Int) {
        defer { act(.wakeAudioWriter) }
        guard generation == seek.generation, var next = seek.requested else { return }
        if !seek.isPutOff { change.apply(to: &next) }
        restart(for: next)
    }

    /// After a declared start has moved the playhead to a time, decodes again at that time, without
    /// skipping frames, because the frame there was skipped.
    mutating func repeatJump(_ generation: Int) {
        guard generation == seek.generation, seek.jump != nil, seek.requested == nil else {
            return
        }
        var next = Seek(target: now.time)
        next.followsTimeline = true
        next.decodesAll = true
        let hadPlayedToEnd = ending.hasPlayedToEnd
        restart(for: next)
        ending.setHasPlayedToEnd(hadPlayedToEnd)
        act(.answer(true))
        act(.seekBegan)
    }

    /// Restarts decoding at the playhead, or at its future position. It is needed because there are
    /// frames after the one that seemed to be the last, and the decoder was already notified of the
    /// end.
    mutating func readAgain(_ generation: Int) {
        guard generation == seek.generation else { return }
        var here = Seek(target: now.time)
        here.followsTimeline = true
        restart(for: seek.requested ?? here)
        act(.seekBegan)
    }

    /// Lands a seek at a time other than its target: near it within the tolerances, or at the frame
    /// of a step.
    mutating func land(at time: MediaTime, _ generation: Int) {
        guard generation == seek.generation, seek.performed != nil else { return }
        let isPutOff = seek.isPutOff
        seek.moveTarget(to: time)
        guard !isPutOff else { return }
        ending.move(to: time)
        moveTimeline(to: time)
    }

    /// Returns whether each video track other than the first one has reached the target too, or has
    /// no frame there.
    func haveFurtherPictures(_ view: some TransportView) -> Bool {
        tracks.furtherVideo.isEmpty || tracks.readingError != nil
            || view.haveFurtherPictures(generation: seek.generation)
    }

    /// Returns whether the threads have reached the target of the seek in progress.
    func hasArrived(_ view: some TransportView) -> Bool {
        if seek.demuxerMustMove { return false }
        if tracks.video != nil { return tracks.hasVideo || tracks.videoEnd != nil }
        if view.hasAudio { return isPrimed(at: now.time, view) }
        return true
    }

    /// Returns the time at which audio begins after a seek. It is nil while the seek may still land
    /// away from its target, and `invalid` after the generation has ended.
    ///
    /// - Parameter playhead: The current time of the timeline.
    func landingTime(generation: Int, playhead: MediaTime) -> MediaTime? {
        if case .closed = tracks.phase { return .invalid }
        guard generation == seek.generation else { return .invalid }
        if seek.isPutOff { return nil }
        guard let requested = seek.requested else { return playhead }
        if requested.followsTimeline { return max(requested.target, playhead) }
        let isSettled =
            (requested.isExact && !requested.isScrub) || tracks.video == nil || tracks.hasVideo
            || tracks.videoEnd != nil
        return isSettled ? requested.target : nil
    }
}

extension SeekChange {
    fileprivate func apply(to seek: inout Seek) {
        switch self {
        case .none: break
        case .decodingAll(let decodesAll): seek.decodesAll = decodesAll
        case .notLate:
            seek.toleranceAfter = .zero
            seek.startsLate = false
        case .fartherBack:
            seek.leadTime = max(seek.leadTime * Int32(4), MediaTime(value: 1, timescale: 2))
            // Frames on the way are farther from the target than the frame that is due there.
            seek.toleranceBefore = .zero
        }
    }
}
