// SPDX-License-Identifier: Apache-2.0

import Glibc
import PlayheadAssets
import PlayheadBuffers
import PlayheadThreads
import PlayheadTime
import Synchronization

/// Opening and closing devices, and what they report.
extension CaptureSession {
    /// The time between two attempts to open a device that another program uses, in microseconds.
    private static let retryInterval: useconds_t = 1_000_000

    /// Called by a connection that was enabled or disabled.
    func connectionDidChange() {
        if state.withLock({ $0.depth }) == 0 { applyWhileRunning() }
    }

    /// Applies a change of a running session, which ends with the error of a device that cannot be
    /// opened, unless another program has opened the device while it was closed.
    private func applyWhileRunning(reopening reopened: CaptureDeviceInput? = nil) {
        let failures = apply(reopening: reopened)
        if let error = failures.first(where: { $0.code != .deviceInUse }) { return fail(error) }
        if failures.isEmpty { endInterruption() } else { awaitRelease(of: failures) }
    }

    /// Opens and closes devices as the connections require. Returns the errors of the devices that
    /// cannot be opened. The others are open.
    ///
    /// - Parameter reopening: An input whose device is to be reopened with its new settings.
    @discardableResult func apply(
        reopening reopened: CaptureDeviceInput? = nil
    ) -> [CaptureError] {
        streams.withLock { streams in
            let wanted = state.withLock { $0.activeInputs }
            for (identifier, entry) in streams.open {
                let input = wanted.first { ObjectIdentifier($0) == identifier }
                if let input, input !== reopened { continue }
                entry.stream.stop()
                streams.open[identifier] = nil
                if let former = inputs.first(where: { ObjectIdentifier($0) == identifier }) {
                    noteEnd(of: former)
                }
            }
            var failures: [CaptureError] = []
            for input in wanted where streams.open[ObjectIdentifier(input)] == nil {
                let start = state.withLock { $0.beginStart(of: input) }
                do throws(CaptureError) {
                    let stream = try input.device.backend.start(
                        input.device.loadConfiguration()
                    ) { [weak self, weak input] event in
                        if let self, let input { receive(event, from: input, start) }
                    }
                    input.begin(stream)
                    streams.open[ObjectIdentifier(input)] = (stream, start)
                } catch {
                    failures.append(error)
                }
            }
            return failures
        }
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
            guard state.withLock({ $0.starts[ObjectIdentifier(input)] }) == start else { return }
            post(
                .deviceStalled(
                    CaptureError(
                        .stalled, subject: input.device.localizedName,
                        cause: input.mediaType == .audio
                            ? "it has stopped delivering audio"
                            : "it has stopped delivering frames",
                        remedy: "wait, or unplug it and plug it in again")))
        case .disconnected: interrupt(input, start)
        case .failed(let error):
            work.perform { [weak self, weak input] in
                if let self, let input, isOpen(input, start) { fail(error) }
            }
        }
    }

    /// Returns whether a device is open and was not started again in the meantime.
    private func isOpen(_ input: CaptureDeviceInput, _ start: Int) -> Bool {
        streams.withLock { $0.open[ObjectIdentifier(input)]?.start == start }
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

    func deviceDidChange(_ change: CaptureDevice.Change, of input: CaptureDeviceInput) {
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
        let begins = state.withLock { $0.interrupt(error, of: input, start: start) }
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
        let failures = apply()
        if failures.isEmpty { return endInterruption() }
        for error in failures {
            switch error.code {
            // Access rights are set only after the device appears.
            case .deviceInUse, .deviceDisconnected, .notAuthorized: break
            default: return fail(error)
            }
        }
        awaitRelease(of: failures)
    }

    /// Ends an interruption if the device is back, and open if another program had it, or if the
    /// device was removed.
    func endInterruption() {
        let ended = state.withLock { $0.endInterruption() }
        if ended { post(.interruptionEnded) }
    }

    /// Interrupts the session until another program has closed the first device that is in use. No
    /// event reports that, so the session tries at intervals. Returns false if no device is in use,
    /// or if the session waits for the device already.
    @discardableResult func awaitRelease(of failures: [CaptureError]) -> Bool {
        guard var reason = failures.first(where: { $0.code == .deviceInUse }) else { return false }
        if !reason.remedy.isEmpty { reason.remedy += " to continue" }
        let (begins, retries) = state.withLock { $0.interrupt(untilReleased: reason) }
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
