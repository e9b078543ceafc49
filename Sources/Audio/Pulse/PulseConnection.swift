// SPDX-License-Identifier: Apache-2.0

import CPlayheadPulse
import PlayheadAudio
import PlayheadBuffers
import PlayheadTime
import Synchronization

/// A playback stream with its own connection, from `init` to `close`.
///
/// The stream runs freely: with a prebuffer of 0, the server continues to count during an underrun,
/// plays silence in place of late data, and drops the late data when it arrives. Stream frame n is
/// therefore always heard n / rate after frame 0, and a late block needs no correction.
///
/// - Concurrency: any thread except the connection's own thread. The main loop's lock, which the
///   loop holds during callbacks, guards all variables.
/// - Ownership: callbacks refer to the connection unretained, until `close`, which the owner must
///   call; see `PulseContext`.
final class PulseConnection: @unchecked Sendable {
    // Unchecked: the lock of the main loop guards all variables, as described above.

    /// The state of the stream.
    enum Phase {
        /// The stream is corked, and its buffer is empty.
        case halted
        /// The stream plays silence, until the server reports when the silence is heard.
        case acquiring
        /// The stream plays its source. The value is the clock time of stream frame 0, in
        /// nanoseconds.
        case playing(offset: Int64)
    }

    let format: AudioFormat
    let clock: AudioClock
    let conversion: FrameRateConversion
    let frameBytes: Int
    private let context: PulseContext
    private(set) var stream: OpaquePointer?
    /// The last measured time from writing a frame until it is heard, in nanoseconds.
    let measuredLatency: Atomic<Int64>
    /// The number of times that the server had no data during playback.
    let underruns = Atomic<Int>(0)

    /// A Boolean value that indicates whether the device was suspended according to the last
    /// report, and has played nothing since.
    let isAsleep = Atomic(false)

    var phase = Phase.halted
    var source: (any AudioSource)?
    /// The next stream frame to be written.
    var nextFrame: Int64 = 0
    /// The host time of the last request for a reading.
    var lastRequest: Int64 = 0
    /// The extra latency that the server does not report, in nanoseconds, by device name.
    private var offsets: [String: Int64]
    /// The extra latency of the device that plays, in nanoseconds.
    private(set) var offset: Int64 = 0
    private var onInterruption: (@Sendable (AudioInterruption) -> Void)?
    /// The handler that is called when a device that was suspended begins to play.
    var onAwakening: (@Sendable () -> Void)?
    private var failure: AudioError?
    private var onFailure: (@Sendable (AudioError) -> Void)?

    /// The time that a resumed stream needs until its first reading, in nanoseconds. The server
    /// needs one or two blocks for that.
    private static let acquisitionNanoseconds: Int64 = 30_000_000

    /// Connects and creates a corked stream.
    ///
    /// - Parameter format: The format; nil for the format in the options.
    init(
        options: PulseAudioOptions, clock: AudioClock, format: AudioFormat?
    ) throws(AudioError) {
        let end = HostClock.nanoseconds + (options.deadline.nanoseconds ?? 2_000_000_000)
        let context = try PulseContext(
            applicationName: options.applicationName, server: options.server, end: end)
        self.context = context
        self.clock = clock
        offsets = options.latencyOffsets.mapValues { $0.nanoseconds ?? 0 }
        measuredLatency = Atomic(options.latency.nanoseconds ?? 40_000_000)
        do throws(AudioError) {
            if let format {
                self.format = format
            } else if let rate = options.sampleRate {
                self.format = AudioFormat(sampleRate: rate, channels: options.channels)
            } else {
                let rate = try context.nativeSampleRate(device: options.device, end: end)
                self.format = AudioFormat(sampleRate: rate, channels: options.channels)
            }
        } catch {
            context.close()
            throw error.naming(device: options.device)
        }
        conversion = FrameRateConversion(sampleRate: self.format.sampleRate)
        frameBytes = self.format.channelCount * MemoryLayout<Float>.size
        do throws(AudioError) {
            try openStream(options: options, end: end)
        } catch {
            close()
            throw error.naming(device: options.device)
        }
    }

    /// Ends the stream and the connection. Must not be called on the connection's thread.
    func close() {
        _ = context.locked {
            onFailure = nil
            onInterruption = nil
            onAwakening = nil
            source = nil
            guard let stream else { return }
            PulseContext.end(stream)
            self.stream = nil
        }
        context.close()
    }

