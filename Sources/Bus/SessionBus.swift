// SPDX-License-Identifier: Apache-2.0

import CPlayheadBus
import Glibc
import PlayheadThreads
import Synchronization

/// A connection to the session bus, with its own thread.
///
/// Without a session bus, no connection and no thread are created. If the bus disconnects, the
/// connection ends without an error.
///
/// - Concurrency: any thread. Handlers run on the bus's thread, one at a time.
/// - Lifetime: until `close()`.
/// - Corresponds to: `sd_bus`.
package final class SessionBus: Sendable {
    /// A function that answers a call to an object.
    package typealias CallHandler = @Sendable (borrowing BusMessage) -> CallAnswer

    package enum CallAnswer {
        case values([BusValue])
        case error(name: String, text: String)
        /// The handler does not know the call, so sd-bus replies to it.
        case unknown
    }

    /// A job for the thread of the bus.
    private typealias Job = @Sendable (Connection) -> Void

    private struct State {
        var jobs: [Job] = []
        var isClosed = false
    }

    /// The state that only the thread of the bus uses.
    private final class Connection {
        let bus: OpaquePointer
        var objects: [Unmanaged<CallBox>] = []
        /// The handlers of signals.
        var signals: [SignalBox] = []
        /// The handlers of replies that have not arrived.
        var replies: [ObjectIdentifier: ReplyBox] = [:]

        init(_ bus: OpaquePointer) { self.bus = bus }

        deinit {
            sd_bus_flush_close_unref(bus)
            for object in objects { object.release() }
        }
    }

    fileprivate final class CallBox {
        let handler: CallHandler
        init(_ handler: @escaping CallHandler) { self.handler = handler }
    }

    /// A function that receives the reply to a call, or its error.
    package typealias ReplyHandler = @Sendable (Result<[BusValue], BusError>) -> Void

    private final class ReplyBox {
        let handler: ReplyHandler
        weak var connection: Connection?

        init(_ handler: @escaping ReplyHandler, _ connection: Connection) {
            self.handler = handler
            self.connection = connection
        }
    }

    private final class SignalBox {
        let handler: @Sendable (_ path: String, [BusValue]) -> Void
        init(_ handler: @escaping @Sendable (_ path: String, [BusValue]) -> Void) {
            self.handler = handler
        }
    }

    private let state = Mutex(State())
    private let wake: Int32
    private let disconnectHandler: @Sendable () -> Void
    private let thread = Mutex<WorkerThread?>(nil)

    /// Connects to a bus; nil if there is no bus.
    ///
    /// - Parameters:
    ///   - address: The address of a bus; nil for the session bus.
    ///   - onDisconnect: Called once if the bus disconnects.
    package init?(
        address: String? = nil, onDisconnect: @escaping @Sendable () -> Void = {}
    ) {
        guard let bus = address.map(Self.open) ?? Self.openSession() else { return nil }
        disconnectHandler = onDisconnect
        wake = ph_bus_wake_descriptor()
        guard wake >= 0 else {
            sd_bus_close_unref(bus)
            return nil
        }
        // Only jobs use the connection, and only its own thread runs them.
        let address = UInt(bitPattern: bus)
        thread.withLock {
            $0 = WorkerThread(name: "ph-bus") { [self] in
                guard let bus = OpaquePointer(bitPattern: address) else { return }
                run(Connection(bus))
            }
        }
    }

    private static func openSession() -> OpaquePointer? {
        guard hasAddress else { return nil }
        var bus: OpaquePointer?
        return sd_bus_open_user_with_description(&bus, "playhead") >= 0 ? bus : nil
    }

    private static func open(_ address: String) -> OpaquePointer? {
        var bus: OpaquePointer?
        guard sd_bus_new(&bus) >= 0, let bus else { return nil }
        guard sd_bus_set_address(bus, address) >= 0, sd_bus_set_bus_client(bus, 1) >= 0,
            sd_bus_start(bus) >= 0
        else {
            sd_bus_unref(bus)
            return nil
        }
        return bus
    }

    /// A Boolean value that indicates whether the address of a bus is known: from
    /// `DBUS_SESSION_BUS_ADDRESS`, or because systemd's socket exists.
    private static var hasAddress: Bool {
        if let address = getenv("DBUS_SESSION_BUS_ADDRESS"), address.pointee != 0 { return true }
        guard let folder = getenv("XDG_RUNTIME_DIR") else { return false }
        return access(String(cString: folder) + "/bus", F_OK) == 0
    }

    deinit { Glibc.close(wake) }

    /// Closes the connection after pending jobs have been sent. Blocks until it is closed, except
    /// in a handler.
    package func close() {
        state.withLock { $0.isClosed = true }
        eventfd_write(wake, 1)
        let thread = thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        // A handler may release the owner that closes the connection. The thread then ends by
        // itself.
        if let thread, !thread.isCurrent { thread.join() }
    }

    private func perform(_ job: @escaping Job) {
        let isOpen = state.withLock { state in
            // This many jobs accumulate only if the bus no longer reads.
            guard !state.isClosed, state.jobs.count < 1024 else { return false }
            state.jobs.append(job)
            return true
        }
        if isOpen { eventfd_write(wake, 1) }
    }

    // MARK: Requests

    /// Requests a name on the bus. The handler receives a Boolean value that indicates whether the
    /// name was granted.
    package func requestName(_ name: String, _ handler: @escaping @Sendable (Bool) -> Void) {
        perform { connection in
            // The request does not queue for the name, because a second instance uses another name.
            handler(sd_bus_request_name(connection.bus, name, 0) >= 0)
        }
    }

    /// Registers a handler for calls to an object.
    package func addObject(_ path: String, _ handler: @escaping CallHandler) {
        perform { connection in
            let box = Unmanaged.passRetained(CallBox(handler))
            let status = sd_bus_add_object(
                connection.bus, nil, path,
                { message, context, _ in
                    guard let message, let context else { return 0 }
                    let box = Unmanaged<CallBox>.fromOpaque(context).takeUnretainedValue()
                    return SessionBus.answer(BusMessage(message), box)
                }, box.toOpaque())
            if status >= 0 { connection.objects.append(box) } else { box.release() }
        }
    }

    private static func answer(_ call: consuming BusMessage, _ box: CallBox) -> Int32 {
        switch box.handler(call) {
        case .unknown: return 0
        case .error(let name, let text): return ph_bus_reply_error(call.pointer, name, text)
        case .values(let values):
            var reply: OpaquePointer?
            guard sd_bus_message_new_method_return(call.pointer, &reply) >= 0, let reply else {
                return -ENOMEM
            }
            let message = BusMessage(owning: reply)
            for value in values { message.append(value) }
            return max(1, sd_bus_send(nil, message.pointer, nil))
        }
    }

    /// Sends a signal.
    package func emit(_ member: String, of interface: String, path: String, _ values: [BusValue]) {
        perform { connection in
            var signal: OpaquePointer?
            guard sd_bus_message_new_signal(connection.bus, &signal, path, interface, member) >= 0,
                let signal
            else { return }
            let message = BusMessage(owning: signal)
            for value in values { message.append(value) }
            _ = sd_bus_send(connection.bus, message.pointer, nil)
        }
    }

    /// Calls a handler for each signal of a name that a service sends.
    ///
    /// - Parameter path: The object that sends the signal; nil for any.
    package func subscribe(
        _ member: String, of interface: String, from service: String, path: String? = nil,
        _ handler: @escaping @Sendable (_ path: String, [BusValue]) -> Void
    ) {
        perform { connection in
            let box = SignalBox(handler)
            connection.signals.append(box)
            // The answer of the bus is not awaited: it handles later calls after this one.
            _ = sd_bus_match_signal_async(
                connection.bus, nil, service, path, interface, member,
                { message, context, _ in
                    guard let message, let context else { return 0 }
                    let signal = BusMessage(message)
                    Unmanaged<SignalBox>.fromOpaque(context).takeUnretainedValue()
                        .handler(signal.path, signal.readAll())
                    return 0
                }, nil, Unmanaged.passUnretained(box).toOpaque())
        }
    }

    /// Calls a method. The handler receives the reply, or an error also if no answer arrives. It is
    /// not called if this connection is closed first.
    package func call(
        _ member: String, of interface: String, path: String, at destination: String,
        _ values: [BusValue], reply: @escaping ReplyHandler = { _ in }
    ) {
        perform { connection in
            var call: OpaquePointer?
            guard
                sd_bus_message_new_method_call(
                    connection.bus, &call, destination, path, interface, member) >= 0, let call
            else {
                reply(.failure(.unsent))
                return
            }
            let message = BusMessage(owning: call)
            for value in values { message.append(value) }
            let box = ReplyBox(reply, connection)
            let status = sd_bus_call_async(
                connection.bus, nil, message.pointer,
                { message, context, _ in
                    guard let message, let context else { return 0 }
                    let box = Unmanaged<ReplyBox>.fromOpaque(context).takeUnretainedValue()
                    box.connection?.replies[ObjectIdentifier(box)] = nil
                    let answer = BusMessage(message)
                    if let error = answer.error {
                        box.handler(.failure(error))
                    } else {
                        box.handler(.success(answer.readAll()))
                    }
                    return 1
                }, Unmanaged.passUnretained(box).toOpaque(), 0)
            if status < 0 {
                reply(.failure(.unsent))
            } else {
                connection.replies[ObjectIdentifier(box)] = box
            }
        }
    }

    // MARK: The thread

    private func run(_ connection: Connection) {
        while true {
            let (jobs, isClosed) = state.withLock { state in
                defer { state.jobs = [] }
                return (state.jobs, state.isClosed)
            }
            for job in jobs { job(connection) }
            if isClosed { return }
            let status = sd_bus_process(connection.bus, nil)
            if status < 0 {
                // The bus has disconnected.
                state.withLock { $0.isClosed = true }
                disconnectHandler()
                return
            }
            if status == 0 { wait(connection) }
        }
    }

    /// Waits until the bus or a job needs attention.
    private func wait(_ connection: Connection) {
        var limit: UInt64 = .max
        sd_bus_get_timeout(connection.bus, &limit)
        var timeout: Int32 = -1
        if limit != .max {
            var now = timespec()
            clock_gettime(CLOCK_MONOTONIC, &now)
            let present = UInt64(now.tv_sec) * 1_000_000 + UInt64(now.tv_nsec) / 1000
            timeout = limit > present ? Int32(clamping: (limit - present) / 1000 + 1) : 0
        }
        var descriptors = [
            pollfd(
                fd: sd_bus_get_fd(connection.bus),
                events: Int16(truncatingIfNeeded: max(0, sd_bus_get_events(connection.bus))),
                revents: 0),
            pollfd(fd: wake, events: Int16(POLLIN), revents: 0),
        ]
        _ = poll(&descriptors, 2, timeout)
        if descriptors[1].revents != 0 {
            var count: eventfd_t = 0
            eventfd_read(wake, &count)
        }
    }
}
