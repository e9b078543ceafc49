// SPDX-License-Identifier: Apache-2.0

import PlayheadAudio
import PlayheadThreads
import PlayheadTime

/// The moment at which an item ends, and the next begins.
struct Succession: Sendable {
    var clock: any MediaClock
    /// What `clock` reads then.
    var time: MediaTime
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
                    clock: timebase.ultimateMasterClock, time: time, rate: timebase.rate))
        }
    }

    /// Declares the start after another item's end, or takes it back. An item that is not ready to
    /// start stays as it is. Announces nothing.
    func follow(_ succession: Succession?) {
        let changed = control.change { control -> Bool in
            if let succession {
                return declare(&control, after: succession)
            }
            guard control.ending.succession != nil else { return false }
            control.ending.succession = nil
            // Up to its start the timeline stands where it started from.
            let position = timebase.time
            stop(&control)
            control.desiredRate = 0
            timebase.setRate(0, time: position, atMasterTime: .zero)
            return true
        }
        guard changed else { return }
        frames.timelineChanged()
        control.withLock { $0.renderer }?.wakeWriter()
        if succession != nil { tellOutputs(.willChangeAtStart) }
    }

    private func declare(_ control: inout Control, after succession: Succession) -> Bool {
        if let present = control.ending.succession {
            // What has begun is not begun anew.
            if present.isSame(as: succession) || timebase.master.time >= control.startMasterTime {
                return false
            }
        }
        guard case .ready = control.phase, !control.ending.isCurrent, control.seek == nil,
            control.direction == .forward, control.steps.isEmpty
        else {
            return false
        }
        // One that runs without having been declared here is nobody's successor.
        guard control.ending.succession != nil || (!control.isRunning && isPrimed(control)) else {
            return false
        }
        let master = timebase.ultimateMasterClock
        let start = succession.clock.convert(succession.time, to: master)
        timebase.setRate(
            succession.rate, time: timebase.time, atMasterTime: start, holdingUntilThen: true)
        control.ending.succession = succession
        control.startMasterTime = start
        control.desiredRate = succession.rate
        control.isRunning = true
        control.renderer?.resume()
        return true
    }

    /// Whether the start after another item's end is declared.
    var isSuccessor: Bool { control.withLock { $0.ending.succession != nil } }

    /// Whether the end is known, and comes in less than `duration`.
    func ends(within duration: MediaTime) -> Bool {
        guard case .at(let succession) = successionPlan else { return false }
        return succession.time - succession.clock.time < duration
    }

    /// The item is its player's current one now, and follows on no other any more: one that has been
    /// declared to goes on as it is.
    func becomeCurrent() {
        control.change { control in
            control.ending.isCurrent = true
            control.ending.succession = nil
        }
    }

    /// Goes back to `time`, to follow on another item once more.
    func rewind(to time: MediaTime) {
        control.change { control in
            control.desiredRate = 0
            control.ending.isCurrent = false
            control.ending.succession = nil
        }
        request(Seek(target: time))
    }
}