    /// The time, in nanoseconds, from resuming the stream until audio can be heard. A timeline must
    /// be anchored at least this far in the future, so that no audio is lost.
    var latency: Int64 {
        measuredLatency.load(ordering: .relaxed) + Self.acquisitionNanoseconds
    }

    /// Calls `handler` on the connection's thread, once, when the connection or the stream fails.
    func onFailure(_ handler: @escaping @Sendable (AudioError) -> Void) {
        context.setFailureHandler { [weak self] error in self?.fail(error) }
        _ = context.locked {
            onFailure = handler
            if let failure { handler(failure) }
        }
    }

    func setSource(_ source: (any AudioSource)?) {
        // The last reference to the old source may be released here, and deallocation must not
        // happen under the lock.
        let old = context.locked { () -> (any AudioSource)? in
            defer { self.source = source }
            return self.source
        }
        withExtendedLifetime(old) {}
    }

    func setTitle(_ title: String) {
        _ = context.locked {
            guard let stream else { return }
            discard(pa_stream_set_name(stream, title, nil, nil))
        }
    }

    /// The name of the device that plays; nil once the connection is closed.
    var deviceName: String? {
        let name = context.locked { currentDeviceName }
        return name ?? nil
    }

    /// The name of the device that plays. Called with the lock held.
    private var currentDeviceName: String? {
        guard let stream, pa_stream_get_state(stream) == PA_STREAM_READY else { return nil }
        return pa_stream_get_device_name(stream).map { String(cString: $0) }
    }

    /// Asks the server to move the stream to another device.
    func move(toDevice name: String?) {
        _ = context.locked {
            guard let stream else { return }
            discard(
                pa_context_move_sink_input_by_name(
                    context.handle, pa_stream_get_index(stream), name ?? "@DEFAULT_SINK@", nil,
                    nil))
        }
    }

    /// Sets the extra latency of a device, which the server does not report.
    func setOffset(_ nanoseconds: Int64, forDevice name: String) {
        _ = context.locked {
            offsets[name] = nanoseconds
            if name == currentDeviceName { useOffset() }
        }
    }

    /// Applies the offset of the device that plays. The offset changes the clock time of all
    /// frames, so a new run begins.
    private func useOffset() {
        let new = currentDeviceName.flatMap { offsets[$0] } ?? 0
        guard new != offset else { return }
        // This value is for the first start, until the latency is measured.
        measuredLatency.add(new - offset, ordering: .relaxed)
        offset = new
        interrupt(isNewDevice: false)
    }

    /// Calls `handler` on the connection's thread when the server requests an interruption.
    func onInterruption(_ handler: @escaping @Sendable (AudioInterruption) -> Void) {
        _ = context.locked { onInterruption = handler }
    }

    /// Calls `handler` on the connection's thread when a suspended device has woken and plays.
    func onAwakening(_ handler: @escaping @Sendable () -> Void) {
        _ = context.locked { onAwakening = handler }
    }

    /// Resumes the stream, or corks it and empties its buffer at the server. Does not wait for the
    /// server, which handles requests in order.
    func setRunning(_ isRunning: Bool) {
        _ = context.locked {
            guard let stream else { return }
            if isRunning {
                clock.beginRun()
                phase = .acquiring
                write(byteCount: pa_stream_writable_size(stream))
                discard(pa_stream_cork(stream, 0, nil, nil))
                requestReading()
            } else {
                phase = .halted
                discard(pa_stream_cork(stream, 1, nil, nil))
                discard(pa_stream_flush(stream, nil, nil))
            }
        }
    }

    /// Releases an operation without waiting for its end.
    func discard(_ operation: OpaquePointer?) {
        if let operation { pa_operation_unref(operation) }
    }

    private func fail(_ error: AudioError) {
        guard failure == nil else { return }
        failure = error
        phase = .halted
        onFailure?(error)
    }
}

// MARK: - Opening

extension PulseConnection {
    private func openStream(
        options: PulseAudioOptions, end: Int64
    ) throws(AudioError) {
        let opened = context.locked { () -> AudioError? in
            guard let stream = makeStream(options) else {
                return context.error(doing: "creating a stream")
            }
            self.stream = stream
            setCallbacks(stream)
            return connect(stream, options: options)
        }
        if case .some(.some(let error)) = opened { throw error }
        try context.wait(for: "opening a stream", end: end) { () throws(AudioError) -> Void? in
            guard let stream else { return nil }
            switch pa_stream_get_state(stream) {
            case PA_STREAM_READY: return ()
            case PA_STREAM_FAILED, PA_STREAM_TERMINATED:
                throw context.error(doing: "opening a stream")
            default: return nil
            }
        }
    }

