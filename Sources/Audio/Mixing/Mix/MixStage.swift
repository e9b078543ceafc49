// SPDX-License-Identifier: Apache-2.0

/// A stage that applies a mix's volume and pan to samples, and ramps between changes.
///
/// - Concurrency: one thread; real-time: no call locks, allocates or waits.
/// - Ownership: owns its memory.
struct MixStage: ~Copyable {
    /// The volume of the last frame, and the factor of each channel.
    private var volume: Float = 1
    private let gains: UnsafeMutableBufferPointer<Float>
    /// The largest change of the volume from one frame to the next.
    private let step: Float
    private let conversion: FrameRateConversion

    init(sampleRate: Int, channelCount: Int) {
        gains = .allocate(capacity: channelCount)
        gains.initialize(repeating: 1)
        step = 1 / (Float(sampleRate) * GainRamp.seconds)
        conversion = FrameRateConversion(sampleRate: sampleRate)
    }

    deinit { gains.deallocate() }

    /// Applies a program to frames.
    ///
    /// - Parameters:
    ///   - time: The item time of the first frame, in nanoseconds.
    ///   - rate: The rate of the item, which is negative backwards.
    ///   - isStart: A Boolean value that indicates whether the frames follow silence. If so, there
    ///     is no ramp.
    mutating func apply(
        _ program: borrowing MixProgram, to samples: UnsafeMutablePointer<Float>, frameCount: Int,
        time: Int64, rate: Double, isStart: Bool
    ) {
        if isStart {
            for channel in gains.indices { gains[channel] = program.channelGains[channel] }
        }
        let frameDuration = rate * 1e9 / Double(conversion.sampleRate)
        var index = program.segment(at: time)
        var done = 0
        while done < frameCount {
            let segment = program.segments[index]
            let now = time + Int64((Double(done) * frameDuration).rounded())
            var count = frameCount - done
            if let end = Self.frames(
                from: time, toEndOf: index, of: program, frameDuration: frameDuration)
            {
                count = min(count, max(1, Int(min(end - Double(done), Double(count)))))
            }
            let elapsed = index == 0 ? 0 : Double(now - segment.time)
            let start = segment.volume + Float(segment.slope * elapsed)
            if isStart, done == 0 { volume = start }
            apply(
                to: samples + done * gains.count, count: count, start: start,
                slope: Float(segment.slope * frameDuration), program.channelGains)
            done += count
            index += rate < 0 ? -1 : 1
        }
    }

    /// Returns the number of frames from `time` to the end of a segment in the direction of
    /// playback; nil if the segment has no end there. A segment includes its beginning, so that
    /// backwards its last frame may begin exactly there.
    private static func frames(
        from time: Int64, toEndOf index: Int, of program: borrowing MixProgram,
        frameDuration: Double
    ) -> Double? {
        if frameDuration < 0 {
            guard index > 0 else { return nil }
            return (Double(program.segments[index].time - time) / frameDuration).rounded(.down) + 1
        }
        guard index + 1 < program.segments.count else { return nil }
        return (Double(program.segments[index + 1].time - time) / frameDuration).rounded(.up)
    }

    private mutating func apply(
        to samples: UnsafeMutablePointer<Float>, count: Int, start: Float, slope: Float,
        _ targets: UnsafeMutableBufferPointer<Float>
    ) {
        let channels = gains.count
        if slope == 0, volume == start, isSettled(targets) {
            for channel in 0..<channels {
                let factor = volume * gains[channel]
                guard factor != 1 else { continue }
                var index = channel
                while index < count * channels {
                    samples[index] *= factor
                    index += channels
                }
            }
            return
        }
        // The gains are copied, because Swift 6.3 fails to compile their mutation in place under
        // ThreadSanitizer.
        let gains = gains
        for frame in 0..<count {
            let target = start + slope * Float(frame)
            // The slope of a ramp is not a jump, however steep.
            let limit = step * max(1, max(volume, target)) + abs(slope)
            volume += max(-limit, min(limit, target - volume))
            for channel in 0..<channels {
                gains[channel] += max(-step, min(step, targets[channel] - gains[channel]))
                samples[frame * channels + channel] *= volume * gains[channel]
            }
        }
    }

    private func isSettled(_ targets: UnsafeMutableBufferPointer<Float>) -> Bool {
        for channel in gains.indices where gains[channel] != targets[channel] { return false }
        return true
    }
}
