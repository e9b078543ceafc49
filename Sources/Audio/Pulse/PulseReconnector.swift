// SPDX-License-Identifier: Apache-2.0

import PlayheadAudio
import PlayheadBuffers
import PlayheadThreads
import PlayheadTime
import Synchronization

/// A thread that maintains the connection to the server. It implements `PulseAudioSink`.
///
/// The thread replaces a connection that has failed, and reports changes of status. The state that
/// the sink's callers set is stored here and applied to every new connection.
///
/// - Concurrency: any thread except the connection's thread. Locks are taken in this order:
///   `control`, the lock of the connection, `state`. The connection's own thread, which holds the
///   lock of the connection, takes `state`.
final class PulseReconnector: Sendable {
    private static let retryNanoseconds: Int64 = 1_000_000_000
    /// The time that a device gets to wake, in nanoseconds. Wireless loudspeakers take about a
    /// second.
    private static let longestAwakening: Int64 = 2_000_000_000

    /// The requested state, and the connection to which it is applied, if there is one.
    private struct Control {
        var options: PulseAudioOptions
        var connection: PulseConnection?
        var source: (any AudioSource)?
        var isRunning = false
        var isEnding = false
        /// A Boolean value that indicates whether the device failed to wake. If so, the sink does
        /// not wait for the device again until the device has played.
        var doesNotWake = false
    }

    /// The pending work of the thread.
    private struct State {
        var failure: AudioError?
        var wantedStatus = AudioSinkStatus.ready
        var reportedStatus = AudioSinkStatus.ready
        var onStatusChange: @Sendable () -> Void = {}
        var onInterruption: @Sendable (AudioInterruption) -> Void = { _ in }
        /// The server's requests that have not been reported yet, in order.
        var interruptions: [AudioInterruption] = []
        var isInterrupted = false
        var isEnding = false
        /// A Boolean value that is true until it is known whether there is a server.
        var isConnecting = false
        /// The host time, in nanoseconds, until which the sink waits for a waking device; nil if it
        /// does not wait.
        var awakeningEnd: Int64?
        /// A Boolean value that indicates whether the wait for a waking device has ended but has
        /// not been reported yet.
        var isAwakened = false

        var status: AudioSinkStatus { failure.map { .failed($0) } ?? wantedStatus }

        /// Removes and returns the thread's next task.
        mutating func takeTask() -> Task? {
            if isEnding { return .end }
            if status != reportedStatus {
                reportedStatus = status
                return .report(onStatusChange)
            }
            if isAwakened {
                isAwakened = false
                return .awakened
            }
            if !interruptions.isEmpty {
                return .interrupt(onInterruption, interruptions.removeFirst())
            }
            if isConnecting { return .connect }
            return failure == nil ? nil : .reconnect
        }

        mutating func note(_ interruption: AudioInterruption) {
            guard isInterrupted != (interruption == .began) else { return }
            isInterrupted = interruption == .began
            interruptions.append(interruption)
        }
    }

    private enum Task {
        case report(@Sendable () -> Void)
        case interrupt(@Sendable (AudioInterruption) -> Void, AudioInterruption)
        case connect
        case reconnect
        case awakened
        case recheck
        case end
    }

    private let clock: AudioClock
    private let format: AudioFormat
    private let control: Mutex<Control>
    private let state = Monitor(State())
    /// The number of underruns of earlier connections.
    private let pastUnderruns = Atomic<Int>(0)

    /// Creates a reconnector that maintains an existing connection.
    convenience init(
        options: PulseAudioOptions, clock: AudioClock, connection: PulseConnection
    ) {
        self.init(
            options: options, clock: clock, format: connection.format, connection: connection)
    }

    /// Creates a reconnector that makes its first connection in the background.
    convenience init(options: PulseAudioOptions, clock: AudioClock, format: AudioFormat) {
        self.init(options: options, clock: clock, format: format, connection: nil)
    }

    private init(
        options: PulseAudioOptions, clock: AudioClock, format: AudioFormat,
        connection: PulseConnection?
    ) {
        self.clock = clock
        self.format = format
        control = Mutex(Control(options: options, connection: connection))
        if let connection {
            watch(connection)
        } else {
            state.change { $0.isConnecting = true }
        }
        _ = WorkerThread(name: "ph-pulse") { [self] in work() }
    }

    var status: AudioSinkStatus { state.withLock { $0.status } }

    var underruns: Int {
        let present = control.withLock { $0.connection?.underruns.load(ordering: .relaxed) ?? 0 }
        return pastUnderruns.load(ordering: .relaxed) + present
    }

    var latency: Int64 {
        control.withLock { $0.connection?.latency ?? $0.options.latency.nanoseconds ?? 0 }
    }

    var isAwake: Bool {
        control.withLock { control in
            if control.doesNotWake { return true }
            return control.connection.map { !$0.isAsleep.load(ordering: .relaxed) }
                ?? !state.withLock { $0.isConnecting }
        }
    }

    /// A Boolean value that indicates whether the device of the connection sleeps.
    private var isAsleep: Bool {
        control.withLock { $0.connection?.isAsleep.load(ordering: .relaxed) ?? false }
    }

    func start(_ source: any AudioSource, onStatusChange: @escaping @Sendable () -> Void) {
        change(onStatusChange: onStatusChange) { control in
            control.source = source
            control.connection?.setSource(source)
        }
    }

    func setRunning(_ isRunning: Bool) {
        change { control in
            guard control.source != nil, control.isRunning != isRunning else { return }
            control.isRunning = isRunning
            control.connection?.setRunning(isRunning)
        }
        let end = isRunning && !isAwake ? HostClock.nanoseconds + Self.longestAwakening : nil
        state.change { $0.awakeningEnd = end }
    }

