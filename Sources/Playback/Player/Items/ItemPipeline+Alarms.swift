// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadThreads
import PlayheadTime

/// The timers that the transport requests.
extension ItemPipeline {
    struct Alarms {
        var end: TimebaseTimer?
        var dry: TimebaseTimer?
        /// A timebase that measures how long the timeline is on hold. It runs only during that
        /// time.
        var watch: Timebase?
        var watchTimer: TimebaseTimer?
        /// A timebase on the clock of the transfer, and its timer. The timebase runs while playback
        /// waits for a buffer level.
        var patience: (timebase: Timebase, timer: TimebaseTimer)?
    }

    /// Sets a timer. The lock is held.
    func setAlarm(_ action: TransportAction, _ control: inout Control) {
        switch action {
        case .setAlarm(.end, let time): set(\.end, of: &control, at: time, .endAlarm)
        case .setAlarm(.dry, let time): set(\.dry, of: &control, at: time, .dryAlarm)
        case .watchHold(let time): watch(&control, from: time)
        case .setPatience(let time): wait(&control, until: time)
        default: break
        }
    }

    private func set(
        _ alarm: WritableKeyPath<Alarms, TimebaseTimer?>, of control: inout Control,
        at time: MediaTime, _ event: TransportEvent
    ) {
        if let timer = control.alarms[keyPath: alarm] {
            timer.fireTime = time
        } else {
            control.alarms[keyPath: alarm] = timebase.addTimer(at: time) { [weak self] _ in
                self?.post(event)
            }
        }
    }

    /// Makes the transport check for a stall if the timeline stays on hold at `time` for longer
    /// than `BufferingState.grace`.
    private func watch(_ control: inout Control, from time: MediaTime) {
        let start = timebase.masterTime(at: time) ?? timebase.master.time
        let watch = control.alarms.watch ?? Timebase(master: timebase.master)
        control.alarms.watch = watch
        watch.master = timebase.master
        watch.setRate(1, time: .zero, atMasterTime: start)
        if let timer = control.alarms.watchTimer {
            timer.fireTime = BufferingState.grace
        } else {
            control.alarms.watchTimer = watch.addTimer(at: BufferingState.grace) {
                [weak self] _ in self?.post(.look)
            }
        }
    }

    /// Makes the transport check the buffer level again at a time of the transfer's clock.
    private func wait(_ control: inout Control, until due: MediaTime) {
        guard let transfer = control.transfer else { return }
        if let patience = control.alarms.patience {
            patience.timer.fireTime = due
            return
        }
        let now = transfer.clock.time
        let timebase = Timebase(master: .clock(transfer.clock))
        timebase.setRate(1, time: now, atMasterTime: now)
        let timer = timebase.addTimer(at: due) { [weak self] _ in self?.packetsAdvanced() }
        control.alarms.patience = (timebase, timer)
    }
}