    private func makeStream(_ options: PulseAudioOptions) -> OpaquePointer? {
        var specification = pa_sample_spec(
            format: playhead_pulse_float_format(), rate: UInt32(clamping: format.sampleRate),
            channels: UInt8(clamping: format.channelCount))
        var map = pa_channel_map(format.channels)
        let properties = pa_proplist_new()
        defer { pa_proplist_free(properties) }
        pa_proplist_sets(properties, PA_PROP_MEDIA_ROLE, options.role)
        pa_proplist_sets(properties, PA_PROP_MEDIA_TITLE, options.title)
        return pa_stream_new_with_proplist(
            context.handle, options.title, &specification, &map, properties)
    }

    private func connect(
        _ stream: OpaquePointer, options: PulseAudioOptions
    ) -> AudioError? {
        let latency = max(options.latency, PulseAudioOptions.shortestLatency)
        let frames = conversion.frames(nanoseconds: latency.nanoseconds ?? 40_000_000)
        var attributes = pa_buffer_attr(
            maxlength: playhead_pulse_default(),
            tlength: UInt32(clamping: max(1, Int(frames)) * frameBytes), prebuf: 0,
            minreq: playhead_pulse_default(), fragsize: playhead_pulse_default())
        // PA_STREAM_INTERPOLATE_TIMING is not set, because the clock interpolates more accurately.
        let flags = pa_stream_flags_t(
            rawValue: PA_STREAM_START_CORKED.rawValue | PA_STREAM_AUTO_TIMING_UPDATE.rawValue
                | PA_STREAM_ADJUST_LATENCY.rawValue)
        let status = pa_stream_connect_playback(
            stream, options.device, &attributes, flags, nil, nil)
        return status < 0 ? context.error(doing: "opening a stream") : nil
    }

    private func setCallbacks(_ stream: OpaquePointer) {
        let this = Unmanaged.passUnretained(self).toOpaque()
        pa_stream_set_state_callback(
            stream, { _, this in PulseConnection.from(this)?.streamStateChanged() }, this)
        pa_stream_set_write_callback(
            stream, { _, count, this in PulseConnection.from(this)?.write(byteCount: count) }, this)
        pa_stream_set_underflow_callback(
            stream, { _, this in PulseConnection.from(this)?.noteUnderrun() }, this)
        pa_stream_set_latency_update_callback(
            stream, { _, this in PulseConnection.from(this)?.takeReading() }, this)
        pa_stream_set_moved_callback(
            stream, { _, this in PulseConnection.from(this)?.deviceChanged() }, this)
        pa_stream_set_event_callback(
            stream, { _, name, _, this in PulseConnection.from(this)?.heard(event: name) }, this)
        pa_stream_set_suspended_callback(
            stream, { _, this in PulseConnection.from(this)?.suspensionChanged() }, this)
    }

    private static func from(_ this: UnsafeMutableRawPointer?) -> PulseConnection? {
        this.map { Unmanaged<PulseConnection>.fromOpaque($0).takeUnretainedValue() }
    }

    private func deviceChanged() {
        noteSleep()
        interrupt(isNewDevice: true)
        useOffset()
    }

    private func suspensionChanged() {
        noteSleep()
        interrupt(isNewDevice: false)
    }

    /// Updates `isAsleep`. If the device wakes while this stream is running, it counts as awake
    /// once it plays. If the stream is corked, the device counts as awake at once.
    private func noteSleep() {
        guard let stream else { return }
        if pa_stream_is_suspended(stream) > 0 {
            isAsleep.store(true, ordering: .relaxed)
        } else if case .halted = phase {
            isAsleep.store(false, ordering: .relaxed)
        }
    }

    private func heard(event name: UnsafePointer<CChar>?) {
        switch name.map({ String(cString: $0) }) {
        case PA_STREAM_EVENT_REQUEST_CORK: onInterruption?(.began)
        case PA_STREAM_EVENT_REQUEST_UNCORK: onInterruption?(.ended)
        default: break
        }
    }

    private func streamStateChanged() {
        context.report()
        guard let stream else { return }
        switch pa_stream_get_state(stream) {
        case PA_STREAM_READY:
            noteSleep()
            useOffset()
        case PA_STREAM_FAILED: fail(context.error(doing: "playing"))
        case PA_STREAM_TERMINATED:
            fail(
                AudioError(
                    pulse: CInt(PA_ERR_KILLED.rawValue), doing: "playing", server: context.server))
        default: break
        }
    }
}
