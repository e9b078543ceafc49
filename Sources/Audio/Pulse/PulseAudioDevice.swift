// SPDX-License-Identifier: Apache-2.0

import CPlayheadPulse
public import PlayheadAudio
import PlayheadThreads
public import PlayheadTime

/// An output device of PulseAudio: loudspeakers, headphones, a display.
///
///     for device in try PulseAudioDevice.all() { print(device.name, device.title) }
///
/// - Corresponds to: `AVAudioSessionPortDescription`; `pa_sink_info`.
public struct PulseAudioDevice: Sendable, Hashable {
    /// The server's identifier of the device, for `PulseAudioOptions.device`.
    public var name: String
    /// The name to show to people, in their language.
    public var title: String
    /// A Boolean value that indicates whether this is the default device.
    public var isDefault: Bool
    /// The sample rate, in frames per second.
    public var sampleRate: Int
    /// The number of channels.
    public var channelCount: Int

    /// Returns the available devices, in the server's order.
    ///
    /// - Parameters:
    ///   - server: The server; nil for the server that the environment specifies.
    ///   - deadline: The maximum wait for the server.
    /// - Errors: thrown if there is no server or it does not answer.
    public static func all(
        server: String? = nil, deadline: MediaTime = MediaTime(value: 2, timescale: 1)
    ) throws(AudioError) -> [PulseAudioDevice] {
        let end = HostClock.nanoseconds + (deadline.nanoseconds ?? 2_000_000_000)
        let context = try PulseContext(applicationName: "Playhead", server: server, end: end)
        defer { context.close() }
        return try PulseDeviceQuery(context).answer(end: end)
    }
}

/// A request for the server's devices.
///
/// - Concurrency: one thread; the results are written under the main loop's lock.
/// - Ownership: callbacks refer to the query unretained, until `answer` has returned.
private final class PulseDeviceQuery {
    private let context: PulseContext
    private var defaultName: String?
    private var devices: [PulseAudioDevice] = []
    private var isAnswered = false
    private var failure: AudioError?

    init(_ context: PulseContext) { self.context = context }

    func answer(end: Int64) throws(AudioError) -> [PulseAudioDevice] {
        let this = Unmanaged.passUnretained(self).toOpaque()
        let operations = context.locked {
            [
                pa_context_get_server_info(
                    context.handle, { _, info, this in PulseDeviceQuery.from(this)?.take(info) },
                    this),
                // The answer to this request comes second, because the server keeps the order.
                pa_context_get_sink_info_list(
                    context.handle,
                    { _, info, end, this in PulseDeviceQuery.from(this)?.take(info, end: end) },
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
        try context.wait(for: "listing the devices", end: end) {
            () throws(AudioError) -> Void? in
            if let failure { throw failure }
            if isAnswered { return () }
            if pa_context_get_state(context.handle) != PA_CONTEXT_READY {
                throw context.error(doing: "listing the devices")
            }
            return nil
        }
        return devices
    }

    private static func from(_ this: UnsafeMutableRawPointer?) -> PulseDeviceQuery? {
        this.map { Unmanaged<PulseDeviceQuery>.fromOpaque($0).takeUnretainedValue() }
    }

    private func take(_ info: UnsafePointer<pa_server_info>?) {
        defaultName = info?.pointee.default_sink_name.map { String(cString: $0) }
    }

    private func take(_ info: UnsafePointer<pa_sink_info>?, end: CInt) {
        guard let info = info?.pointee, end == 0, let name = info.name else {
            isAnswered = true
            // A negative value means that the request failed. It does not mark the end of the list.
            if end < 0 { failure = context.error(doing: "listing the devices") }
            context.report()
            return
        }
        let identifier = String(cString: name)
        devices.append(
            PulseAudioDevice(
                name: identifier,
                title: info.description.map { String(cString: $0) } ?? identifier,
                isDefault: identifier == defaultName, sampleRate: Int(info.sample_spec.rate),
                channelCount: Int(info.sample_spec.channels)))
    }
}
