// SPDX-License-Identifier: Apache-2.0

import CPlayheadPulse
import PlayheadAudio

/// A request for a list of the server's devices, and for the names of the default devices.
///
/// A subclass collects the devices. Its callback calls `end(_:)` after the last device.
///
/// - Concurrency: one thread; the results are written under the main loop's lock.
/// - Ownership: callbacks refer to the query unretained, until `wait` has returned.
class PulseQuery {
    private let context: PulseContext
    /// The description of the request, for use in errors.
    private var request = ""
    private var isAnswered = false
    private var failure: AudioError?
    private(set) var defaultSink: String?
    private(set) var defaultSource: String?

    init(_ context: PulseContext) { self.context = context }

    /// Sends the request, and waits until the list is complete.
    ///
    /// - Parameters:
    ///   - request: The description of the request, for use in errors, such as `listing the
    ///     devices`.
    ///   - send: Requests the list. Its callback gets the pointer to the query, from which `from`
    ///     returns the query.
    func wait(
        for request: String, end: Int64,
        _ send: (OpaquePointer, UnsafeMutableRawPointer) -> OpaquePointer?
    ) throws(AudioError) {
        self.request = request
        let this = Unmanaged.passUnretained(self).toOpaque()
        let operations = context.locked {
            [
                pa_context_get_server_info(
                    context.handle, { _, info, this in PulseQuery.from(this)?.take(info) }, this),
                // The server answers in order, so the defaults are known when the list arrives.
                send(context.handle, this),
            ]
        }
        defer {
            _ = context.locked {
                for case .some(let operation) in operations ?? [] {
                    pa_operation_cancel(operation)
                    pa_operation_unref(operation)
                }
            }
        }
        try context.wait(for: request, end: end) { () throws(AudioError) -> Void? in
            if let failure { throw failure }
            if isAnswered { return () }
            if pa_context_get_state(context.handle) != PA_CONTEXT_READY {
                throw context.error(doing: request)
            }
            return nil
        }
    }

    /// Ends the list.
    ///
    /// - Parameter end: The server's mark: negative if the request failed.
    func end(_ end: CInt) {
        isAnswered = true
        if end < 0 { failure = context.error(doing: request) }
        context.report()
    }

    static func from(_ this: UnsafeMutableRawPointer?) -> PulseQuery? {
        this.map { Unmanaged<PulseQuery>.fromOpaque($0).takeUnretainedValue() }
    }

    private func take(_ info: UnsafePointer<pa_server_info>?) {
        defaultSink = info?.pointee.default_sink_name.map { String(cString: $0) }
        defaultSource = info?.pointee.default_source_name.map { String(cString: $0) }
    }
}
