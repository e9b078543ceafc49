// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
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
/// and one of the device's connections is enabled. If the device is unplugged, or if another
/// program uses it when the session opens it again, the session is interrupted. It continues by
/// itself when the device is back or free.
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

    /// The open devices, by the identity of the input. Accessed by one thread at a time.
    struct Streams {
        var open: [ObjectIdentifier: (stream: any CaptureStream, start: Int)] = [:]
    }

    /// The clock to which all times are converted: the clock of the first audio device, which
    /// counts the device's samples, or the host clock if there is no audio device. Frames have
    /// times of this clock too, so audio and video stay in sync although no samples are added or
    /// dropped.
    ///
    /// - Corresponds to: `synchronizationClock`.
    public var synchronizationClock: any MediaClock { clock }
    let clock: CaptureClock
    let state = Mutex(CaptureSessionState())
    private let observers = EventObservers<Event>()
    let streams = Monitor(Streams())
    let work = SerialWork(name: "ph-session")

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

    func post(_ event: Event) { observers.post(event) }

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
        state.withLock { $0.canAdd(input) }
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
        let made = state.withLock { $0.add(input, observer: number, connecting: connecting) }
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
        let made = state.withLock { $0.add(output, connecting: connecting) }
        for connection in made { attach(connection) }
        if state.withLock({ $0.wantsToRun }) { output.sessionDidChange(isRunning: true) }
        try applyUnlessNested()
    }

    /// Adds a connection from an input to an output. Both must belong to this session.
    ///
    /// - Throws: `cannotAdd` if the input or the output does not belong to this session, or if the
    ///   output does not accept the media or has a connection for it.
    public func addConnection(_ connection: CaptureConnection) throws(CaptureError) {
        let isAdded = state.withLock { $0.add(connection) }
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
        state.withLock { $0.remove(output) }
        output.sessionDidChange(isRunning: false)
        output.attach(to: nil, clock: nil)
    }

    private func remove(
        _ input: CaptureDeviceInput?, connections matches: (CaptureConnection) -> Bool
    ) {
        let (removed, number) = state.withLock { $0.remove(input, connections: matches) }
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
        let outputs = state.withLock { $0.start() }
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
        if let failure = apply().first {
            stopRunning()
            throw failure
        }
        post(.didStart)
    }

    /// Closes all devices. No frame is delivered afterwards.
    public func stopRunning() {
        let outputs = state.withLock { $0.stop() }
        guard let outputs else { return }
        apply()
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
        let failures = apply()
        if failures.isEmpty { return endInterruption() }
        // If the session waits for the device already, the error is no news.
        let isNews = awaitRelease(of: failures)
        if let error = failures.first(where: { isNews || $0.code != .deviceInUse }) { throw error }
    }
}
