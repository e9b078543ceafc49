// SPDX-License-Identifier: Apache-2.0

import PlayheadAudio
import PlayheadThreads
import PlayheadTime

extension ItemPipeline {
    /// The distance that the playhead may jump ahead without a seek: that of the queued media.
    private static let nearLimit = MediaTime(value: 1, timescale: 1)

    /// Declares that the item reads a time at a host time, and runs at a rate. The timeline obeys
    /// at once, decoding follows.
    ///
    /// - Parameter setting: The number of the setting, as for `setDesiredRate`.
    func declare(_ start: DeclaredStart, setting: Int) {
        declare { control in
            guard control.isAlive, control.heeds(setting) else { return nil }
            control.steps = []
            control.desiredRate = start.rate
            if case .ready = control.phase { return start }
            // The clock is not known before the item is open.
            control.pendingStart = start
            return nil
        }
    }

    /// Applies a declaration from before the item was open, unless it was superseded.
    func applyPendingStart() {
        guard control.withLock({ $0.pendingStart != nil }) else { return }
        declare { control in
            guard case .ready = control.phase else { return nil }
            return control.pendingStart
        }
    }

    /// Runs as `start` returns, with the lock held, so that nothing can come between.
    private func declare(_ start: (inout Control) -> DeclaredStart?) {
        var ended = EndedRequests()
        let sought = control.change { control -> Bool in
            guard let start = start(&control) else { return false }
            control.pendingStart = nil
            return run(&control, as: start, &ended)
        }
        ended.fail()
        scrubbed.clear()
        if sought { seekBegan() }
        frames.timelineChanged()
        control.withLock { $0.renderer }?.wakeWriter()
        tellOutputs(.willChange)
        evaluate()
    }

    private func run(
        _ control: inout Control, as start: DeclaredStart, _ ended: inout EndedRequests
    ) -> Bool {
        let master = timebase.master
        let now = master.time
        let masterTime =
            start.hostTime.isNumeric ? master.time(atHostTime: start.hostTime) : now
        // During a seek its target is already the playhead's time.
        let current = timebase.time
        let first = control.description?.firstTime ?? .zero
        let time = start.time.isNumeric ? max(start.time, first) : current
        let position = now > masterTime ? time + (now - masterTime) * start.rate : time
        let direction = PlaybackDirection(rate: start.rate) ?? .forward
        let distance = direction == .forward ? position - current : current - position
        let isNear =
            control.seek == nil && control.hasVideo && !control.hasPlayedToEnd
            && control.direction == direction && distance >= .zero && distance <= Self.nearLimit
        ended.takePrerolls(from: &control)
        if !isNear {
            ended.take(from: &control)
            if direction == .forward {
                var seek = Seek(target: position)
                seek.followsTimeline = true
                restart(&control, for: seek)
            } else {
                turnBack(&control, at: position)
            }
            control.timeJumps += 1
        } else if direction == .forward {
            control.jump = position
        }
        control.hasPlayedToEnd = false
        timebase.setRate(
            start.rate, time: time, atMasterTime: masterTime, holdingUntilThen: true)
        control.startMasterTime = masterTime
        control.isRunning = true
        control.isDeclared = true
        control.buffering.noteStart()
        control.renderer?.resume()
        return !isNear
    }

    /// Decodes again, and completely, at the time to which a declared start moved the playhead,
    /// because the frame there was skipped. Returns false if no start was declared.
    func repeatJump(generation: Int) -> Bool {
        let repeats = control.change { control -> Bool in
            guard control.generation == generation, control.jump != nil, control.seek == nil else {
                return false
            }
            var seek = Seek(target: timebase.time)
            seek.followsTimeline = true
            seek.decodesAll = true
            let hadPlayedToEnd = control.hasPlayedToEnd
            restart(&control, for: seek)
            control.hasPlayedToEnd = hadPlayedToEnd
            return true
        }
        if repeats { seekBegan() }
        return repeats
    }

    /// Calls `completion` with true once everything is decoded that can be decoded in advance, or
    /// with false if another request comes first.
    func preroll(_ completion: @escaping @Sendable (Bool) -> Void) {
        let isAccepted = control.change { control -> Bool in
            guard control.isAlive, control.desiredRate == 0 else { return false }
            control.prerolls.append(completion)
            return true
        }
        if isAccepted { evaluate() } else { completion(false) }
    }

    func cancelPrerolls() {
        var ended = EndedRequests()
        control.change { ended.takePrerolls(from: &$0) }
        ended.fail()
    }

    /// Sets the timeline's clock: the chosen clock, else that of the audio device, else the
    /// player's own. Keeps the playhead where it is.
    func setMasterClock(chosen: (any MediaClock)?, fallback: any MediaClock) {
        control.change { control in
            control.chosenClock = chosen
            control.fallbackClock = fallback
            let clock = chosen ?? control.renderer?.sink.clock ?? fallback
            guard timebase.ultimateMasterClock !== clock else { return }
            timebase.master = .clock(clock)
            control.startMasterTime = clock.time
        }
        frames.timelineChanged()
        evaluate()
    }
}
