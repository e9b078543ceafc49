// SPDX-License-Identifier: Apache-2.0

import Glibc
import PlayheadAssets
import PlayheadBuffers
public import PlayheadPlayback
import PlayheadThreads
public import PlayheadTime
import Synchronization

/// A session that captures from devices and delivers their frames and audio to outputs.
///
///     let session = CaptureSession()
///     try session.addInput(CaptureDeviceInput(device: camera))
///     let preview = CapturePreview()
///     try session.addOutput(preview)
///     try session.startRunning()
///
/// A new output is connected to one input for each type of media that the output accepts. A new
/// input is connected to the outputs that accept its media. A device is open while the session runs
/// and one of the device's connections is enabled. If the device is unplugged, or another program
/// has opened it when it is opened again, the session is interrupted; it continues by itself when
/// the device is back.
///
/// - Concurrency: any thread. Calls that start, stop or change a running session wait for the
///   driver. Calls from several threads are serialised.
/// - Ownership: the session retains its inputs and outputs. When the session is released, it closes
///   the devices.
/// - Errors: `CaptureError`, thrown by calls; later failures are reported as `Event.runtimeError`.
/// - Corresponds to: `AVCaptureSession`.
public final class CaptureSession: Sendable {
    /// A change of a session, for observers.
    public enum Event: Sendable, Hashable {
        /// The session was started. Frames follow.
        case didStart
        /// The session was stopped.
        case didStop
        /// A device was disconnected, or another program uses it, and the session waits for it.
        case wasInterrupted(CaptureError)
        /// The device is back, and the session continues.
        case interruptionEnded
        /// A device is open but has delivered no frame for some time.
        case deviceStalled(CaptureError)
        /// A stalled device delivers frames again.
        case deviceResumed
        /// A device has failed, and the session has stopped.
        case runtimeError(CaptureError)
    }

    private struct State {
        var inputs: [CaptureDeviceInput] = []
        var outputs: [CaptureOutput] = []
        var connections: [CaptureConnection] = []
        /// The number of calls of `beginConfiguration` that are not committed.
        var depth = 0
        var wantsToRun = false
        var interruption: CaptureError?
        /// A Boolean value that indicates whether devices will be opened again after a while.
        var isRetrying = false
        /// The numbers of the handlers that observe devices, by the identity of the input.
        var deviceObservers: [ObjectIdentifier: Int] = [:]
        /// The number of the last start of each device, by the identity of the input.
        var starts: [ObjectIdentifier: Int] = [:]
        var lastStart = 0

        /// Returns whether an output accepts the media of an input and has no connection for it.
        func canConnect(_ input: CaptureDeviceInput, to output: CaptureOutput) -> Bool {
            output.acceptedMediaTypes.contains(input.mediaType)
                && !connections.contains {
                    $0.output === output && $0.input.mediaType == input.mediaType
                }
        }
    }

    /// The open devices, by the identity of the input. Accessed by one thread at a time.
    private struct Streams {
        var open: [ObjectIdentifier: (stream: any CaptureStream, start: Int)] = [:]
    }

    /// The time between two attempts to open a device that another program uses, in microseconds.
    private static let retryInterval: useconds_t = 1_000_000

    /// The clock to which all times are converted: the clock of the first audio device, which
    /// counts the device's samples, or the host clock if there is no audio device. Frames have
    /// times of this clock too, so audio and video stay in sync although no samples are added or
    /// dropped.
    ///
    /// - Corresponds to: `synchronizationClock`.
    public var synchronizationClock: any MediaClock { clock }
    private let clock: CaptureClock
    private let state = Mutex(State())
    private let observers = EventObservers<Event>()
    private let streams = Monitor(Streams())
    private let work = SerialWork(name: "ph-session")

    /// Creates a session without inputs and outputs. Its clock is the host clock.
    public convenience init() { self.init(synchronizationClock: HostClock.shared) }

    /// Creates a session whose frame times are times of the given clock.
    package init(synchronizationClock: any MediaClock) {
        clock = CaptureClock(synchronizationClock)
    }

    deinit {
        let (inputs, numbers) = state.withLock { ($0.inputs, $0.deviceObservers) }
        for input in inputs {
            if let number = numbers[ObjectIdentifier(input)] {
                input.device.observers.remove(number)
            }
        }
        let open = streams.withLock { streams in
            defer { streams.open = [:] }
            return Array(streams.open.values)
        }
        for entry in open { entry.stream.stop() }
    }

