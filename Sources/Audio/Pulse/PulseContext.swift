// SPDX-License-Identifier: Apache-2.0

import CPlayheadPulse
package import PlayheadAudio
import PlayheadThreads
import PlayheadTime
import Synchronization

/// A connection to the server, with libpulse's main loop on its own thread.
///
/// - Concurrency: `locked` and `wait` may be called on any thread except the loop's own. Callbacks
///   run on the loop's thread, with its lock held.
/// - Ownership: the thread runs until `close`, which the owner must call. `deinit` would be too
///   late: a callback that holds the last reference runs on the very thread that must end.
package final class PulseContext: @unchecked Sendable {
    // Unchecked: `handle` and the two variables are used only with the main loop's lock held, or
    // before the loop's thread starts.

    package let handle: OpaquePointer
    package let server: String?
    private let mainloop: OpaquePointer
    /// The number of reports of the loop's thread.
    private let reports = Monitor(0)
    private let isClosed = Atomic(false)
    private var onFailure: ((AudioError) -> Void)?
    private var sampleRate: Int?

    /// Connects. Waits for the connection until host time `end` at the latest.
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

    /// Disconnects and ends the thread. Must not be called on the loop's thread.
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

    /// A Boolean value that indicates whether the caller is the loop's own thread.
    package var isOwnThread: Bool {
        !isClosed.load(ordering: .acquiring) && pa_threaded_mainloop_in_thread(mainloop) != 0
    }

    /// Calls `body` while no callback runs. After `close`, does nothing and returns nil.
    package func locked<Result>(_ body: () -> Result) -> Result? {
        guard !isClosed.load(ordering: .acquiring) else { return nil }
        pa_threaded_mainloop_lock(mainloop)
        defer { pa_threaded_mainloop_unlock(mainloop) }
        return body()
    }

    /// Wakes waiting threads after a change. Called on the loop's thread.
    package func report() { reports.change { $0 += 1 } }

    /// Waits until `check`, which is called with the lock held, returns a value. Waits until host
    /// time `end` at the latest.
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

    /// Calls `handler` on the loop's thread when the connection fails.
    package func setFailureHandler(_ handler: @escaping (AudioError) -> Void) {
        _ = locked {
            onFailure = handler
            if let error = stateError { handler(error) }
        }
    }

    /// Returns the error of a connection that was closed.
    package func closed(doing action: String) -> AudioError {
        AudioError(
            pulse: CInt(PA_ERR_CONNECTIONTERMINATED.rawValue), doing: action, server: server)
    }

    /// Returns the context's last error. Called with the lock held.
    package func error(doing action: String) -> AudioError {
        AudioError(pulse: pa_context_errno(handle), doing: action, server: server)
    }

    /// Returns the sample rate of a device, or of the default device if `device` is nil.
    package func nativeSampleRate(device: String?, end: Int64) throws(AudioError) -> Int {
        let this = Unmanaged.passUnretained(self).toOpaque()
        let request = locked { () -> Result<OpaquePointer, AudioError> in
            let operation = pa_context_get_sink_info_by_name(
                handle, device ?? "@DEFAULT_SINK@",
                { _, info, _, this in
                    guard let this else { return }
                    let context = Unmanaged<PulseContext>.fromOpaque(this).takeUnretainedValue()
                    if let info { context.sampleRate = Int(info.pointee.sample_spec.rate) }
                    context.report()
                }, this)
            return operation.map { .success($0) }
                ?? .failure(error(doing: "looking up the device"))
        }
        guard let operation = try request?.get() else {
            throw closed(doing: "looking up the device")
        }
        defer { _ = locked { pa_operation_unref(operation) } }
        return try wait(for: "looking up the device", end: end) { () throws(AudioError) in
            if let sampleRate { return sampleRate }
            if pa_operation_get_state(operation) == PA_OPERATION_RUNNING { return nil }
            throw error(doing: "looking up the device")
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

    /// The reason why the connection was lost; nil if it was not lost. Called with the lock held.
    private var stateError: AudioError? {
        switch pa_context_get_state(handle) {
        case PA_CONTEXT_FAILED: error(doing: "connecting")
        case PA_CONTEXT_TERMINATED: closed(doing: "playing")
        default: nil
        }
    }
}
