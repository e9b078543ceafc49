// SPDX-License-Identifier: Apache-2.0

import CPlayheadPulse
import PlayheadAudio
import PlayheadBuffers
import PlayheadTime
import Synchronization

// This code runs on the connection's thread, in libpulse's callbacks. It does not lock, allocate or
// wait, except for what libpulse itself does to send a packet.

extension PulseConnection {
    /// The interval between requests for the playback position, in nanoseconds. Without requests,
    /// the server reports the position of a running stream only every 1.5 s.
    private static let readingInterval: Int64 = 100_000_000

    /// Writes as many bytes as the server requests, directly into the server's shared memory.
    func write(byteCount: Int) {
        guard let stream, byteCount > 0 else { return }
        // A corked stream also requests data, but the data would be stale when the stream runs.
        if case .halted = phase { return }
        var left = byteCount / frameBytes
        while left > 0 {
            var memory: UnsafeMutableRawPointer?
            var size = left * frameBytes
            guard pa_stream_begin_write(stream, &memory, &size) == 0, let memory else { return }
            let count = min(left, size / frameBytes)
            guard count > 0 else {
                pa_stream_cancel_write(stream)
                return
            }
            render(into: memory.assumingMemoryBound(to: Float.self), frameCount: count)
            let status = pa_stream_write(
                stream, memory, count * frameBytes, nil, 0, PA_SEEK_RELATIVE)
            guard status == 0 else { return }
            nextFrame += Int64(count)
            left -= count
        }
        if HostClock.nanoseconds - lastRequest > Self.readingInterval { requestReading() }
    }

    private func render(into samples: UnsafeMutablePointer<Float>, frameCount: Int) {
        if case .playing(let offset) = phase, let source {
            source.render(
                into: samples, frameCount: frameCount,
                presentationTime: offset + conversion.nanoseconds(frames: nextFrame))
        } else {
            samples.update(repeating: 0, count: frameCount * format.channelCount)
        }
    }

    /// Counts an underrun of the server. Before audio has begun, an underrun is expected and not
    /// counted.
    func noteUnderrun() {
        if case .playing = phase { underruns.add(1, ordering: .relaxed) }
    }

    /// Requests the playback position. `takeReading` receives the answer.
    func requestReading() {
        guard let stream else { return }
        lastRequest = HostClock.nanoseconds
        discard(pa_stream_update_timing_info(stream, nil, nil))
    }

    /// Adds a reading from the server's playback position.
    ///
    /// At the time of the stamp, the device's thread had read the stream up to `read_index`, and
    /// the last part that it read was to be heard `sink_usec` later. Therefore the audio up to
    /// `read_index` minus `sink_usec` had been heard. A device that works in blocks moves both
    /// values by the same step, so the difference is smooth. `transport_usec` is not used, because
    /// the server makes the stamp itself.
    func takeReading() {
        guard let stream, let info = pa_stream_get_timing_info(stream)?.pointee,
            info.read_index_corrupt == 0, info.write_index_corrupt == 0, info.playing != 0
        else { return }
        if case .halted = phase { return }
        let read = conversion.nanoseconds(frames: info.read_index / Int64(frameBytes))
        let heard = read - Int64(clamping: info.sink_usec) * 1_000 - offset
        let offset = clock.addReading(deviceTime: heard, hostTime: info.hostTime)
        // libpulse adds the bytes written since the stamp to the index.
        nextFrame = info.write_index / Int64(frameBytes)
        phase = .playing(offset: offset)
        measuredLatency.store(
            conversion.nanoseconds(frames: nextFrame) - heard, ordering: .relaxed)
        if isAsleep.exchange(false, ordering: .relaxed) { onAwakening?() }
    }

    /// Starts a new run, because the stream was moved to another device, or because its device was
    /// suspended or resumed.
    func interrupt(isNewDevice: Bool) {
        if case .halted = phase { return }
        clock.beginRun(isNewDevice: isNewDevice)
        phase = .acquiring
        requestReading()
    }
}
