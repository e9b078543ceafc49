// SPDX-License-Identifier: Apache-2.0

import CPlayheadXCB
import Glibc
import PlayheadDisplay
import PlayheadTime
import Synchronization

/// The vsyncs of an X11 window's display, as the X server's Present extension tells them.
///
/// It keeps a connection of its own, so neither GLFW nor OpenGL is disturbed, and keeps requests
/// for the next vsyncs standing, so that each is stamped by the server as it comes even if the
/// program is busy. When the server falls silent (a window hidden under Wayland, a monitor that
/// sleeps, a connection lost) it goes on with a timer, says so, and comes back by itself.
///
/// - Concurrency: as `VsyncSource` says.
/// - Corresponds to: `PresentNotifyMSC`; UST is host time in microseconds, MSC the vsync's count.
final class PresentVsyncSource: VsyncSource, @unchecked Sendable {
    // Unchecked: what is mutable is touched by the link's thread only, but for `isStopped` and
    // `nominalNanoseconds`, which are atomics, and `wakeDescriptor`, which is a constant.
    private let connection: OpaquePointer
    private let window: UInt32
    private let opcode: UInt8
    private let eventID: UInt32
    private let wakeDescriptor: Int32
    private let isStopped = Atomic<Bool>(false)

    /// The line through the vsyncs that the server stamped, by sequence; it tells which vsync has
    /// passed when the program was busy for longer than requests stood.
    private var estimator: VsyncEstimator
    /// The server's latest count; nil before the first answer.
    private var lastMSC: UInt64?
    /// The latest vsync that the server stamped itself.
    private var lastStamp: (msc: UInt64, time: Int64)?
    /// The highest count asked for; nil before the first request.
    private var requestedMSC: UInt64?
    /// What to add to the server's count so that sequences go on over a change of source.
    private var sequenceOffset: Int64 = 0
    /// The vsync last reported.
    private var lastSequence: Int64 = 0
    /// Answers in a row that came for a vsync after the one asked for.
    private var inexactAnswers = 0
    /// The vsyncs of the timer while the server is silent.
    private var timer: (origin: Int64, sequence: Int64)?

    /// How many vsyncs ahead are asked for.
    private static let requestsAhead: UInt64 = 2
    /// How long the server may be silent.
    private static let patience: Int64 = 150_000_000

    /// The period that the display is said to have, in nanoseconds; another where the window has
    /// moved to another display.
    private let nominalNanoseconds: Atomic<Int64>
    var schedule: VsyncSchedule? { nil }

    /// Connects to the display that `DISPLAY` names; nil if that lacks the extension.
    init?(window: UInt32, nominalPeriod: MediaTime) {
        guard let connection = xcb_connect(nil, nil) else { return nil }
        let wakeDescriptor = ph_wake_descriptor()
        let opcode = xcb_connection_has_error(connection) == 0 ? ph_present_opcode(connection) : 0
        guard opcode != 0, wakeDescriptor >= 0 else {
            xcb_disconnect(connection)
            if wakeDescriptor >= 0 { Glibc.close(wakeDescriptor) }
            return nil
        }
        self.connection = connection
        self.window = window
        self.opcode = opcode
        self.wakeDescriptor = wakeDescriptor
        nominalNanoseconds = Atomic(max(1, nominalPeriod.nanoseconds ?? 16_666_667))
        estimator = VsyncEstimator(nominalPeriod: nominalPeriod)
        eventID = xcb_generate_id(connection)
        _ = xcb_present_select_input(
            connection, eventID, window,
            UInt32(XCB_PRESENT_EVENT_MASK_COMPLETE_NOTIFY.rawValue))
    }

    deinit {
        xcb_disconnect(connection)
        Glibc.close(wakeDescriptor)
    }

    /// What the timer goes by when the server is silent, and estimates start from.
    var nominalPeriod: MediaTime {
        get { MediaTime(nanoseconds: periodNanoseconds) }
        set {
            nominalNanoseconds.store(
                max(1, newValue.nanoseconds ?? periodNanoseconds), ordering: .relaxed)
        }
    }

    private var periodNanoseconds: Int64 { nominalNanoseconds.load(ordering: .relaxed) }

    func stop() {
        isStopped.store(true, ordering: .releasing)
        var one: UInt64 = 1
        _ = write(wakeDescriptor, &one, MemoryLayout<UInt64>.size)
    }

    func waitForVsync() -> VsyncEvent? {
        let began = HostClock.nanoseconds
        let patience = max(Self.patience, 4 * periodNanoseconds)
        while !isStopped.load(ordering: .acquiring) {
            let measured = takeAnswers()
            let now = HostClock.nanoseconds
            if let event = latestVsync(measured, now: now) { return event }
            requestVsyncs()
            if timer == nil, now - began >= patience { timer = (now, lastSequence) }
            guard let timer else {
                sleep(nanoseconds: began + patience - now)
                continue
            }
            let passed = timer.sequence + (now - timer.origin) / periodNanoseconds
            if passed > lastSequence {
                lastSequence = passed
                let time = timer.origin + (passed - timer.sequence) * periodNanoseconds
                return VsyncEvent(
                    hostTime: MediaTime(nanoseconds: time), sequence: passed, source: .timer)
            }
            sleep(
                nanoseconds: timer.origin + (passed + 1 - timer.sequence) * periodNanoseconds - now)
        }
        return nil
    }

    // MARK: - The link's thread

