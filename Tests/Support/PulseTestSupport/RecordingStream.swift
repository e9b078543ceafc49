// SPDX-License-Identifier: Apache-2.0

import CPlayheadPulse
import PlayheadAudio
import PlayheadPulse
import PlayheadThreads
import PlayheadTime

/// The record stream of a `PulseRecorder`.
///
/// - Concurrency: any thread; `stream` is used with the context's lock held.
/// - Ownership: callbacks refer to it unretained, so it is closed before it is released; not in
///   `deinit`, which could run in a callback.
final class RecordingStream: @unchecked Sendable {
    typealias Recording = PulseRecorder.Recording

    private let context: PulseContext
    private var stream: OpaquePointer?
    private let recording: Monitor<Recording>
    private let channelCount: Int
    /// A Boolean value that indicates whether samples have come since the last reading.
    private var awaitsReading = false

    init(
        server: String?, source: String, sampleRate: Int, channelCount: Int
    ) throws(AudioError) {
        self.channelCount = channelCount
        recording = Monitor(Recording(sampleRate: sampleRate, channelCount: channelCount))
        let end = HostClock.nanoseconds + 60_000_000_000
        context = try PulseContext(applicationName: "Recorder", server: server, end: end)
        do throws(AudioError) {
            try open(source: source, sampleRate: sampleRate, end: end)
        } catch {
            close()
            throw error
        }
    }

    /// Ends the recording.
    func close() {
        _ = context.locked {
            guard let stream else { return }
            pa_stream_set_state_callback(stream, nil, nil)
            pa_stream_set_read_callback(stream, nil, nil)
            pa_stream_set_latency_update_callback(stream, nil, nil)
            pa_stream_disconnect(stream)
            pa_stream_unref(stream)
            self.stream = nil
        }
        context.close()
    }

    func wait(seconds: Double, until condition: (Recording) -> Bool) -> Recording {
        let found = recording.wait(nanoseconds: Int64(seconds * 1e9)) { recording in
            condition(recording) ? recording : nil
        }
        return found ?? recording.withLock { $0 }
    }

    private func open(source: String, sampleRate: Int, end: Int64) throws(AudioError) {
        let opened = context.locked { () -> Bool in
            var specification = pa_sample_spec(
                format: playhead_pulse_float_format(), rate: UInt32(sampleRate),
                channels: UInt8(channelCount))
            guard let stream = pa_stream_new(context.handle, "Recording", &specification, nil)
            else { return false }
            self.stream = stream
            let this = Unmanaged.passUnretained(self).toOpaque()
            pa_stream_set_state_callback(
                stream, { _, this in RecordingStream.from(this)?.context.report() }, this)
            pa_stream_set_read_callback(
                stream, { _, _, this in RecordingStream.from(this)?.take() }, this)
            pa_stream_set_latency_update_callback(
                stream, { _, this in RecordingStream.from(this)?.takeReading() }, this)
            // PA_STREAM_ADJUST_LATENCY: the sink renders in blocks as short as the recorder's.
            var attributes = pa_buffer_attr(
                maxlength: playhead_pulse_default(), tlength: playhead_pulse_default(),
                prebuf: playhead_pulse_default(), minreq: playhead_pulse_default(),
                fragsize: UInt32(sampleRate / 50 * channelCount * 4))
            let flags = pa_stream_flags_t(
                rawValue: PA_STREAM_AUTO_TIMING_UPDATE.rawValue
                    | PA_STREAM_ADJUST_LATENCY.rawValue)
            return pa_stream_connect_record(stream, source, &attributes, flags) >= 0
        }
        guard opened == true else { throw context.error(doing: "recording") }
        try context.wait(for: "recording", end: end) { () throws(AudioError) -> Void? in
            guard let stream else { return nil }
            switch pa_stream_get_state(stream) {
            case PA_STREAM_READY: return ()
            case PA_STREAM_FAILED, PA_STREAM_TERMINATED: throw context.error(doing: "recording")
            default: return nil
            }
        }
    }

    private static func from(_ this: UnsafeMutableRawPointer?) -> RecordingStream? {
        this.map { Unmanaged<RecordingStream>.fromOpaque($0).takeUnretainedValue() }
    }

    private func take() {
        guard let stream else { return }
        var data: UnsafeRawPointer?
        var size = 0
        while pa_stream_readable_size(stream) > 0, pa_stream_peek(stream, &data, &size) == 0,
            size > 0
        {
            let count = size / MemoryLayout<Float>.size
            // A hole has a size, but no data.
            if let data {
                let samples = UnsafeBufferPointer(
                    start: data.assumingMemoryBound(to: Float.self), count: count)
                recording.change { $0.samples.append(contentsOf: samples) }
            } else {
                recording.change { $0.samples.append(contentsOf: repeatElement(0, count: count)) }
            }
            pa_stream_drop(stream)
        }
        awaitsReading = true
        if let operation = pa_stream_update_timing_info(stream, nil, nil) {
            pa_operation_unref(operation)
        }
    }

    private func takeReading() {
        // PipeWire stamps its answers with the current time, but its index changes once in a cycle.
        // An answer right after samples have come has both times close together.
        guard awaitsReading, let stream, let info = pa_stream_get_timing_info(stream)?.pointee,
            info.write_index_corrupt == 0, info.write_index > 0
        else { return }
        awaitsReading = false
        let hostTime = info.hostTime
        recording.change { recording in
            let rate = Double(recording.sampleRate)
            let written = Double(info.write_index) / Double(channelCount * 4)
            let ahead = Double(info.sink_usec) - Double(info.source_usec)
            let frame = written - ahead * rate / 1e6
            // A rewind at the sink, when a stream connects or disconnects, restarts the count.
            recording.readings.removeAll { $0.frame >= frame || $0.hostTime >= hostTime }
            recording.readings.append((frame, hostTime))
        }
    }
}
