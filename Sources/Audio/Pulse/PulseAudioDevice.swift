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
        return try PulseDeviceQuery(context).devices(end: end)
    }
}

/// A request for the server's output devices.
private final class PulseDeviceQuery: PulseQuery {
    private var devices: [PulseAudioDevice] = []

    func devices(end: Int64) throws(AudioError) -> [PulseAudioDevice] {
        try wait(for: "listing the devices", end: end) { handle, this in
            pa_context_get_sink_info_list(
                handle,
                { _, info, end, this in
                    (PulseQuery.from(this) as? PulseDeviceQuery)?.take(info, end: end)
                }, this)
        }
        return devices
    }

    private func take(_ info: UnsafePointer<pa_sink_info>?, end mark: CInt) {
        guard let info = info?.pointee, mark == 0, let name = info.name else { return end(mark) }
        let identifier = String(cString: name)
        devices.append(
            PulseAudioDevice(
                name: identifier,
                title: info.description.map { String(cString: $0) } ?? identifier,
                isDefault: identifier == defaultSink, sampleRate: Int(info.sample_spec.rate),
                channelCount: Int(info.sample_spec.channels)))
    }
}
