// SPDX-License-Identifier: Apache-2.0

import CPlayheadPulse
public import PlayheadAudio
import PlayheadPulse
import PlayheadThreads
import PlayheadTime

/// Records the monitor of a sink, and knows at which host time each sample was heard.
///
/// A monitor delivers what the sink *renders*, which is heard only when the sink's latency has
/// passed. The server says how long that is at the moment that it stamps: when it had captured
/// frame *n*, frame *n* less the latency was being heard. (That is why `pa_stream_get_latency` of a
/// monitor is negative.) A null sink renders in blocks of some ten milliseconds, and its latency
/// falls from one block to the next by what the clock rises, so the difference is smooth. A line
/// through the readings gives each sample its host time.
///
/// - Concurrency: any thread.
public final class PulseRecorder: @unchecked Sendable {
    // Unchecked: `stream` is used with the context's lock held.

    /// What was recorded.
    public struct Recording: Sendable {
        public var sampleRate: Int
        public var channelCount: Int
        /// Interleaved.
        public var samples: [Float] = []
        /// The frame, with its fraction, that was being heard at a host time in nanoseconds.
        var readings: [(frame: Double, hostTime: Int64)] = []

        public var frameCount: Int { samples.count / channelCount }

        /// The host time at which a frame was heard, in nanoseconds, from the least-squares line
        /// through the readings; nil for want of readings.
        public func hostTime(ofFrame frame: Double) -> Int64? {
            guard readings.count > 1, let base = readings.first?.hostTime else { return nil }
            let count = Double(readings.count)
            let meanFrame = readings.reduce(0) { $0 + $1.frame } / count
            let meanTime = readings.reduce(0) { $0 + Double($1.hostTime - base) } / count
            var covariance = 0.0
            var variance = 0.0
            for reading in readings {
                let distance = reading.frame - meanFrame
                covariance += distance * (Double(reading.hostTime - base) - meanTime)
                variance += distance * distance
            }
            guard variance > 0 else { return nil }
            let slope = covariance / variance
            return base + Int64((meanTime + (frame - meanFrame) * slope).rounded())
        }

        /// The largest distance of a reading from the line, in nanoseconds.
        public var readingDeviation: Int64 {
            readings.map { abs((hostTime(ofFrame: $0.frame) ?? 0) - $0.hostTime) }.max() ?? 0
        }

        /// The first frames of sounds: those louder than `threshold` after `silence` frames that
        /// are not, in the first channel.
        public func onsets(threshold: Float = 0.1, silence: Int = 480) -> [Int] {
            var result: [Int] = []
            var quiet = silence
            for frame in 0..<frameCount {
                if abs(samples[frame * channelCount]) > threshold {
                    if quiet >= silence { result.append(frame) }
                    quiet = 0
                } else {
                    quiet += 1
                }
            }
            return result
        }
    }

    private let context: PulseContext
    private var stream: OpaquePointer?
    private let recording: Monitor<Recording>
    private let channelCount: Int

    /// Starts recording.
    ///
    /// - Parameters:
    ///   - server: as `PULSE_SERVER`; nil for the environment's.
    ///   - source: the name of a sink's monitor.
    public init(
        server: String?, source: String = "null.monitor", sampleRate: Int = 48_000,
        channelCount: Int = 2
    ) throws(AudioError) {
        self.channelCount = channelCount
        recording = Monitor(Recording(sampleRate: sampleRate, channelCount: channelCount))
        let end = HostClock.nanoseconds + 5_000_000_000
        context = try PulseContext(applicationName: "Recorder", server: server, end: end)
        try open(source: source, sampleRate: sampleRate, end: end)
    }

    deinit { close() }

    /// Ends the recording.
    public func close() {
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

    /// Waits until `condition` holds of what has been recorded, at most `seconds`.
    ///
    /// - Returns: what has been recorded by then.
    public func wait(
        seconds: Double, until condition: (Recording) -> Bool = { _ in false }
    ) -> Recording {
        let found = recording.wait(nanoseconds: Int64(seconds * 1e9)) { recording in
            condition(recording) ? recording : nil
        }
        return found ?? recording.withLock { $0 }
    }

    /// Waits until everything that is heard up to a host time, in nanoseconds, is recorded.
    public func wait(untilHostTime hostTime: Int64) -> Recording {
        let seconds = Double(hostTime - HostClock.nanoseconds) / 1e9 + 5
        return wait(seconds: seconds) { recording in
            guard let last = recording.readings.last, last.hostTime > hostTime else { return false }
            return Double(recording.frameCount) >= last.frame
        }
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
                stream, { _, this in PulseRecorder.from(this)?.context.report() }, this)
            pa_stream_set_read_callback(
                stream, { _, _, this in PulseRecorder.from(this)?.take() }, this)
            pa_stream_set_latency_update_callback(
                stream, { _, this in PulseRecorder.from(this)?.takeReading() }, this)
            // Not PA_STREAM_ADJUST_LATENCY: what is measured is not to depend on the measuring.
            var attributes = pa_buffer_attr(
                maxlength: playhead_pulse_default(), tlength: playhead_pulse_default(),
                prebuf: playhead_pulse_default(), minreq: playhead_pulse_default(),
                fragsize: UInt32(sampleRate / 50 * channelCount * 4))
            return pa_stream_connect_record(
                stream, source, &attributes, PA_STREAM_AUTO_TIMING_UPDATE) >= 0
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

    private static func from(_ this: UnsafeMutableRawPointer?) -> PulseRecorder? {
        this.map { Unmanaged<PulseRecorder>.fromOpaque($0).takeUnretainedValue() }
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
        if let operation = pa_stream_update_timing_info(stream, nil, nil) {
            pa_operation_unref(operation)
        }
    }

    private func takeReading() {
        guard let stream, let info = pa_stream_get_timing_info(stream)?.pointee,
            info.write_index_corrupt == 0
        else { return }
        let hostTime = info.hostTime
        recording.change { recording in
            let rate = Double(recording.sampleRate)
            let written = Double(info.write_index) / Double(channelCount * 4)
            let ahead = Double(info.sink_usec) - Double(info.source_usec)
            recording.readings.append((written - ahead * rate / 1e6, hostTime))
        }
    }
}
