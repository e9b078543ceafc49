// SPDX-License-Identifier: Apache-2.0

import PlayheadAudio
import PlayheadThreads
import PlayheadTime

/// Starting, stopping and moving the timeline.
extension ItemPipeline {
    /// Sets the rate that is wanted; the timebase follows once enough has been decoded.
    func setDesiredRate(_ rate: Double) {
        control.change { control in
            control.desiredRate = rate
            if rate == 0 { stop(&control) }
        }
        frames.timelineChanged()
        evaluate()
    }

    /// Starts the timebase if everything that is needed for it is there. Called after each step of
    /// the decoding threads, and by the control side.
    func evaluate() {
        var landed: Seek?
        let started = control.change { control -> Bool in
            guard case .ready = control.phase else { return false }
            if let seek = control.seek {
                guard hasLanded(control) else { return false }
                landed = seek
                control.seek = nil
            }
            guard control.desiredRate != 0, !control.hasPlayedToEnd, isPrimed(control) else {
                return false
            }
            if control.isRunning {
                guard timebase.rate != control.desiredRate else { return false }
                timebase.rate = control.desiredRate
                return true
            }
            start(&control)
            return true
        }
        if started { frames.timelineChanged() }
        landed?.completion?(true)
    }

    /// Asks for another time. Supersedes a seek that is still on its way.
    func requestSeek(
        to target: MediaTime, toleranceBefore: MediaTime, toleranceAfter: MediaTime,
        completion: (@Sendable (Bool) -> Void)?
    ) {
        var superseded: (@Sendable (Bool) -> Void)?
        let generation = control.change { control -> Int? in
            switch control.phase {
            case .closed, .failed: return nil
            case .idle, .opening, .ready: break
            }
            superseded = control.seek?.completion
            control.generation += 1
            control.seek = Seek(
                generation: control.generation, target: target, toleranceBefore: toleranceBefore,
                toleranceAfter: toleranceAfter, completion: completion)
            control.demuxerMustMove = true
            control.hasPlayedToEnd = false
            control.hasVideo = false
            control.videoEnd = nil
            control.audioEnd = nil
            // The queues are told while the control lock is held, so that two seeks at once reach
            // them in the order of their generations.
            frames.restart(generation: control.generation, visibleAt: timebase.time)
            packets.restart(generation: control.generation)
            stop(&control)
            timebase.setRate(0, time: target, atMasterTime: .zero)
            return control.generation
        }
        control.withLock { $0.renderer }?.wakeWriter()
        superseded?(false)
        if generation == nil { completion?(false) }
        frames.timelineChanged()
    }

    /// Moves the timeline to the start of a frame that is already decoded. Only while it stands
    /// still.
    func show(frameAt time: MediaTime) {
        control.change { control in
            guard !control.isRunning else { return }
            timebase.setRate(0, time: time, atMasterTime: .zero)
        }
        frames.timelineChanged()
    }

    /// Stops at the end of the item, once the timeline has got there.
    func finishAtEnd(_ end: MediaTime, stops: Bool) {
        control.change { control in
            guard !control.hasPlayedToEnd else { return }
            control.hasPlayedToEnd = true
            control.endCount += 1
            guard stops else { return }
            stop(&control)
            control.desiredRate = 0
            timebase.setRate(0, time: end, atMasterTime: .zero)
        }
        frames.timelineChanged()
    }

    private func start(_ control: inout Control) {
        // The sound that is handed to the device now is heard a latency later: anchor the timeline
        // there, and picture and sound begin together.
        let delay = control.renderer?.sink.latency ?? .zero
        let anchor = timebase.time
        let now = timebase.master.time
        control.renderer?.resume()
        timebase.setRate(
            control.desiredRate, time: anchor, atMasterTime: now + delay,
            holdingUntilThen: true)
        control.isRunning = true
    }

    private func stop(_ control: inout Control) {
        guard control.isRunning else { return }
        control.isRunning = false
        timebase.rate = 0
        control.renderer?.pause()
    }

    /// Whether the seek has got where it wanted to be.
    private func hasLanded(_ control: Control) -> Bool {
        if control.demuxerMustMove { return false }
        if control.videoTrack != nil { return control.hasVideo || control.videoEnd != nil }
        if let renderer = control.renderer {
            return renderer.isPrimed || control.audioEnd != nil
        }
        return true
    }

    private func isPrimed(_ control: Control) -> Bool {
        if control.videoTrack != nil, !frames.isPrimed { return false }
        guard let renderer = control.renderer, control.audioEnd == nil else { return true }
        return renderer.isPrimed
    }
}

extension AudioRenderer {
    /// Whether enough sound is decoded to start with: as much as a device takes at once, and some
    /// for the decoder to stay ahead. A device that is not there needs none.
    fileprivate var isPrimed: Bool {
        if case .failed = sink.status { return true }
        return isFull || bufferedTimeRange.duration >= MediaTime(value: 1, timescale: 5)
    }
}

extension ItemPipeline {
    /// Sets the volume, also of a renderer that does not exist yet.
    func setVolume(_ volume: Float) {
        let renderer = control.change { control in
            control.volume = volume
            return control.renderer
        }
        renderer?.volume = volume
    }
}
