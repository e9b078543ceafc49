// SPDX-License-Identifier: Apache-2.0

import PlayheadAudio
import PlayheadThreads
import PlayheadTime

/// Succession of items without a gap: the start is declared as soon as the other's end is known, as
/// one instant for both.
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

    /// Declares the start for another item's end, or cancels it. An item that is not ready to start
    /// is not changed.
    ///
    /// - Returns: a closure to call without a lock, which notifies clients; nil if nothing has
    ///   changed.
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

    /// The remaining duration of the other item below which a successor that began too early
    /// continues.
    private static let overlapLimit = MediaTime(value: 1, timescale: 10)

    private func declare(
        _ control: inout Control, after succession: Succession, _ sought: inout Bool
    ) -> Bool {
        if let (present, position) = control.ending.succession {
            if present.isSame(as: succession) { return false }
            if timebase.time != position {
                // It has begun already: the other was moved, or continues differently.
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
        // An item that runs without having been declared here is not a successor.
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

    /// Cancels a declared start, and what has been played since.
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

    /// Forgets the declared start, because the playhead is being moved.
    func forgetSuccession(_ control: inout Control) {
        guard control.ending.succession != nil else { return }
        control.ending.succession = nil
        control.desiredRate = 0
    }

    /// The start that is declared for another item's end.
    var declaredSuccession: Succession? { control.withLock { $0.ending.succession?.moment } }

    /// Returns whether the end is known and less than `duration` away.
    func ends(within duration: MediaTime) -> Bool {
        guard case .at(let succession) = successionPlan else { return false }
        return succession.time - succession.clock.time < duration
    }

    /// Makes the item its player's current one, which follows no other any more.
    ///
    /// - Parameter keepingStart: A Boolean value that indicates whether the declared start applies
    ///   because the other item has ended. One that has begun already continues in any case.
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

    /// Makes the item stop being its player's current one; it stays where it is, to follow another
    /// later.
    func leave() {
        setDesiredRate(0, setting: nil)
        control.change { $0.ending.isCurrent = false }
    }

    /// Moves back to `time`, to follow another item once more.
    func rewind(to time: MediaTime) {
        // In one step: halfway, it would look like an item at its end that is ready to follow.
        request(Seek(target: time), isLeaving: true)
    }
}
