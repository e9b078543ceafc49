// SPDX-License-Identifier: Apache-2.0

import CPlayheadPulse
public import PlayheadAudio
import PlayheadThreads
public import PlayheadTime

/// A device that PulseAudio plays on: loudspeakers, headphones, a display.
///
///     for device in try PulseAudioDevice.all() { print(device.name, device.title) }
///
/// - Corresponds to: `AVAudioSessionPortDescription`; `pa_sink_info`.
public struct PulseAudioDevice: Sendable, Hashable {
    /// What the server knows it by: what `PulseAudioSink.Options.device` takes.
    public var name: String
    /// For people, in their language.
    public var title: String
    /// Whether it is where sound goes unless one says otherwise.
    public var isDefault: Bool
    /// Frames a second at which it runs.
    public var sampleRate: Int
    /// How many channels it has.
    public var channelCount: Int

    /// The devices that there are, in the server's order.
    ///
    /// - Parameters:
    ///   - server: nil for the environment's.
    ///   - deadline: how long to wait for it.
    /// - Errors: where there is no server, or it does not answer.
    public static func all(
        server: String? = nil, deadline: MediaTime = MediaTime(value: 2, timescale: 1)
    ) throws(AudioError) -> [PulseAudioDevice] {
        let end = HostClock.nanoseconds + (deadline.nanoseconds ?? 2_000_000_000)
        let context = try PulseContext(applicationName: "Playhead", server: server, end: end)
        defer { context.close() }
        return try PulseDeviceQuery(context).answer(end: end)
    }
}

/// Asks the server for its devices.
///
/// - Concurrency: one thread; what is written down is under the main loop's lock.
/// - Ownership: callbacks refer to it unretained, until `answer` has returned.
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
                // Answered after the first: the server does things in order.
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
        try context.wait(for: "asking for the devices", end: end) {
            () throws(AudioError) -> Void? in
            if let failure { throw failure }
            if isAnswered { return () }
            if pa_context_get_state(context.handle) != PA_CONTEXT_READY {
                throw context.error(doing: "asking for the devices")
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
            // Below 0 it is not the end of the list, but of the attempt.
            if end < 0 { failure = context.error(doing: "asking for the devices") }
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
