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
    // `wakeDescriptor`, which are an atomic and a constant.
    private let connection: OpaquePointer
    private let window: UInt32
    private let opcode: UInt8
    private let eventID: UInt32
    private let wakeDescriptor: Int32
    private let isStopped = Atomic<Bool>(false)

    /// The highest MSC asked for, and the last one reported by the server; nil before the first.
    private var requested: UInt64?
    private var lastMSC: UInt64?
    private var serial: UInt32 = 0
    /// What to add to the server's count so that sequences go on over a change of source.
    private var sequenceOffset: Int64 = 0
    private var lastSequence: Int64 = 0
    /// The vsyncs of the timer while the server is silent.
    private var timer: (origin: Int64, sequence: Int64)?

    /// How many vsyncs ahead are asked for.
    private static let requestsAhead: UInt64 = 2
    /// How long the server may be silent.
    private static let patience: Int64 = 150_000_000

    let nominalPeriod: MediaTime
    var schedule: VsyncSchedule? { nil }
    private let periodNanoseconds: Int64

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
        self.nominalPeriod = nominalPeriod
        periodNanoseconds = max(1, nominalPeriod.nanoseconds ?? 16_666_667)
        eventID = xcb_generate_id(connection)
        _ = xcb_present_select_input(
            connection, eventID, window,
            UInt32(XCB_PRESENT_EVENT_MASK_COMPLETE_NOTIFY.rawValue))
    }

    deinit {
        xcb_disconnect(connection)
        Glibc.close(wakeDescriptor)
    }

    func stop() {
        isStopped.store(true, ordering: .releasing)
        var one: UInt64 = 1
        _ = write(wakeDescriptor, &one, MemoryLayout<UInt64>.size)
    }

    func waitForVsync() -> VsyncEvent? {
        requestVsyncs()
        let began = HostClock.nanoseconds
        while !isStopped.load(ordering: .acquiring) {
            if let vsync = takeLatestVsync() { return report(vsync) }
            let now = HostClock.nanoseconds
            if timer == nil, now - began >= max(Self.patience, 4 * periodNanoseconds) {
                timer = (now, lastSequence)
            }
            let deadline: Int64
            if let timer {
                let passed = timer.sequence + (now - timer.origin) / periodNanoseconds
                if passed > lastSequence { return reportTimer(passed, timer) }
                deadline = timer.origin + (passed + 1 - timer.sequence) * periodNanoseconds
            } else {
                deadline = began + max(Self.patience, 4 * periodNanoseconds)
            }
            sleep(nanoseconds: deadline - now)
        }
        return nil
    }

    // MARK: - The link's thread

    /// Keeps requests for the next vsyncs standing.
    private func requestVsyncs() {
        guard let lastMSC else {
            // A target in the past is answered at once, with the present count.
            if requested == nil { request(0) }
            requested = 0
            xcb_flush(connection)
            return
        }
        var next = max(requested ?? 0, lastMSC) + 1
        while next <= lastMSC + Self.requestsAhead {
            request(next)
            requested = next
            next += 1
        }
        xcb_flush(connection)
    }

    private func request(_ target: UInt64) {
        serial &+= 1
        _ = xcb_present_notify_msc(connection, window, serial, target, 0, 0)
    }

    /// Takes all answers that have come, and gives the latest one's vsync if it is a new one.
    private func takeLatestVsync() -> (time: Int64, msc: UInt64)? {
        var latest: (time: Int64, msc: UInt64)?
        while let event = xcb_poll_for_event(connection) {
            defer { free(event) }
            var (ust, msc): (UInt64, UInt64) = (0, 0)
            guard ph_present_is_vsync(event, opcode, &ust, &msc) else { continue }
            latest = (Int64(clamping: ust) * 1000, msc)
        }
        guard let latest, latest.msc != lastMSC else { return nil }
        return latest
    }

    private func report(_ vsync: (time: Int64, msc: UInt64)) -> VsyncEvent {
        let count = Int64(truncatingIfNeeded: vsync.msc)
        if let lastMSC, vsync.msc < lastMSC {
            // Another monitor, with a count of its own.
            requested = vsync.msc
            sequenceOffset = lastSequence + 1 - count
        } else if timer != nil {
            sequenceOffset = lastSequence + 1 - count
        }
        timer = nil
        lastMSC = vsync.msc
        lastSequence = count + sequenceOffset
        // A server whose clock is not ours is heard, if not understood: its events still come at
        // the vsync.
        let now = HostClock.nanoseconds
        let time = abs(now - vsync.time) < 1_000_000_000 ? vsync.time : now
        return VsyncEvent(
            hostTime: MediaTime(nanoseconds: time), sequence: lastSequence, source: .xPresent)
    }

    private func reportTimer(
        _ sequence: Int64, _ timer: (origin: Int64, sequence: Int64)
    ) -> VsyncEvent {
        lastSequence = sequence
        let time = timer.origin + (sequence - timer.sequence) * periodNanoseconds
        return VsyncEvent(
            hostTime: MediaTime(nanoseconds: time), sequence: sequence, source: .timer)
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
