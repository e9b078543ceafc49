// SPDX-License-Identifier: Apache-2.0

import CPlayheadPulse
import PlayheadAudio
import PlayheadThreads
import PlayheadTime

/// A watch over the server's recording devices, which also notices that the server ends or starts.
///
/// - Concurrency: any thread.
/// - Ownership: a thread runs until `stop`.
package final class PulseSourceWatch: Sendable {
    private struct State {
        var isStopped = false
        /// The number of changes that the server has reported.
        var changes = 0
        var hasFailed = false
    }

    private let server: String?
    private let handler: @Sendable () -> Void
    private let state = Monitor(State())
    private static let retryNanoseconds: Int64 = 1_000_000_000

    /// Watches a server; nil for the server that the environment specifies.
    ///
    /// - Parameter handler: Called after devices have come or gone, on the watch's thread.
    package init(server: String?, _ handler: @escaping @Sendable () -> Void) {
        self.server = server
        self.handler = handler
        _ = WorkerThread(name: "ph-devices") { [self] in run() }
    }

    /// Ends the watch soon. Does not wait.
    package func stop() { state.change { $0.isStopped = true } }

    private func run() {
        while !state.withLock({ $0.isStopped }) {
            if let context = connect() {
                handler()
                while waitForChange() { handler() }
                context.close()
                if state.withLock({ $0.isStopped }) { return }
                // The server is gone, and its devices with it.
                handler()
            }
            _ = state.wait(nanoseconds: Self.retryNanoseconds) { $0.isStopped ? true : nil }
        }
    }

    private func connect() -> PulseContext? {
        state.change { $0.hasFailed = false }
        let end = HostClock.nanoseconds + 2_000_000_000
        guard
            let context = try? PulseContext(applicationName: "Playhead", server: server, end: end)
        else { return nil }
        context.setFailureHandler { [state] _ in state.change { $0.hasFailed = true } }
        let this = Unmanaged.passUnretained(self).toOpaque()
        _ = context.locked {
            pa_context_set_subscribe_callback(
                context.handle,
                { _, _, _, this in
                    guard let this else { return }
                    let watch = Unmanaged<PulseSourceWatch>.fromOpaque(this)
                        .takeUnretainedValue()
                    watch.state.change { $0.changes += 1 }
                }, this)
            let mask = pa_subscription_mask_t(
                rawValue: PA_SUBSCRIPTION_MASK_SOURCE.rawValue
                    | PA_SUBSCRIPTION_MASK_SERVER.rawValue)
            if let operation = pa_context_subscribe(context.handle, mask, nil, nil) {
                pa_operation_unref(operation)
            }
        }
        return context
    }

    /// Waits for a change. Returns false if the server is gone or the watch is stopped.
    private func waitForChange() -> Bool {
        state.wait { state -> Bool? in
            if state.isStopped || state.hasFailed { return false }
            guard state.changes > 0 else { return nil }
            state.changes = 0
            return true
        }
    }
}
