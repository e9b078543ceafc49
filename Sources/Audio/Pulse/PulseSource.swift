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
        let sources = try PulseSourceQuery(context).sources(end: end)
        return sources.filter(\.isDefault)
            + sources.filter { !$0.isDefault && !$0.isMonitor }
            + sources.filter { !$0.isDefault && $0.isMonitor }
    }
}

/// A request for the server's recording devices.
private final class PulseSourceQuery: PulseQuery {
    private var sources: [PulseSource] = []

    func sources(end: Int64) throws(AudioError) -> [PulseSource] {
        try wait(for: "listing the recording devices", end: end) { handle, this in
            pa_context_get_source_info_list(
                handle,
                { _, info, end, this in
                    (PulseQuery.from(this) as? PulseSourceQuery)?.take(info, end: end)
                }, this)
        }
        return sources
    }

    private func take(_ info: UnsafePointer<pa_source_info>?, end mark: CInt) {
        guard let info = info?.pointee, mark == 0, let name = info.name else { return end(mark) }
        let identifier = String(cString: name)
        sources.append(
            PulseSource(
                name: identifier,
                title: info.description.map { String(cString: $0) } ?? identifier,
                isDefault: identifier == defaultSource,
                isMonitor: info.monitor_of_sink != UInt32.max,
                format: Self.format(info.sample_spec)))
    }

    /// The format for recording from a device: the server downmixes more than two channels.
    private static func format(_ specification: pa_sample_spec) -> AudioFormat {
        let rate = Int(specification.rate)
        return specification.channels == 1 ? .mono(sampleRate: rate) : .stereo(sampleRate: rate)
    }
}
