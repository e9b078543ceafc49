// SPDX-License-Identifier: Apache-2.0

import PlayheadAudio
import PlayheadThreads
import PlayheadTime

/// The moment at which an item ends, and the next begins.
struct Succession: Sendable {
    var clock: any MediaClock
    /// What `clock` reads then.
    var time: MediaTime
    /// Without the ended item's `rateAdjustment`: the next one has its own.
    var rate: Double

    func isSame(as other: Succession) -> Bool {
        clock === other.clock && time == other.time && rate == other.rate
    }
}

/// What an item that plays knows of the moment at which another is to follow.
enum SuccessionPlan: Sendable {
    /// Nothing yet: it does not move, or its end is not known.
    case open
    case at(Succession)
    /// The moment has come.
    case over
}

/// Following on another item without a gap: the start is declared as soon as the other's end is
/// known, as one instant for both.
extension ItemPipeline {
    var successionPlan: SuccessionPlan {
        control.withLock { control in
            if control.hasPlayedToEnd { return control.endedInReverse ? .open : .over }
            guard case .ready = control.phase, control.isRunningForward, control.seek == nil,
                let end = control.expectedEnd, let time = timebase.masterTime(at: end)
            else { return .open }
            return .at(
                Succession(
                    clock: timebase.ultimateMasterClock, time: time, rate: control.desiredRate))
        }
    }

    /// Declares the start after another item's end, or takes it back. An item that is not ready to
    /// start stays as it is.
    ///
    /// - Returns: what has to be told of it, once no lock is held; nil if nothing has changed.
    func follow(_ succession: Succession?) -> (@Sendable () -> Void)? {
        var sought = false
        let changed = control.change { control -> Bool in
            if let succession { return declare(&control, after: succession, &sought) }
            guard control.ending.succession != nil else { return false }
            takeBack(&control, &sought)
            return true
        }
        guard changed else { return nil }
        frames.timelineChanged()
        control.withLock { $0.renderer }?.wakeWriter()
        return { [self, sought] in
            if sought { seekBegan() } else { tellOutputs(.willChange) }
        }
    }

    /// With less left to the end of the other item, one that has begun too early stays.
    private static let overlapLimit = MediaTime(value: 1, timescale: 10)

    private func declare(
        _ control: inout Control, after succession: Succession, _ sought: inout Bool
    ) -> Bool {
        if let (present, position) = control.ending.succession {
            if present.isSame(as: succession) { return false }
            if timebase.time != position {
                // It has begun already: the other has been moved, or goes on otherwise.
                let rest = succession.time - succession.clock.time
                guard rest > Self.overlapLimit else { return false }
                takeBack(&control, &sought)
                return true
            }
        }
        guard case .ready = control.phase, !control.ending.isCurrent, control.seek == nil,
            control.direction == .forward, control.steps.isEmpty, !control.hasPlayedToEnd
        else {
            return false
        }
        // One that runs without having been declared here is nobody's successor.
        guard
            control.ending.succession != nil
                || (!control.isRunning && isPrimed(control) && isFed(&control))
        else { return false }
        let master = timebase.ultimateMasterClock
        let start = succession.clock.convert(succession.time, to: master)
        let position = timebase.time
        control.desiredRate = succession.rate
        timebase.setRate(
            control.timelineRate, time: position, atMasterTime: start, holdingUntilThen: true)
        control.ending.succession = (succession, position)
        control.startMasterTime = start
        control.isRunning = true
        control.buffering.noteStart()
        control.renderer?.resume()
        return true
    }

    /// Takes a declared start back, and what has been played since.
    private func takeBack(_ control: inout Control, _ sought: inout Bool) {
        guard let (_, position) = control.ending.succession else { return }
        let hasBegun = timebase.time != position
        control.ending.succession = nil
        stop(&control)
        control.desiredRate = 0
        if hasBegun {
            restart(&control, for: Seek(target: position))
            sought = true
        }
        timebase.setRate(0, time: position, atMasterTime: .zero)
    }

    /// What was declared is void: the playhead is being moved elsewhere.
    func forgetSuccession(_ control: inout Control) {
        guard control.ending.succession != nil else { return }
        control.ending.succession = nil
        control.desiredRate = 0
    }

    /// The start that is declared after another item's end.
    var declaredSuccession: Succession? { control.withLock { $0.ending.succession?.moment } }

    /// Whether the end is known, and comes in less than `duration`.
    func ends(within duration: MediaTime) -> Bool {
        guard case .at(let succession) = successionPlan else { return false }
        return succession.time - succession.clock.time < duration
    }

    /// The item is its player's current one now, and follows on no other any more.
    ///
    /// - Parameter keepingStart: whether the start that was declared counts, because the other item
    ///   has ended. One that has begun already goes on in any case.
    func becomeCurrent(keepingStart: Bool) {
        control.change { control in
            control.ending.isCurrent = true
            guard let (_, position) = control.ending.succession else { return }
            var sought = false
            if !keepingStart, timebase.time == position { takeBack(&control, &sought) }
            control.ending.succession = nil
        }
        frames.timelineChanged()
    }

    /// The item is not its player's current one any more, and stands where it is, to follow on
    /// another later.
    func leave() {
        setDesiredRate(0, setting: nil)
        control.change { $0.ending.isCurrent = false }
    }

    /// Goes back to `time`, to follow on another item once more.
    func rewind(to time: MediaTime) {
        // In one step: half way, it would look like one that is ready to follow, at its end.
        request(Seek(target: time), isLeaving: true)
    }
}
