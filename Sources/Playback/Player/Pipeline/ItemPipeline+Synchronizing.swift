// SPDX-License-Identifier: Apache-2.0

import PlayheadAudio
import PlayheadThreads
import PlayheadTime

/// A timeline that is declared rather than started when there is enough to show.
struct DeclaredStart: Sendable {
    var rate: Double
    /// Item time; where it is no number, the playhead's.
    var time: MediaTime
    /// Host time; where it is no number, now.
    var hostTime: MediaTime
}

extension ItemPipeline {
    /// How far ahead the playhead may jump without a seek: what is in the queues anyway.
    private static let nearLimit = MediaTime(value: 1, timescale: 1)

    /// Declares that the item reads a time at a host time, and runs at a rate. The timeline obeys at
    /// once, decoding follows.
    ///
    /// - Parameter setting: as for `setDesiredRate`.
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

    /// What was declared before the item was open, unless something else has been asked for since.
    func applyPendingStart() {
        guard control.withLock({ $0.pendingStart != nil }) else { return }
        declare { control in
            guard case .ready = control.phase else { return nil }
            return control.pendingStart
        }
    }

    /// Runs as what `start` gives, with the lock held: nothing can come between.
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
        // A seek under way has its target as the playhead's time already.
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

    /// Decoding has got to where a declared start put the playhead, but has left out what is shown
    /// there: goes there again, with everything. False where no start was declared.
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

    /// Calls `completion` with true once all is decoded that can be decoded in advance, or with
    /// false when something else is asked of the item first.
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

    /// What the timeline runs on: the clock that was chosen, else the sound device's, else the
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
