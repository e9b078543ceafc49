// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers
public import PlayheadTime
import Synchronization

/// Sound that a program has made or loaded itself, played from an instant on, exact to the sample.
///
/// On a sink of its own it gives films something to be in step with: the sink's clock becomes the
/// player's, and both start at one instant.
///
///     let sink = try PulseAudioSink()
///     let music = PCMSource(samples, format: sink.format)
///     sink.start(music) {}
///     sink.resume()
///     player.masterClock = sink.clock
///     _ = await player.preroll(atRate: 1)
///     let start = HostClock.shared.time + sink.latency + MediaTime(seconds: 0.05)
///     music.play(at: sink.clock.time(atHostTime: start))
///     player.setRate(1, time: .zero, atHostTime: start)
///
/// - Concurrency: any thread. `render`, which the sink calls, neither locks nor allocates nor waits.
/// - Corresponds to: `AVAudioPlayerNode.scheduleBuffer(_:at:)`.
public final class PCMSource: AudioSource, @unchecked Sendable {
    // Unchecked: `samples` is constant; `ramp` is touched by the sink's thread only.

    /// Of the samples, and of what is rendered.
    public let format: AudioFormat
    /// Whether it begins again at its end, without a gap.
    package let loops: Bool
    private let samples: UnsafeMutableBufferPointer<Float>
    private let conversion: FrameRateConversion
    /// Clock time, in nanoseconds, of the first frame, or the minimum.
    private let start = Atomic<Int64>(.min)
    private let gain = Atomic<UInt32>(Float(1).bitPattern)
    private var ramp = GainRamp()

    /// - Parameters:
    ///   - samples: interleaved.
    ///   - format: the sink's.
    ///   - loops: whether it begins again at its end.
    /// - Precondition: the samples are whole frames.
    public init(_ samples: [Float], format: AudioFormat, loops: Bool = false) {
        precondition(
            format.channelCount > 0 && samples.count % format.channelCount == 0,
            "a source has whole frames")
        self.format = format
        self.loops = loops
        conversion = FrameRateConversion(sampleRate: format.sampleRate)
        self.samples = .allocate(capacity: samples.count)
        _ = self.samples.initialize(from: samples)
    }

    deinit { samples.deallocate() }

    /// How many frames it has, each a sample of every channel.
    package var frameCount: Int { samples.count / format.channelCount }
    public var duration: MediaTime {
        MediaTime(value: Int64(frameCount), timescale: Int32(clamping: format.sampleRate))
    }

    /// Lets the first frame be heard when the sink's clock reads a time. One that has passed makes it
    /// go on as if it had been playing since then; one nearer than the sink's latency loses the
    /// beginning.
    public func play(at clockTime: MediaTime) {
        start.store(clockTime.nearestNanoseconds ?? .min, ordering: .relaxed)
    }

    /// Plays nothing, until it is told to play again.
    public func stop() { start.store(.min, ordering: .relaxed) }

    /// Loudness as a factor on the samples; changes take 10 ms.
    public var volume: Float {
        get { Float(bitPattern: gain.load(ordering: .relaxed)) }
        set {
            let volume = newValue.isFinite ? max(0, newValue) : 1
            gain.store(volume.bitPattern, ordering: .relaxed)
        }
    }

    public func render(
        into target: UnsafeMutablePointer<Float>, frameCount: Int, presentationTime: Int64
    ) {
        let channels = format.channelCount
        target.update(repeating: 0, count: frameCount * channels)
        let start = start.load(ordering: .relaxed)
        if start != .min, !samples.isEmpty {
            copy(
                to: target, frameCount: frameCount,
                from: conversion.nearestFrame(nanoseconds: presentationTime - start))
        }
        ramp.apply(
            target: volume, step: 1 / (Float(format.sampleRate) * GainRamp.seconds), to: target,
            frameCount: frameCount, channelCount: channels)
    }

    private func copy(
        to target: UnsafeMutablePointer<Float>, frameCount: Int, from first: Int64
    ) {
        let (channels, total) = (format.channelCount, Int64(self.frameCount))
        guard let source = samples.baseAddress else { return }
        var done = first < 0 ? Int(min(Int64(frameCount), -first)) : 0
        while done < frameCount {
            var frame = first + Int64(done)
            if loops { frame %= total } else if frame >= total { return }
            let count = min(frameCount - done, Int(total - frame))
            (target + done * channels).update(
                from: source + Int(frame) * channels, count: count * channels)
            done += count
        }
    }
}