    // MARK: - State

    /// The inputs, in the order in which they were added.
    public var inputs: [CaptureDeviceInput] { state.withLock { $0.inputs } }
    /// The outputs, in the order in which they were added.
    public var outputs: [CaptureOutput] { state.withLock { $0.outputs } }
    /// The connections.
    public var connections: [CaptureConnection] { state.withLock { $0.connections } }
    /// A Boolean value that indicates whether the session was started and has not been stopped. It
    /// remains true during an interruption.
    public var isRunning: Bool { state.withLock { $0.wantsToRun } }
    /// The reason for an interruption; nil if the session is not interrupted.
    public var interruption: CaptureError? { state.withLock { $0.interruption } }

    /// Calls a handler for each event, until the token is cancelled or released.
    public func observe(
        on queue: ObservationQueue = .background, _ handler: @escaping @Sendable (Event) -> Void
    ) -> ObservationToken {
        observers.observe(on: queue, handler)
    }

    private func post(_ event: Event) { observers.post(event) }

    // MARK: - Configuration

    /// Begins a group of changes that `commitConfiguration` applies together. Groups nest.
    public func beginConfiguration() { state.withLock { $0.depth += 1 } }

    /// Ends a group of changes. If it is the outermost group, applies the changes.
    ///
    /// - Throws: The error of a device that cannot be opened with the changed settings. If another
    ///   program uses the device, the session waits for it.
    /// - Precondition: A group was begun.
    public func commitConfiguration() throws(CaptureError) {
        state.withLock { state in
            precondition(state.depth > 0, "commitConfiguration without beginConfiguration")
            state.depth -= 1
        }
        try applyUnlessNested()
    }

    /// Returns whether an input can be added: the session must not have an input for the same
    /// device.
    public func canAddInput(_ input: CaptureDeviceInput) -> Bool {
        state.withLock { state in
            !state.inputs.contains { $0 === input || $0.device === input.device }
        }
    }

    /// Adds an input and connects it to the outputs that accept its media and have no connection
    /// for that type of media.
    ///
    /// - Throws: `cannotAdd` if the session has an input for the device; the error of the device if
    ///   the session runs and the device cannot be opened.
    public func addInput(_ input: CaptureDeviceInput) throws(CaptureError) {
        try addInputWithNoConnections(input, connecting: true)
    }

    /// Adds an input without connecting it. Connect it with `addConnection`.
    public func addInputWithNoConnections(_ input: CaptureDeviceInput) throws(CaptureError) {
        try addInputWithNoConnections(input, connecting: false)
    }

    private func addInputWithNoConnections(
        _ input: CaptureDeviceInput, connecting: Bool
    ) throws(CaptureError) {
        guard canAddInput(input) else {
            throw CaptureError(
                .cannotAdd, subject: input.device.localizedName,
                cause: "the session has an input for this device already",
                remedy: "use that input")
        }
        let number = input.device.observers.add { [weak self, weak input] change in
            if let self, let input { deviceDidChange(change, of: input) }
        }
        let made = state.withLock { state in
            state.inputs.append(input)
            state.deviceObservers[ObjectIdentifier(input)] = number
            guard connecting else { return [CaptureConnection]() }
            let made = state.outputs.filter { state.canConnect(input, to: $0) }
                .map { CaptureConnection(input: input, output: $0) }
            state.connections += made
            return made
        }
        selectClock()
        for connection in made { attach(connection) }
        try applyUnlessNested()
    }

    /// Returns whether an output can be added: it must not belong to a session.
    public func canAddOutput(_ output: CaptureOutput) -> Bool { output.owner == nil }

    /// Adds an output and connects it to the first input of each type of media that it accepts.
    ///
    /// - Throws: `cannotAdd` if the output belongs to a session.
    public func addOutput(_ output: CaptureOutput) throws(CaptureError) {
        try addOutput(output, connecting: true)
    }

    /// Adds an output without connecting it. Connect it with `addConnection`.
    public func addOutputWithNoConnections(_ output: CaptureOutput) throws(CaptureError) {
        try addOutput(output, connecting: false)
    }

