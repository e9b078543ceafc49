// SPDX-License-Identifier: Apache-2.0

import CPlayheadPulse
package import PlayheadAudio
import PlayheadThreads
import PlayheadTime
import Synchronization

/// A connection to the server, and libpulse's main loop on a thread of its own.
///
/// - Concurrency: any thread but the loop's own may call `locked` and `wait`; callbacks run on the
///   loop's thread, with its lock held.
/// - Ownership: the thread runs until `close`, which the owner has to call: `deinit` is too late,
///   for when a callback holds the last reference, it runs on the very thread that is to end.
package final class PulseContext: @unchecked Sendable {
    // Unchecked: `handle` is used with the main loop's lock held, as are the two variables.

    package let handle: OpaquePointer
    package let server: String?
    private let mainloop: OpaquePointer
    /// Counts what the loop's thread has reported.
    private let reports = Monitor(0)
    private let isClosed = Atomic(false)
    private var onFailure: ((AudioError) -> Void)?
    private var sampleRate: Int?

    /// Connects, and waits for it until host time `end`.
    package init(applicationName: String, server: String?, end: Int64) throws(AudioError) {
        guard let mainloop = pa_threaded_mainloop_new() else { throw .outOfMemory }
        guard
            let handle = pa_context_new(pa_threaded_mainloop_get_api(mainloop), applicationName)
        else {
            pa_threaded_mainloop_free(mainloop)
            throw .outOfMemory
        }
        self.mainloop = mainloop
        self.handle = handle
        self.server = server
        do throws(AudioError) {
            try connect(end: end)
        } catch {
            close()
            throw error
        }
    }

    /// Disconnects and ends the thread. Not to be called on the loop's own.
    package func close() {
        guard !isClosed.exchange(true, ordering: .acquiringAndReleasing) else { return }
        pa_threaded_mainloop_lock(mainloop)
        onFailure = nil
        pa_context_set_state_callback(handle, nil, nil)
        pa_context_disconnect(handle)
        pa_context_unref(handle)
        pa_threaded_mainloop_unlock(mainloop)
        pa_threaded_mainloop_stop(mainloop)
        pa_threaded_mainloop_free(mainloop)
    }

    /// Runs `body` while no callback runs; does nothing, and returns nil, after `close`.
    package func locked<Result>(_ body: () -> Result) -> Result? {
        guard !isClosed.load(ordering: .acquiring) else { return nil }
        pa_threaded_mainloop_lock(mainloop)
        defer { pa_threaded_mainloop_unlock(mainloop) }
        return body()
    }

    /// Tells those who wait that something has changed. Called on the loop's thread.
    package func report() { reports.change { $0 += 1 } }

    /// Waits until `check`, which runs locked, returns a value, for at most until host time `end`.
    package func wait<Result>(
        for action: String, end: Int64, until check: () throws(AudioError) -> Result?
    ) throws(AudioError) -> Result {
        while true {
            let seen = reports.withLock { $0 }
            pa_threaded_mainloop_lock(mainloop)
            let result: Result?
            do throws(AudioError) {
                result = try check()
            } catch {
                pa_threaded_mainloop_unlock(mainloop)
                throw error
            }
            pa_threaded_mainloop_unlock(mainloop)
            if let result { return result }
            let left = end - HostClock.nanoseconds
            guard left > 0 else {
                throw AudioError(
                    pulse: CInt(PA_ERR_TIMEOUT.rawValue), doing: action, server: server)
            }
            _ = reports.wait(nanoseconds: left) { $0 == seen ? nil : true }
        }
    }

    /// Calls `handler` on the loop's thread when the connection breaks.
    package func setFailureHandler(_ handler: @escaping (AudioError) -> Void) {
        _ = locked {
            onFailure = handler
            if let error = stateError { handler(error) }
        }
    }

    /// The context's last error as ours. Called locked.
    package func error(doing action: String) -> AudioError {
        AudioError(pulse: pa_context_errno(handle), doing: action, server: server)
    }

    /// The rate at which a device runs, by default the default one.
    package func nativeSampleRate(device: String?, end: Int64) throws(AudioError) -> Int {
        let this = Unmanaged.passUnretained(self).toOpaque()
        let operation = locked {
            pa_context_get_sink_info_by_name(
                handle, device ?? "@DEFAULT_SINK@",
                { _, info, _, this in
                    guard let this else { return }
                    let context = Unmanaged<PulseContext>.fromOpaque(this).takeUnretainedValue()
                    if let info { context.sampleRate = Int(info.pointee.sample_spec.rate) }
                    context.report()
                }, this)
        }
        guard case .some(.some(let operation)) = operation else {
            throw error(doing: "asking for the device")
        }
        defer { _ = locked { pa_operation_unref(operation) } }
        return try wait(for: "asking for the device", end: end) { () throws(AudioError) in
            if let sampleRate { return sampleRate }
            if pa_operation_get_state(operation) == PA_OPERATION_RUNNING { return nil }
            throw error(doing: "asking for the device")
        }
    }

    private func connect(end: Int64) throws(AudioError) {
        let this = Unmanaged.passUnretained(self).toOpaque()
        pa_threaded_mainloop_set_name(mainloop, "pulse-audio")
        pa_context_set_state_callback(
            handle,
            { _, this in
                guard let this else { return }
                Unmanaged<PulseContext>.fromOpaque(this).takeUnretainedValue().stateChanged()
            }, this)
        guard pa_context_connect(handle, server, PA_CONTEXT_NOAUTOSPAWN, nil) >= 0 else {
            throw error(doing: "connecting")
        }
        guard pa_threaded_mainloop_start(mainloop) >= 0 else { throw .outOfMemory }
        try wait(for: "connecting", end: end) { () throws(AudioError) -> Void? in
            if pa_context_get_state(handle) == PA_CONTEXT_READY { return () }
            if let error = stateError { throw error }
            return nil
        }
    }

    private func stateChanged() {
        report()
        if let error = stateError { onFailure?(error) }
    }

    /// Why the connection is gone, if it is. Called locked.
    private var stateError: AudioError? {
        switch pa_context_get_state(handle) {
        case PA_CONTEXT_FAILED: error(doing: "connecting")
        case PA_CONTEXT_TERMINATED:
            AudioError(
                pulse: CInt(PA_ERR_CONNECTIONTERMINATED.rawValue), doing: "playing", server: server)
        default: nil
        }
    }
}
