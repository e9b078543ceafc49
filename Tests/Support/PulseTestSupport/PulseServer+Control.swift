// SPDX-License-Identifier: Apache-2.0

import CPlayheadPulse
package import PlayheadAudio
import PlayheadPulse
import PlayheadThreads
import PlayheadTime

/// Operations on a server during playback.
extension PulseServer {
    /// Suspends or resumes a sink, as when a device is turned off or another program takes it.
    package func suspend(_ isSuspended: Bool, sink: String = "null") throws(AudioError) {
        try ask("suspending") { context, done, this in
            pa_context_suspend_sink_by_name(context, sink, isSuspended ? 1 : 0, done, this)
        }
    }

    /// Loads a module, and waits until it is loaded.
    package func load(module: String, arguments: String = "") throws(AudioError) {
        let box = ReplyBox()
        try request("loading \(module)", box) { context, this in
            pa_context_load_module(
                context, module, arguments,
                { _, index, this in ReplyBox.from(this)?.answer(index != UInt32.max) }, this)
        }
    }

    /// A Boolean value that indicates whether the server has a paused stream.
    package var hasPausedStream: Bool {
        let box = ReplyBox()
        let isFound: Void? = try? request("looking for a paused stream", box) { context, this in
            pa_context_get_sink_input_info_list(
                context,
                { _, stream, isEnd, this in
                    if isEnd != 0 {
                        // After a stream was found, this call has no effect.
                        ReplyBox.from(this)?.answer(false)
                    } else if stream?.pointee.corked == 1 {
                        ReplyBox.from(this)?.answer(true)
                    }
                }, this)
        }
        return isFound != nil
    }

    private func ask(
        _ action: String,
        _ body: (
            OpaquePointer, @escaping pa_context_success_cb_t, UnsafeMutableRawPointer
        ) -> OpaquePointer?
    ) throws(AudioError) {
        let box = ReplyBox()
        try request(action, box) { context, this in
            body(context, { _, isDone, this in ReplyBox.from(this)?.answer(isDone != 0) }, this)
        }
    }

    private func request(
        _ action: String, _ box: ReplyBox,
        _ body: (OpaquePointer, UnsafeMutableRawPointer) -> OpaquePointer?
    ) throws(AudioError) {
        let end = HostClock.nanoseconds + 60_000_000_000
        let context = try PulseContext(applicationName: "Control", server: address, end: end)
        // The context is closed before the box is released, so that no callback follows.
        defer { context.close() }
        let this = Unmanaged.passUnretained(box).toOpaque()
        let operation = context.locked { body(context.handle, this) }
        defer {
            if case .some(.some(let operation)) = operation {
                _ = context.locked { pa_operation_unref(operation) }
            }
        }
        guard box.reply.wait(nanoseconds: 60_000_000_000, until: { $0 }) == true else {
            throw context.error(doing: action)
        }
    }
}

/// Receives the server's answer.
private final class ReplyBox: Sendable {
    let reply = Monitor<Bool?>(nil)

    /// The first answer counts.
    func answer(_ isDone: Bool) { reply.change { if $0 == nil { $0 = isDone } } }

    static func from(_ this: UnsafeMutableRawPointer?) -> ReplyBox? {
        this.map { Unmanaged<ReplyBox>.fromOpaque($0).takeUnretainedValue() }
    }
}
