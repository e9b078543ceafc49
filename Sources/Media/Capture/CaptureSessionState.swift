// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets

/// The state of a session as a value type, without a lock or a thread: its inputs, outputs and
/// connections, whether it was started, and the reason for an interruption.
struct CaptureSessionState {
    private(set) var inputs: [CaptureDeviceInput] = []
    private(set) var outputs: [CaptureOutput] = []
    private(set) var connections: [CaptureConnection] = []
    /// The number of calls of `beginConfiguration` that are not committed.
    var depth = 0
    private(set) var wantsToRun = false
    private(set) var interruption: CaptureError?
    /// A Boolean value that indicates whether devices will be opened again after a while.
    var isRetrying = false
    /// The numbers of the handlers that observe devices, by the identity of the input.
    private(set) var deviceObservers: [ObjectIdentifier: Int] = [:]
    /// The number of the last start of each device, by the identity of the input.
    private(set) var starts: [ObjectIdentifier: Int] = [:]
    private var lastStart = 0

    // MARK: - Configuration

    /// Returns whether the session has no input for the device of an input.
    func canAdd(_ input: CaptureDeviceInput) -> Bool {
        !inputs.contains { $0 === input || $0.device === input.device }
    }

    /// Returns whether an output accepts the media of an input and has no connection for it.
    private func canConnect(_ input: CaptureDeviceInput, to output: CaptureOutput) -> Bool {
        output.acceptedMediaTypes.contains(input.mediaType)
            && !connections.contains {
                $0.output === output && $0.input.mediaType == input.mediaType
            }
    }

    /// Adds an input, and returns its connections.
    ///
    /// - Parameters:
    ///   - number: The number of the handler that observes the device.
    ///   - connecting: True to connect the input to the outputs that accept its media.
    mutating func add(
        _ input: CaptureDeviceInput, observer number: Int, connecting: Bool
    ) -> [CaptureConnection] {
        inputs.append(input)
        deviceObservers[ObjectIdentifier(input)] = number
        guard connecting else { return [] }
        let made = outputs.filter { canConnect(input, to: $0) }
            .map { CaptureConnection(input: input, output: $0) }
        connections += made
        return made
    }

    /// Adds an output, and returns its connections.
    ///
    /// - Parameter connecting: True to connect the output to the first input of each type of media
    ///   that it accepts.
    mutating func add(_ output: CaptureOutput, connecting: Bool) -> [CaptureConnection] {
        outputs.append(output)
        guard connecting else { return [] }
        var made: [CaptureConnection] = []
        for input in inputs where canConnect(input, to: output) {
            let connection = CaptureConnection(input: input, output: output)
            made.append(connection)
            connections.append(connection)
        }
        return made
    }

    /// Adds a connection. Returns false if the input or the output is not in the session, or if the
    /// output does not accept the media or has a connection for it.
    mutating func add(_ connection: CaptureConnection) -> Bool {
        guard inputs.contains(where: { $0 === connection.input }),
            outputs.contains(where: { $0 === connection.output }),
            canConnect(connection.input, to: connection.output)
        else { return false }
        connections.append(connection)
        return true
    }

    /// Removes connections, and an input if there is one. Returns the connections, and the number
    /// of the handler that observed the device.
    mutating func remove(
        _ input: CaptureDeviceInput?, connections matches: (CaptureConnection) -> Bool
    ) -> (connections: [CaptureConnection], observer: Int?) {
        let removed = connections.filter(matches)
        connections.removeAll { connection in removed.contains { $0 === connection } }
        guard let input else { return (removed, nil) }
        inputs.removeAll { $0 === input }
        return (removed, deviceObservers.removeValue(forKey: ObjectIdentifier(input)))
    }

    mutating func remove(_ output: CaptureOutput) { outputs.removeAll { $0 === output } }

    // MARK: - Running

    /// Starts the session. Returns its outputs; nil if it was started before.
    mutating func start() -> [CaptureOutput]? {
        guard !wantsToRun else { return nil }
        wantsToRun = true
        return outputs
    }

    /// Stops the session. Returns its outputs; nil if it was not started.
    mutating func stop() -> [CaptureOutput]? {
        guard wantsToRun else { return nil }
        wantsToRun = false
        interruption = nil
        return outputs
    }

    /// The inputs whose devices should be open: those that are connected to the computer and have
    /// an enabled connection, while the session runs.
    var activeInputs: [CaptureDeviceInput] {
        guard wantsToRun else { return [] }
        return inputs.filter { input in
            input.device.isConnected
                && connections.contains { $0.input === input && $0.isEnabled }
        }
    }

    /// Returns the number of the start of a device that follows.
    mutating func beginStart(of input: CaptureDeviceInput) -> Int {
        lastStart += 1
        starts[ObjectIdentifier(input)] = lastStart
        return lastStart
    }

    // MARK: - Interruptions

    /// Interrupts a running session, unless it is interrupted. Returns whether the interruption
    /// begins.
    ///
    /// - Parameter start: The number of the device's start whose frames have ended. The device may
    ///   have been opened again in the meantime.
    mutating func interrupt(
        _ error: CaptureError, of input: CaptureDeviceInput, start: Int?
    ) -> Bool {
        guard wantsToRun, interruption == nil, starts[ObjectIdentifier(input)] == start else {
            return false
        }
        interruption = error
        return true
    }

    /// Interrupts a running session until another program has closed a device. Returns whether the
    /// interruption is a new one, and whether the session has to begin its attempts.
    mutating func interrupt(untilReleased error: CaptureError) -> (begins: Bool, retries: Bool) {
        guard wantsToRun else { return (false, false) }
        defer { (interruption, isRetrying) = (error, true) }
        return (interruption != error, !isRetrying)
    }

    /// Ends an interruption if the device is back, and open if another program had it, or if the
    /// device was removed. Returns whether an interruption ends.
    mutating func endInterruption() -> Bool {
        guard let reason = interruption, inputs.allSatisfy(\.device.isConnected),
            reason.code != .deviceInUse
                || !inputs.contains(where: { $0.device.localizedName == reason.subject })
                || connections.contains(where: {
                    $0.isEnabled && $0.input.device.localizedName == reason.subject
                })
        else { return false }
        interruption = nil
        return true
    }
}
