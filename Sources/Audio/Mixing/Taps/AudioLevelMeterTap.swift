// SPDX-License-Identifier: Apache-2.0

import Glibc
public import PlayheadBuffers
public import PlayheadTime
import Synchronization

/// A tap that measures the levels of a track's channels for level meters.
///
/// The peak rises at once and falls by 20 dB in 1.7 s. The RMS is an average over about 300 ms.
/// Both are stored by item time for the last second, so that a meter can show the audio that is
/// heard now.
///
///     let levels = meter.levels(at: item.currentTime)
///
/// - Concurrency: any thread may read the levels.
/// - Corresponds to: `AVAudioPlayer.averagePower(forChannel:)` and `peakPower(forChannel:)`. The
///   ballistics follow IEC 60268-18 (peak, digital) and IEC 60268-17 (average).
public final class AudioLevelMeterTap: AudioProcessingTap, @unchecked Sendable {
    // Unchecked: `writing`, `states` and the factors are set while no audio is processed; the
    // values in `states` and `reading` belong to the audio callback.

    private struct State {
        var peak: Float = 0
        var meanSquare: Float = 0
    }

    /// The number of frames from one reading to the next.
    private static let readingFrames = 256
    /// The speed at which the peak falls, in decibels per second: 20 dB in 1.7 s.
    private static let peakFall = 20 / 1.7
    /// The time constant, in seconds, of an average that reaches 99 % of a step in 300 ms.
    private static let averageSeconds = 0.3 / log(100.0)

    private var states = UnsafeMutableBufferPointer<State>(start: nil, count: 0)
    private var reading = UnsafeMutableBufferPointer<Float>(start: nil, count: 0)
    private var peakFactor: Float = 1
    private var averageShare: Float = 1
    /// The value of `history`, which the audio callback reads without reference counting.
    private var writing: Unmanaged<AudioSampleHistory>?
    private let history = Mutex<AudioSampleHistory?>(nil)

    /// Creates a tap.
    public override init() {}

    /// Allocates the storage for a format.
    public override func prepare(maxFrames: Int, format: AudioFormat) {
        let rate = Double(format.sampleRate)
        peakFactor = Float(pow(10, -Self.peakFall / 20 / rate))
        averageShare = Float(1 - exp(-1 / (rate * Self.averageSeconds)))
        states = .allocate(capacity: format.channelCount)
        states.initialize(repeating: State())
        reading = .allocate(capacity: 2 * format.channelCount)
        reading.initialize(repeating: 0)
        let new = AudioSampleHistory(
            sampleRate: max(1, format.sampleRate / Self.readingFrames),
            channelCount: 2 * format.channelCount, seconds: 1.5 + lead)
        writing = Unmanaged.passUnretained(new)
        history.withLock { $0 = new }
    }

    /// Frees the states of the channels.
    public override func unprepare() {
        states.deallocate()
        reading.deallocate()
        states = .init(start: nil, count: 0)
        reading = .init(start: nil, count: 0)
    }

    /// Pulls the source audio and measures it.
    public override func process(_ block: inout AudioTapBlock) {
        while block.pulledFrames < block.frameCount {
            let first = block.pulledFrames * block.channelCount
            let source = block.pull(Self.readingFrames)
            measure(block.samples, from: first, frameCount: source.frameCount)
            writing?._withUnsafeGuaranteedRef {
                $0.append(
                    reading, frameCount: 1, timeRange: source.timeRange,
                    isReversed: source.isReversed)
            }
        }
    }

    private func measure(
        _ samples: UnsafeMutableBufferPointer<Float>, from first: Int, frameCount: Int
    ) {
        for channel in states.indices {
            var state = states[channel]
            var index = first + channel
            for _ in 0..<frameCount {
                let sample = samples[index]
                state.peak = max(abs(sample), state.peak * peakFactor)
                state.meanSquare += (sample * sample - state.meanSquare) * averageShare
                index += states.count
            }
            // Denormals are invisible and slow, so they become 0.
            if state.peak < 1e-9 { state.peak = 0 }
            if !(state.meanSquare > 1e-18 && state.meanSquare.isFinite) { state.meanSquare = 0 }
            states[channel] = state
            reading[2 * channel] = state.peak
            reading[2 * channel + 1] = state.meanSquare.squareRoot()
        }
    }

    /// Returns the levels at an item time; nil if there was no audio at that time, or if that audio
    /// is more than a second old.
    public func levels(at itemTime: MediaTime) -> AudioLevels? {
        guard let history = history.withLock({ $0 }), let time = itemTime.nanoseconds else {
            return nil
        }
        return withUnsafeTemporaryAllocation(of: Float.self, capacity: history.channelCount) {
            guard history.copyFrame(into: $0, at: time) else { return nil }
            var levels = AudioLevels(time: itemTime, channels: [])
            for channel in 0..<(history.channelCount / 2) {
                levels.channels.append(
                    AudioLevels.Channel(peak: $0[2 * channel], rms: $0[2 * channel + 1]))
            }
            return levels
        }
    }
}
