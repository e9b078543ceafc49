// SPDX-License-Identifier: Apache-2.0

import CPlayheadXCB
import Glibc
import PlayheadDisplay
import PlayheadTime
import Synchronization

/// The vsyncs of an X11 window's display, reported by the X server's Present extension.
///
/// The source has its own connection, so it does not disturb GLFW and OpenGL. Requests for the next
/// vsyncs are always pending, so the server timestamps each vsync even if the program is busy. If
/// the server stops answering (because the window is hidden under Wayland, the monitor sleeps, or
/// the connection is lost), a timer takes over until the server answers again. The ticks report
/// that they come from the timer.
///
/// - Concurrency: see `VsyncSource`.
/// - Corresponds to: `PresentNotifyMSC`; UST is host time in microseconds, MSC the vsync's count.
final class PresentVsyncSource: MonitoredVsyncSource, @unchecked Sendable {
    // Unchecked: only the link's thread uses the mutable state, except for the atomics `isStopped`
    // and `nominalNanoseconds`. `wakeDescriptor` is a constant.
    private let connection: OpaquePointer
    private let window: UInt32
    private let opcode: UInt8
    private let eventID: UInt32
    private let wakeDescriptor: Int32
    private let isStopped = Atomic<Bool>(false)

    /// The vsyncs that are requested and those that were reported.
    private var follower: VsyncFollower

    /// The nominal period of the display that shows the window, in nanoseconds.
    private let nominalNanoseconds: Atomic<Int64>
    var schedule: VsyncSchedule? { nil }

    /// Connects to the display in `DISPLAY`; nil if the display lacks the extension.
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
        let nanoseconds = max(1, nominalPeriod.nanoseconds ?? 16_666_667)
        nominalNanoseconds = Atomic(nanoseconds)
        follower = VsyncFollower(nominalPeriod: nanoseconds)
        eventID = xcb_generate_id(connection)
        _ = xcb_present_select_input(
            connection, eventID, window,
            UInt32(XCB_PRESENT_EVENT_MASK_COMPLETE_NOTIFY.rawValue))
    }

    deinit {
        xcb_disconnect(connection)
        Glibc.close(wakeDescriptor)
    }

    /// The period of the timer, which is also the initial value of the estimate.
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
        follower.nominalPeriod = periodNanoseconds
        follower.beginWait(at: HostClock.nanoseconds)
        while !isStopped.load(ordering: .acquiring) {
            takeAnswers()
            let now = HostClock.nanoseconds
            if let event = follower.takeVsync(at: now) { return event }
            requestVsyncs()
            // Sending requests may read answers, and answers that were already read do not wake
            // poll(2).
            if takeAnswers() { continue }
            if let event = follower.takeTimedVsync(at: now) { return event }
            sleep(nanoseconds: follower.nextLook(at: now) - now)
        }
        return nil
    }

    // MARK: - The link's thread

    /// Handles all answers, and returns whether there was any.
    @discardableResult
    private func takeAnswers() -> Bool {
        var hasAny = false
        while let event = xcb_poll_for_event(connection) {
            defer { free(event) }
            var (serial, ust, msc): (UInt32, UInt64, UInt64) = (0, 0, 0)
            guard ph_present_is_vsync(event, opcode, &serial, &ust, &msc) else { continue }
            // If the server's clock is not the host clock, the time at which the answer arrives is
            // used instead: the server sends it at the vsync.
            let now = HostClock.nanoseconds
            let stamp = Int64(clamping: ust).multipliedReportingOverflow(by: 1000)
            let isHostTime = !stamp.overflow && abs(now - stamp.partialValue) < 1_000_000_000
            follower.add(
                answerTo: serial, count: msc, at: isHostTime ? stamp.partialValue : now)
            hasAny = true
        }
        return hasAny
    }

    /// Requests the next vsyncs. The serial number of a request is the number of the requested
    /// vsync.
    private func requestVsyncs() {
        while let target = follower.nextRequest() {
            _ = xcb_present_notify_msc(
                connection, window, UInt32(truncatingIfNeeded: target), target, 0, 0)
        }
        xcb_flush(connection)
    }

    /// Waits until the server answers, `stop` is called, or the time has passed.
    private func sleep(nanoseconds: Int64) {
        var descriptors = (
            pollfd(fd: wakeDescriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: xcb_get_file_descriptor(connection), events: Int16(POLLIN), revents: 0)
        )
        // A broken connection is always readable.
        let count: nfds_t = xcb_connection_has_error(connection) == 0 ? 2 : 1
        let milliseconds = Int32(clamping: (max(0, nanoseconds) + 999_999) / 1_000_000)
        withUnsafeMutablePointer(to: &descriptors) { pair in
            pair.withMemoryRebound(to: pollfd.self, capacity: 2) { first in
                _ = poll(first, count, milliseconds)
            }
        }
    }
}
