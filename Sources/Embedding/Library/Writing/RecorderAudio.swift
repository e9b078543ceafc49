// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadThreads
import PlayheadTime

/// A ring buffer of two seconds for a host's audio that waits to be encoded.
///
/// - Concurrency: any thread; a lock is held during each copy. `append` does not allocate.
final class RecorderAudio: @unchecked Sendable {
    // Unchecked: `samples` is accessed under the lock only.

    private struct State {
        var first = 0
        var count = 0
        /// The time of the very first sample, in nanoseconds.
        var startTime: Int64?
        var hasTaken = false
        /// The number of sample frames that were dropped and have not been replaced by silence yet.
        var missing = 0
        var dropped: UInt64 = 0
    }

    let format: AudioFormat
    private let capacity: Int
    private let samples: UnsafeMutableBufferPointer<Float>
    private let state = Monitor(State())

    init(_ format: AudioFormat) {
        self.format = format
        capacity = format.sampleRate * 2
        samples = .allocate(capacity: capacity * format.channelCount)
        samples.initialize(repeating: 0)
    }

    deinit { samples.deallocate() }

    /// The number of sample frames that were dropped.
    var droppedCount: UInt64 { state.withLock(\.dropped) }

    /// Adds interleaved samples, or drops them if the buffer is full.
    ///
    /// - Parameter time: the time of the first sample; ignored in later calls.
    func append(_ values: UnsafePointer<Float>, count: Int, at time: Int64) {
        let channels = format.channelCount
        state.withLock { state in
            if state.startTime == nil { state.startTime = time }
            guard state.count + count <= capacity else {
                state.missing += count
                state.dropped += UInt64(count)
                return
            }
            var place = (state.first + state.count) % capacity
            var done = 0
            while done < count {
                let part = min(count - done, capacity - place)
                for index in 0..<(part * channels) {
                    let value = values[done * channels + index]
                    samples[place * channels + index] = value.isFinite ? value : 0
                }
                done += part
                place = (place + part) % capacity
            }
            state.count += count
        }
    }

    /// Takes all samples; nil if there are none. The first buffer has a time; each later buffer
    /// follows the previous buffer. Silence replaces samples that were dropped.
    func take() -> AudioBuffer? {
        let channels = format.channelCount
        return state.withLock { state in
            let total = state.count + state.missing
            guard total > 0 else { return nil }
            let time: MediaTime =
                state.hasTaken
                ? .invalid : MediaTime(nanoseconds: state.startTime ?? 0)
            state.hasTaken = true
            let buffer = AudioBuffer(
                format: format, presentationTime: time, frameCount: total
            ) { target in
                var place = state.first
                var done = 0
                while done < state.count {
                    let part = min(state.count - done, capacity - place)
                    for index in 0..<(part * channels) {
                        target[done * channels + index] = samples[place * channels + index]
                    }
                    done += part
                    place = (place + part) % capacity
                }
            }
            state.first = (state.first + state.count) % capacity
            (state.count, state.missing) = (0, 0)
            return buffer
        }
    }
}