    private func addOutput(
        _ output: CaptureOutput, connecting: Bool
    ) throws(CaptureError) {
        guard canAddOutput(output) else {
            throw CaptureError(
                .cannotAdd, subject: "", cause: "the output belongs to a session already",
                remedy: "create an output for each session")
        }
        output.attach(to: self, clock: synchronizationClock)
        let made = state.withLock { state -> [CaptureConnection] in
            state.outputs.append(output)
            guard connecting else { return [] }
            var made: [CaptureConnection] = []
            for input in state.inputs where state.canConnect(input, to: output) {
                made.append(CaptureConnection(input: input, output: output))
                state.connections.append(made[made.count - 1])
            }
            return made
        }
        for connection in made { attach(connection) }
        if state.withLock({ $0.wantsToRun }) { output.sessionDidChange(isRunning: true) }
        try applyUnlessNested()
    }

    /// Adds a connection from an input to an output. Both must belong to this session.
    ///
    /// - Throws: `cannotAdd` if the input or the output does not belong to this session, or if the
    ///   output does not accept the media or has a connection for it.
    public func addConnection(_ connection: CaptureConnection) throws(CaptureError) {
        let isAdded = state.withLock { state in
            guard state.inputs.contains(where: { $0 === connection.input }),
                state.outputs.contains(where: { $0 === connection.output }),
                state.canConnect(connection.input, to: connection.output)
            else { return false }
            state.connections.append(connection)
            return true
        }
        guard isAdded else {
            throw CaptureError(
                .cannotAdd, subject: connection.input.device.localizedName,
                cause: "the output already has a connection, the output does not accept the "
                    + "device, or the input or the output is not in the session",
                remedy: "first add the input and the output to the session, without connections")
        }
        attach(connection)
        try applyUnlessNested()
    }

    private func attach(_ connection: CaptureConnection) {
        connection.onEnabling(.init { [weak self] in self?.connectionDidChange() })
        connection.output.attach(to: connection)
    }

    /// Removes an input and its connections, and closes its device.
    public func removeInput(_ input: CaptureDeviceInput) {
        remove(input) { $0.input === input }
    }

    /// Removes an output and its connections.
    public func removeOutput(_ output: CaptureOutput) {
        guard output.owner === self else { return }
        remove(nil) { $0.output === output }
        state.withLock { $0.outputs.removeAll { $0 === output } }
        output.sessionDidChange(isRunning: false)
        output.attach(to: nil, clock: nil)
    }

    private func remove(
        _ input: CaptureDeviceInput?, connections matches: (CaptureConnection) -> Bool
    ) {
        let (removed, number) = state.withLock { state in
            let removed = state.connections.filter(matches)
            state.connections.removeAll { connection in
                removed.contains { $0 === connection }
            }
            guard let input else { return (removed, Int?.none) }
            state.inputs.removeAll { $0 === input }
            return (removed, state.deviceObservers.removeValue(forKey: ObjectIdentifier(input)))
        }
        if let number { input?.device.observers.remove(number) }
        for connection in removed {
            connection.onEnabling(nil)
            connection.output.detach(from: connection)
        }
        if input != nil { selectClock() }
        // Removing opens no device.
        try? applyUnlessNested()
    }

    // MARK: - Running

    /// Opens the devices of enabled connections and starts the delivery of frames. Waits for the
    /// drivers.
    ///
    /// - Throws: The error of a device that cannot be opened; the session is then stopped.
    public func startRunning() throws(CaptureError) {
        let outputs = state.withLock { state -> [CaptureOutput]? in
            if state.wantsToRun { return nil }
            state.wantsToRun = true
            return state.outputs
        }
        guard let outputs else { return }
        if let gone = inputs.first(where: { !$0.device.isConnected }) {
            stopRunning()
            throw CaptureError(
                .deviceDisconnected, subject: gone.device.localizedName,
                cause: "the device is not connected", remedy: "plug it in")
        }
        for input in inputs { input.reset() }
        selectClock()
        for output in outputs { output.sessionDidChange(isRunning: true) }
        do throws(CaptureError) {
            try apply()
        } catch {
            stopRunning()
            throw error
        }
        post(.didStart)
    }

    /// Closes all devices. No frame is delivered afterwards.
    public func stopRunning() {
        let outputs = state.withLock { state -> [CaptureOutput]? in
            guard state.wantsToRun else { return nil }
            state.wantsToRun = false
            state.interruption = nil
            return state.outputs
        }
        guard let outputs else { return }
        try? apply()
        for output in outputs { output.sessionDidChange(isRunning: false) }
        post(.didStop)
    }

