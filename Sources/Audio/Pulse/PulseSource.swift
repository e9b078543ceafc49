// SPDX-License-Identifier: Apache-2.0

import CPlayheadPulse
package import PlayheadAudio
package import PlayheadBuffers
import PlayheadThreads
package import PlayheadTime

/// A recording device of PulseAudio: a microphone, a line input, or the monitor of an output.
///
/// - Corresponds to: `pa_source_info`.
package struct PulseSource: Sendable, Hashable {
    /// The server's identifier of the device.
    package var name: String
    /// The name to show to people, in their language.
    package var title: String
    /// A Boolean value that indicates whether this is the default device.
    package var isDefault: Bool
    /// A Boolean value that indicates whether the device records what an output plays.
    package var isMonitor: Bool
    /// The format in which the device records.
    package var format: AudioFormat

    /// Returns the available devices: the default one first, and monitors last.
    ///
    /// - Errors: thrown if there is no server or it does not answer.
    package static func all(
        server: String? = nil, deadline: MediaTime = MediaTime(value: 2, timescale: 1)
    ) throws(AudioError) -> [PulseSource] {
        let end = HostClock.nanoseconds + (deadline.nanoseconds ?? 2_000_000_000)
        let context = try PulseContext(applicationName: "Playhead", server: server, end: end)
        defer { context.close() }
        let sources = try PulseSourceQuery(context).answer(end: end)
        return sources.filter(\.isDefault)
            + sources.filter { !$0.isDefault && !$0.isMonitor }
            + sources.filter { !$0.isDefault && $0.isMonitor }
    }
}

/// A request for the server's recording devices.
///
/// - Concurrency: one thread; the results are written under the main loop's lock.
/// - Ownership: callbacks refer to the query unretained, until `answer` has returned.
private final class PulseSourceQuery {
    private let context: PulseContext
    private var defaultName: String?
    private var sources: [PulseSource] = []
    private var isAnswered = false
    private var failure: AudioError?

    init(_ context: PulseContext) { self.context = context }

    func answer(end: Int64) throws(AudioError) -> [PulseSource] {
        let this = Unmanaged.passUnretained(self).toOpaque()
        let operations = context.locked {
            [
                pa_context_get_server_info(
                    context.handle, { _, info, this in PulseSourceQuery.from(this)?.take(info) },
                    this),
                // The server keeps the order, so the default is known when the list arrives.
                pa_context_get_source_info_list(
                    context.handle,
                    { _, info, end, this in PulseSourceQuery.from(this)?.take(info, end: end) },
                    this),
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
        try context.wait(for: "listing the recording devices", end: end) {
            () throws(AudioError) -> Void? in
            if let failure { throw failure }
            if isAnswered { return () }
            if pa_context_get_state(context.handle) != PA_CONTEXT_READY {
                throw context.error(doing: "listing the recording devices")
            }
            return nil
        }
        return sources
    }

    private static func from(_ this: UnsafeMutableRawPointer?) -> PulseSourceQuery? {
        this.map { Unmanaged<PulseSourceQuery>.fromOpaque($0).takeUnretainedValue() }
    }

    private func take(_ info: UnsafePointer<pa_server_info>?) {
        defaultName = info?.pointee.default_source_name.map { String(cString: $0) }
    }

    private func take(_ info: UnsafePointer<pa_source_info>?, end: CInt) {
        guard let info = info?.pointee, end == 0, let name = info.name else {
            isAnswered = true
            if end < 0 { failure = context.error(doing: "listing the recording devices") }
            context.report()
            return
        }
        let identifier = String(cString: name)
        sources.append(
            PulseSource(
                name: identifier,
                title: info.description.map { String(cString: $0) } ?? identifier,
                isDefault: identifier == defaultName,
                isMonitor: info.monitor_of_sink != UInt32.max,
                format: Self.format(info.sample_spec)))
    }

    /// The format for recording from a device: the server downmixes more than two channels.
    private static func format(_ specification: pa_sample_spec) -> AudioFormat {
        let rate = Int(specification.rate)
        return specification.channels == 1 ? .mono(sampleRate: rate) : .stereo(sampleRate: rate)
    }
}