    /// Takes all answers that have come; gives the latest vsync that the server stamped itself.
    private func takeAnswers() -> (sequence: Int64, time: Int64)? {
        var latest: (sequence: Int64, time: Int64)?
        while let event = xcb_poll_for_event(connection) {
            defer { free(event) }
            var (serial, ust, msc): (UInt32, UInt64, UInt64) = (0, 0, 0)
            guard ph_present_is_vsync(event, opcode, &serial, &ust, &msc) else { continue }
            // A server whose clock is not ours still sends its answers at the vsync.
            let now = HostClock.nanoseconds
            let stamp = Int64(clamping: ust).multipliedReportingOverflow(by: 1000)
            let isHostTime = !stamp.overflow && abs(now - stamp.partialValue) < 1_000_000_000
            let time = isHostTime ? stamp.partialValue : now
            adopt(msc, at: time)
            // A request that comes too late is answered at once, by some servers with the present
            // time instead of the vsync's. A server that answers none on time is believed.
            let isExact = serial == UInt32(truncatingIfNeeded: msc)
            inexactAnswers = isExact ? 0 : inexactAnswers + 1
            guard isExact || inexactAnswers > 8 else { continue }
            lastStamp = (msc, time)
            let sequence = Int64(truncatingIfNeeded: msc) + sequenceOffset
            estimator.add(count: sequence, nanoseconds: time)
            latest = (sequence, time)
        }
        return latest
    }

    /// Takes over the server's count, which starts over where the window changes its monitor.
    private func adopt(_ msc: UInt64, at time: Int64) {
        let isNewCount = lastMSC.map { msc < $0 || isJump(to: msc, at: time) } ?? true
        if isNewCount || timer != nil {
            // A display that refreshes less often than it did is asked too far ahead, and seems to be
            // silent: its own stamps tell, not what it was said to do.
            let period = isNewCount ? nil : measuredPeriod(to: msc, at: time)
            estimator = VsyncEstimator(nominalPeriod: period ?? nominalPeriod)
            sequenceOffset = lastSequence + 1 - Int64(truncatingIfNeeded: msc)
            requestedMSC = msc
            timer = nil
            if isNewCount { lastStamp = nil }
        }
        lastMSC = msc
    }

    /// Whether a count cannot be one that vsyncs have led to since the last: off by more than a second,
    /// and by more than estimates are over a long rest.
    private func isJump(to msc: UInt64, at time: Int64) -> Bool {
        guard let known = estimator.lastCount else { return false }
        let sequence = Int64(truncatingIfNeeded: msc) &+ sequenceOffset
        let ahead = Double(sequence &- known) * estimator.period
        let elapsed = Double(time - estimator.nanoseconds(of: known))
        return abs(ahead - elapsed) > 1e9 + abs(elapsed) / 10
    }

    /// The period since the last vsync that the server stamped; nil where that says nothing, as of a
    /// display that has been asleep.
    private func measuredPeriod(to msc: UInt64, at time: Int64) -> MediaTime? {
        guard let lastStamp, msc > lastStamp.msc else { return nil }
        let period = (time - lastStamp.time) / Int64(clamping: msc - lastStamp.msc)
        let nominal = periodNanoseconds
        return period > nominal / 3 && period < nominal * 4
            ? MediaTime(nanoseconds: period) : nil
    }

    /// The latest vsync that has passed, if it has not been reported yet: the one just measured,
    /// or a later one that the estimate tells.
    private func latestVsync(
        _ measured: (sequence: Int64, time: Int64)?, now: Int64
    ) -> VsyncEvent? {
        guard timer == nil, let known = estimator.lastCount else { return nil }
        // A tenth of a period's grace for the server's own answer, which is about to come.
        let since = Double(now - estimator.nanoseconds(of: known)) / estimator.period - 0.1
        let sequence = known + max(0, Int64(since))
        guard sequence > lastSequence else { return nil }
        // After a long rest an estimate is off by several vsyncs, also with an answer that came when it
        // began: the next ones that are asked for tell the present count. Long silence is the watchdog's
        // matter.
        guard since < Double(Self.patience) / estimator.period else { return nil }
        lastSequence = sequence
        let isMeasured = measured?.sequence == sequence
        let time = isMeasured ? measured?.time : nil
        return VsyncEvent(
            hostTime: MediaTime(nanoseconds: time ?? estimator.nanoseconds(of: sequence)),
            sequence: sequence, source: .xPresent)
    }

    /// Keeps requests for the next vsyncs standing. Each bears its target as its serial number.
    private func requestVsyncs() {
        if let lastMSC {
            let passed = UInt64(bitPattern: lastSequence - sequenceOffset)
            let base = max(lastMSC, timer == nil ? passed : 0)
            var next = max(requestedMSC ?? 0, base) + 1
            while next <= base + Self.requestsAhead {
                request(next)
                next += 1
            }
        } else if requestedMSC == nil {
            // A target in the past is answered at once, with the present count.
            request(0)
        }
        xcb_flush(connection)
    }

    private func request(_ target: UInt64) {
        _ = xcb_present_notify_msc(
            connection, window, UInt32(truncatingIfNeeded: target), target, 0, 0)
        requestedMSC = target
    }

    /// Sleeps until the server answers, `stop` is called, or the time is over.
    private func sleep(nanoseconds: Int64) {
        var descriptors = (
            pollfd(fd: wakeDescriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: xcb_get_file_descriptor(connection), events: Int16(POLLIN), revents: 0)
        )
        // A connection that has broken is readable for ever.
        let count: nfds_t = xcb_connection_has_error(connection) == 0 ? 2 : 1
        let milliseconds = Int32(clamping: (max(0, nanoseconds) + 999_999) / 1_000_000)
        withUnsafeMutablePointer(to: &descriptors) { pair in
            pair.withMemoryRebound(to: pollfd.self, capacity: 2) { first in
                _ = poll(first, count, milliseconds)
            }
        }
    }
}