    /// Selects the clock of the first audio device. A running session without an audio device keeps
    /// its clock, so that times do not go back.
    private func selectClock() {
        let (inputs, isRunning) = state.withLock { ($0.inputs, $0.wantsToRun) }
        let found = inputs.lazy.compactMap(\.device.backend.clock).first
        if found != nil || !isRunning { clock.select(found) }
    }

    private func applyUnlessNested() throws(CaptureError) {
        guard state.withLock({ $0.depth }) == 0 else { return }
        do throws(CaptureError) {
            try apply()
        } catch {
            // If the session waits for the device already, the error is no news.
            guard error.code == .deviceInUse, !awaitRelease(error) else { throw error }
        }
    }

    /// Called by a connection that was enabled or disabled.
    private func connectionDidChange() {
        if state.withLock({ $0.depth }) == 0 { applyWhileRunning() }
    }

    /// Applies a change of a running session, which ends with the error of a device that cannot be
    /// opened, unless another program has opened the device while it was closed.
    private func applyWhileRunning(reopening reopened: CaptureDeviceInput? = nil) {
        do throws(CaptureError) {
            try apply(reopening: reopened)
            endInterruption()
        } catch {
            if error.code == .deviceInUse { awaitRelease(error) } else { fail(error) }
        }
    }

    /// Opens and closes devices as the connections require. If a device cannot be opened, the
    /// others are open when the error is thrown.
    ///
    /// - Parameter reopening: An input whose device is to be reopened with its new settings.
    private func apply(reopening reopened: CaptureDeviceInput? = nil) throws(CaptureError) {
        let result = streams.withLock { streams -> Result<Void, CaptureError> in
            let wanted = state.withLock { state in
                state.wantsToRun
                    ? state.inputs.filter { input in
                        input.device.isConnected
                            && state.connections.contains { $0.input === input && $0.isEnabled }
                    } : []
            }
            for (identifier, entry) in streams.open {
                let input = wanted.first { ObjectIdentifier($0) == identifier }
                if let input, input !== reopened { continue }
                entry.stream.stop()
                streams.open[identifier] = nil
                if let former = inputs.first(where: { ObjectIdentifier($0) == identifier }) {
                    noteEnd(of: former)
                }
            }
            var failure: CaptureError?
            for input in wanted where streams.open[ObjectIdentifier(input)] == nil {
                let start = state.withLock { state in
                    state.lastStart += 1
                    state.starts[ObjectIdentifier(input)] = state.lastStart
                    return state.lastStart
                }
                do throws(CaptureError) {
                    let stream = try input.device.backend.start(
                        input.device.loadConfiguration()
                    ) { [weak self, weak input] event in
                        if let self, let input { receive(event, from: input, start) }
                    }
                    input.begin(stream)
                    streams.open[ObjectIdentifier(input)] = (stream, start)
                } catch {
                    failure = failure ?? error
                }
            }
            return failure.map { .failure($0) } ?? .success(())
        }
        try result.get()
    }

    // MARK: - Events of devices

    private func receive(
        _ event: CaptureStreamEvent, from input: CaptureDeviceInput, _ start: Int
    ) {
        if input.note(event) { post(.deviceResumed) }
        let connections = state.withLock { state in
            state.connections.filter { $0.input === input && $0.isEnabled }
        }
        switch event {
        case .frame(let frame):
            let time = sessionTime(frame.hostTime)
            for connection in connections {
                connection.output.receive(frame, at: time, from: connection)
            }
        case .audio(let buffer):
            let audio = buffer.moved(to: sessionTime(buffer.presentationTime, of: input))
            for connection in connections {
                connection.output.receive(connection.passed(audio), from: connection)
            }
        case .lost(let count, let time, let reason):
            for connection in connections {
                connection.output.receiveDrop(
                    count: count, at: sessionTime(time), reason: reason, from: connection)
            }
        case .damaged(let count, let time):
            for connection in connections {
                connection.output.receiveDrop(
                    count: count, at: sessionTime(time), reason: .discontinuity, from: connection)
            }
        case .configured: break
        case .stalled:
            post(
                .deviceStalled(
                    CaptureError(
                        .stalled, subject: input.device.localizedName,
                        cause: input.mediaType == .audio
                            ? "it has stopped delivering audio"
                            : "it has stopped delivering frames",
                        remedy: "wait, or unplug it and plug it in again")))
        case .disconnected: interrupt(input, start)
        case .failed(let error): work.perform { [weak self] in self?.fail(error) }
        }
    }

    private func sessionTime(_ hostTime: MediaTime) -> MediaTime {
        clock.time(atHostTime: hostTime)
    }

