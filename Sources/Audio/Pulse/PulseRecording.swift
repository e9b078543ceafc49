// SPDX-License-Identifier: Apache-2.0

import CPlayheadPulse
package import PlayheadAudio
package import PlayheadBuffers
import PlayheadThreads
import PlayheadTime

/// A record stream with its own connection, from `init` to `close`.
///
/// The server counts the samples that a device has captured, and reports the count with a host
/// time. These readings drive the clock, so the time of a sample is its number divided by the rate:
/// it does not depend on when the sample arrives, and no sample is added or dropped.
///
/// - Concurrency: any thread except the connection's own thread may create and close it. The main
///   loop's lock, which the loop holds during callbacks, guards all variables.
/// - Ownership: callbacks refer to the recording unretained, until `close`, which the owner must
///   call; see `PulseContext`.
package final class PulseRecording: @unchecked Sendable {
    // Unchecked: the lock of the main loop guards all variables, as described above.

    /// An event of the stream.
    package enum Event: Sendable {
        /// Samples, with their time on the clock.
        case samples(AudioBuffer)
        /// The server has suspended the device.
        case suspended
        /// The stream or the connection has failed. No event follows.
        case failed(AudioError)
    }

    private let format: AudioFormat
    private let clock: AudioClock
    private let conversion: FrameRateConversion
    private let frameBytes: Int
    private let context: PulseContext
    private let receiver: @Sendable (Event) -> Void
    private var stream: OpaquePointer?
    /// The clock time of sample frame 0, in nanoseconds; nil before the first reading of a run.
    private var offset: Int64?
    /// The number of the next sample frame.
    private var nextFrame: Int64 = 0
    /// The samples that wait for the first reading, with the number of their first frame.
    private var waiting: [(frame: Int64, samples: [Float])] = []
    private var lastRequest: Int64 = 0
    private var hasFailed = false

    /// The duration of a block, in milliseconds.
    private static let fragmentMilliseconds = 10
    /// The interval between requests for the recording position, in nanoseconds.
    private static let readingInterval: Int64 = 100_000_000
    /// The largest number of blocks that wait for the first reading. Older blocks are dropped.
    private static let maximumWaiting = 200

    /// Connects to the server and starts to record. Waits for both.
    ///
    /// - Parameters:
    ///   - server: The server; nil for the server that the environment specifies.
    ///   - source: The name of the device.
    ///   - clock: The clock of the device. This call begins a new run of the clock.
    ///   - receiver: Receives events, on the connection's thread. It must not wait.
    package init(
        server: String?, source: String, format: AudioFormat, clock: AudioClock,
        deadlineNanoseconds: Int64 = 2_000_000_000,
        receiver: @escaping @Sendable (Event) -> Void
    ) throws(AudioError) {
        let end = HostClock.nanoseconds + deadlineNanoseconds
        self.format = format
        self.clock = clock
        self.receiver = receiver
        conversion = FrameRateConversion(sampleRate: format.sampleRate)
        frameBytes = format.channelCount * MemoryLayout<Float>.size
        context = try PulseContext(applicationName: "Playhead", server: server, end: end)
        clock.beginRun()
        do throws(AudioError) {
            try open(source, end: end)
        } catch {
            close()
            throw error.naming(device: source)
        }
        context.setFailureHandler { [weak self] error in self?.fail(error) }
    }

    /// Ends the stream and the connection. The receiver is not called afterwards. Must not be
    /// called on the connection's thread.
    package func close() {
        _ = context.locked {
            guard let stream else { return }
            PulseContext.end(stream)
            self.stream = nil
        }
        context.close()
    }

    /// A Boolean value that indicates whether the caller is the connection's own thread.
    package var isOwnThread: Bool { context.isOwnThread }

    // MARK: - Opening

    private func open(_ source: String, end: Int64) throws(AudioError) {
        let opened = context.locked { () -> AudioError? in
            var specification = pa_sample_spec(
                format: playhead_pulse_float_format(), rate: UInt32(clamping: format.sampleRate),
                channels: UInt8(clamping: format.channelCount))
            var map = pa_channel_map(format.channels)
            guard let stream = pa_stream_new(context.handle, "Recording", &specification, &map)
            else { return context.error(doing: "recording") }
            self.stream = stream
            setCallbacks(stream)
            let frames = max(1, format.sampleRate * Self.fragmentMilliseconds / 1000)
            var attributes = pa_buffer_attr(
                maxlength: playhead_pulse_default(), tlength: playhead_pulse_default(),
                prebuf: playhead_pulse_default(), minreq: playhead_pulse_default(),
                fragsize: UInt32(clamping: frames * frameBytes))
            let flags = pa_stream_flags_t(
                rawValue: PA_STREAM_AUTO_TIMING_UPDATE.rawValue
                    | PA_STREAM_ADJUST_LATENCY.rawValue)
            let status = pa_stream_connect_record(stream, source, &attributes, flags)
            return status < 0 ? context.error(doing: "recording") : nil
        }
        guard let opened else { throw context.closed(doing: "recording") }
        if let opened { throw opened }
        try context.wait(for: "recording", end: end) { () throws(AudioError) -> Void? in
            guard let stream else { return nil }
            switch pa_stream_get_state(stream) {
            case PA_STREAM_READY: return ()
            case PA_STREAM_FAILED, PA_STREAM_TERMINATED: throw context.error(doing: "recording")
            default: return nil
            }
        }
        _ = context.locked { requestReading() }
    }

    private func setCallbacks(_ stream: OpaquePointer) {
        let this = Unmanaged.passUnretained(self).toOpaque()
        pa_stream_set_state_callback(
            stream, { _, this in PulseRecording.from(this)?.stateChanged() }, this)
        pa_stream_set_read_callback(
            stream, { _, _, this in PulseRecording.from(this)?.read() }, this)
        pa_stream_set_latency_update_callback(
            stream, { _, this in PulseRecording.from(this)?.takeReading() }, this)
        pa_stream_set_moved_callback(
            stream, { _, this in PulseRecording.from(this)?.interrupt(isNewDevice: true) }, this)
        pa_stream_set_suspended_callback(
            stream, { _, this in PulseRecording.from(this)?.suspensionChanged() }, this)
    }

    private static func from(_ this: UnsafeMutableRawPointer?) -> PulseRecording? {
        this.map { Unmanaged<PulseRecording>.fromOpaque($0).takeUnretainedValue() }
    }

    // MARK: - The connection's thread

    private func stateChanged() {
        context.report()
        guard let stream else { return }
        switch pa_stream_get_state(stream) {
        case PA_STREAM_FAILED: fail(context.error(doing: "recording"))
        case PA_STREAM_TERMINATED:
            fail(
                AudioError(
                    pulse: CInt(PA_ERR_KILLED.rawValue), doing: "recording", server: context.server)
            )
        default: break
        }
    }

    private func fail(_ error: AudioError) {
        guard !hasFailed else { return }
        hasFailed = true
        receiver(.failed(error))
    }

    private func suspensionChanged() {
        guard let stream else { return }
        interrupt(isNewDevice: false)
        if pa_stream_is_suspended(stream) > 0 { receiver(.suspended) }
    }

    /// Begins a new run, because the stream was moved, or its device suspended or resumed.
    private func interrupt(isNewDevice: Bool) {
        clock.beginRun(isNewDevice: isNewDevice)
        offset = nil
        requestReading()
    }

    private func requestReading() {
        guard let stream else { return }
        lastRequest = HostClock.nanoseconds
        if let operation = pa_stream_update_timing_info(stream, nil, nil) {
            pa_operation_unref(operation)
        }
    }

    /// Adds a reading of the server's position.
    ///
    /// At the time of the stamp, the samples up to `write_index` were in the stream's buffer, and
    /// the device had captured another `source_usec` of audio. A monitor delivers samples when the
    /// output renders them, `sink_usec` before they are heard.
    private func takeReading() {
        guard let stream, let info = pa_stream_get_timing_info(stream)?.pointee,
            info.write_index_corrupt == 0, info.write_index > 0
        else { return }
        let written = conversion.nanoseconds(frames: info.write_index / Int64(frameBytes))
        let captured =
            written + (Int64(clamping: info.source_usec) - Int64(clamping: info.sink_usec)) * 1_000
        offset = clock.addReading(deviceTime: captured, hostTime: info.hostTime)
        for (frame, samples) in waiting { deliver(samples, at: frame) }
        waiting.removeAll()
    }

    private func read() {
        guard let stream else { return }
        var data: UnsafeRawPointer?
        var size = 0
        while pa_stream_readable_size(stream) > 0, pa_stream_peek(stream, &data, &size) == 0,
            size > 0
        {
            let count = size / frameBytes
            var samples = [Float](repeating: 0, count: count * format.channelCount)
            // A hole has a size, but no data: it is silence.
            if let data {
                samples.withUnsafeMutableBytes {
                    $0.copyMemory(
                        from: UnsafeRawBufferPointer(start: data, count: $0.count))
                }
            }
            pa_stream_drop(stream)
            let frame = nextFrame
            nextFrame += Int64(count)
            if offset != nil {
                deliver(samples, at: frame)
            } else {
                if waiting.count == Self.maximumWaiting { waiting.removeFirst() }
                waiting.append((frame, samples))
            }
        }
        if HostClock.nanoseconds - lastRequest > Self.readingInterval { requestReading() }
    }

    private func deliver(_ samples: [Float], at frame: Int64) {
        guard let offset, !samples.isEmpty else { return }
        let time = MediaTime(nanoseconds: offset + conversion.nanoseconds(frames: frame))
        let buffer = AudioBuffer(
            format: format, presentationTime: time,
            frameCount: samples.count / format.channelCount
        ) { target in
            for index in target.indices { target[index] = samples[index] }
        }
        receiver(.samples(buffer))
    }
}