    func stop() {
        change(onStatusChange: {}) { control in
            if control.isRunning { control.connection?.setRunning(false) }
            control.isRunning = false
            control.connection?.setSource(nil)
            control.source = nil
        }
    }

    var options: PulseAudioOptions { control.withLock { $0.options } }
    /// The name of the device that plays; nil without a connection. It is read with the lock held,
    /// because another thread may close a connection that is no longer in `control`.
    var deviceName: String? { control.withLock { $0.connection?.deviceName } }

    func move(toDevice name: String?) {
        change { control in
            control.options.device = name
            control.connection?.move(toDevice: name)
        }
    }

    func setLatencyOffset(_ offset: MediaTime, forDevice name: String) {
        change { control in
            control.options.latencyOffsets[name] = offset
            control.connection?.setOffset(offset.nanoseconds ?? 0, forDevice: name)
        }
    }

    func onInterruption(_ handler: @escaping @Sendable (AudioInterruption) -> Void) {
        state.change { $0.onInterruption = handler }
    }

    func setTitle(_ title: String) {
        change { control in
            control.options.title = title
            control.connection?.setTitle(title)
        }
    }

    /// Silences the connection at once. The connection is closed and the thread ends soon after.
    func end() {
        stop()
        control.withLock { $0.isEnding = true }
        state.change { $0.isEnding = true }
    }

    private func change(
        onStatusChange: (@Sendable () -> Void)? = nil, _ body: (inout Control) -> Void
    ) {
        control.withLock { control in
            body(&control)
            let status: AudioSinkStatus =
                control.source == nil ? .ready : control.isRunning ? .running : .paused
            state.change { state in
                state.wantedStatus = status
                if let onStatusChange { state.onStatusChange = onStatusChange }
            }
        }
    }

    private func watch(_ connection: PulseConnection) {
        connection.onFailure { [weak self] error in
            self?.state.change { state in
                state.failure = error
                // The client that requested an interruption is gone with the server.
                state.note(.ended)
            }
        }
        connection.onAwakening { [weak self] in self?.state.change { $0.isAwakened = true } }
        connection.onInterruption { [weak self] interruption in
            self?.state.change { $0.note(interruption) }
        }
    }

    private func work() {
        while true {
            let end = state.withLock { $0.awakeningEnd }
            let task = wait(until: end) { state in
                state.takeTask() ?? (state.awakeningEnd == end ? nil : .recheck)
            }
            switch task {
            case nil: awakened(false)
            case .recheck: break
            case .report(let report): report()
            case .awakened:
                // If the device sleeps again by now, the wait for it continues.
                if !isAsleep { awakened(true) }
            case .interrupt(let handler, let interruption): handler(interruption)
            case .connect: connectFirst()
            case .reconnect: reconnect()
            case .end:
                takeConnection()?.close()
                return
            }
        }
    }

    /// Waits until there is a task. Returns nil if the wait for a device ends first.
    private func wait(until end: Int64?, for body: (inout State) -> Task?) -> Task? {
        guard let end else { return state.wait(until: body) }
        return state.wait(nanoseconds: end - HostClock.nanoseconds, until: body)
    }

    /// Ends the wait for a device, because the device has woken or the time limit is reached.
    private func awakened(_ isAwake: Bool) {
        control.withLock { $0.doesNotWake = !isAwake }
        let report = state.change { state in
            state.awakeningEnd = nil
            return state.onStatusChange
        }
        report()
    }

    private func takeConnection() -> PulseConnection? {
        control.withLock { control in
            defer { control.connection = nil }
            return control.connection
        }
    }

    /// Makes the first attempt to connect. After it, clients no longer wait for audio, regardless
    /// of the result.
    private func connectFirst() {
        connect()
        state.change { state in
            state.isConnecting = false
            state.isAwakened = true
        }
    }

    /// Releases the old connection, waits a second, and makes one attempt to connect.
    private func reconnect() {
        if let old = takeConnection() {
            pastUnderruns.add(old.underruns.load(ordering: .relaxed), ordering: .relaxed)
            old.close()
        }
        clock.beginRun(isNewDevice: true)
        let ended = state.wait(nanoseconds: Self.retryNanoseconds) { $0.isEnding ? true : nil }
        guard ended == nil else { return }
        connect()
    }

    private func connect() {
        let options = control.withLock { $0.options }
        do throws(AudioError) {
            let connection = try connect(options)
            state.change { $0.failure = nil }
            watch(connection)
            control.withLock { control in
                control.connection = connection
                // The requests that arrived in the meantime are applied now.
                connection.setTitle(control.options.title)
                if control.options.device != options.device {
                    connection.move(toDevice: control.options.device)
                }
                for (name, offset) in control.options.latencyOffsets
                where offset != options.latencyOffsets[name] {
                    connection.setOffset(offset.nanoseconds ?? 0, forDevice: name)
                }
                connection.setSource(control.source)
                if control.isRunning { connection.setRunning(true) }
            }
        } catch {
            state.change { $0.failure = error }
        }
    }

    /// Connects to the requested device. If the server no longer knows the device, connects to the
    /// device that the server chooses.
    private func connect(_ options: PulseAudioOptions) throws(AudioError) -> PulseConnection {
        do throws(AudioError) {
            return try PulseConnection(options: options, clock: clock, format: format)
        } catch {
            guard error.code == .noDevice, options.device != nil else { throw error }
            var options = options
            options.device = nil
            return try PulseConnection(options: options, clock: clock, format: format)
        }
    }
}