    /// Converts a time of a device to the session's clock. If the session uses the device's clock,
    /// the times are equal.
    private func sessionTime(_ time: MediaTime, of input: CaptureDeviceInput) -> MediaTime {
        guard let own = input.device.backend.clock else { return sessionTime(time) }
        return own === clock.current ? time : sessionTime(own.hostTime(at: time))
    }

    /// Records that a device is closed.
    private func noteEnd(of input: CaptureDeviceInput) {
        input.end()
        for connection in connections where connection.input === input { connection.resetLevels() }
    }

    private func deviceDidChange(_ change: CaptureDevice.Change, of input: CaptureDeviceInput) {
        switch change {
        case .disconnected:
            interrupt(input, state.withLock { $0.starts[ObjectIdentifier(input)] })
        case .connected: work.perform { [weak self] in self?.resume() }
        case .configured:
            work.perform { [weak self, weak input] in self?.applyWhileRunning(reopening: input) }
        }
    }

    /// Interrupts the session until a disconnected device is back.
    ///
    /// - Parameter start: The number of the device's start, as in `starts`, whose frames have
    ///   ended.
    private func interrupt(_ input: CaptureDeviceInput, _ start: Int?) {
        let isAudio = input.mediaType == .audio
        let error = CaptureError(
            .deviceDisconnected, subject: input.device.localizedName,
            cause: isAudio
                ? "the device was unplugged, or the audio server has ended"
                : "the device was unplugged",
            remedy: isAudio
                ? "plug it in again, or restart the server, to continue"
                : "plug it in again to continue")
        let begins = state.withLock { state in
            // The device may have been opened again in the meantime.
            guard state.wantsToRun, state.interruption == nil,
                state.starts[ObjectIdentifier(input)] == start
            else { return false }
            state.interruption = error
            return true
        }
        if begins { post(.wasInterrupted(error)) }
        work.perform { [weak self, weak input] in
            guard let self, let input else { return }
            close(input, start)
            // The device may be back already.
            if input.device.isConnected, input.device.backend.isPresent { resume() }
        }
    }

    /// Closes a device unless it was started again in the meantime.
    private func close(_ input: CaptureDeviceInput, _ start: Int?) {
        streams.withLock { streams in
            guard let entry = streams.open[ObjectIdentifier(input)], entry.start == start else {
                return
            }
            entry.stream.stop()
            streams.open[ObjectIdentifier(input)] = nil
            noteEnd(of: input)
        }
    }

    /// Continues after an interruption. If the device is connected but not ready, the session tries
    /// again after the device's next change.
    private func resume() {
        guard state.withLock({ $0.wantsToRun }) else { return }
        do throws(CaptureError) {
            try apply()
            endInterruption()
        } catch {
            switch error.code {
            case .deviceInUse: awaitRelease(error)
            // Access rights are set only after the device appears.
            case .deviceDisconnected, .notAuthorized: break
            default: fail(error)
            }
        }
    }

    /// Ends an interruption if the device is back, and open if another program had it.
    private func endInterruption() {
        let ended = state.withLock { state in
            guard let reason = state.interruption,
                state.inputs.allSatisfy(\.device.isConnected),
                reason.code != .deviceInUse
                    || state.connections.contains(where: {
                        $0.isEnabled && $0.input.device.localizedName == reason.subject
                    })
            else { return false }
            state.interruption = nil
            return true
        }
        if ended { post(.interruptionEnded) }
    }

    /// Interrupts the session until another program has closed a device. No event reports that, so
    /// the session tries at intervals. Returns false if it waits for the device already.
    @discardableResult private func awaitRelease(_ error: CaptureError) -> Bool {
        var reason = error
        if !reason.remedy.isEmpty { reason.remedy += " to continue" }
        let (begins, retries) = state.withLock { state in
            guard state.wantsToRun else { return (false, false) }
            defer { (state.interruption, state.isRetrying) = (reason, true) }
            return (state.interruption != reason, !state.isRetrying)
        }
        if begins { post(.wasInterrupted(reason)) }
        guard retries else { return begins }
        _ = WorkerThread(name: "ph-session") { [weak self] in
            usleep(Self.retryInterval)
            guard let self else { return }
            state.withLock { $0.isRetrying = false }
            work.perform { [weak self] in self?.resume() }
        }
        return begins
    }

    private func fail(_ error: CaptureError) {
        stopRunning()
        post(.runtimeError(error))
    }
}
