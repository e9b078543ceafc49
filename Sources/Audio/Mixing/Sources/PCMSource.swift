// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers
public import PlayheadTime
import Synchronization

/// A source that plays samples in memory from a given time, with sample accuracy.
///
/// With its own sink, it can be the reference for video: the sink's clock becomes the player's
/// master, and the samples and the video start at the same time.
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
/// - Concurrency: any thread. `render`, which the sink calls, does not lock, allocate or wait.
/// - Corresponds to: `AVAudioPlayerNode.scheduleBuffer(_:at:)`.
public final class PCMSource: AudioSource, @unchecked Sendable {
    // Unchecked: `samples` is constant; `ramp` is touched only by the sink's thread.

    /// The format of the samples and of the output.
    public let format: AudioFormat
    /// A Boolean value that indicates whether the samples repeat without a gap.
    package let loops: Bool
    private let samples: UnsafeMutableBufferPointer<Float>
    private let conversion: FrameRateConversion
    /// The clock time of the first frame, in nanoseconds; `Int64.min` if playback is stopped.
    private let start = Atomic<Int64>(.min)
    private let gain = Atomic<UInt32>(Float(1).bitPattern)
    private var ramp = GainRamp()

    /// Creates a source that plays samples.
    ///
    /// - Parameters:
    ///   - samples: The interleaved samples.
    ///   - format: The format, which must be the sink's format.
    ///   - loops: A Boolean value that indicates whether the samples repeat.
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

    /// The number of frames, each with one sample per channel.
    package var frameCount: Int { samples.count / format.channelCount }
    /// The duration of the samples.
    public var duration: MediaTime {
        MediaTime(value: Int64(frameCount), timescale: Int32(clamping: format.sampleRate))
    }

    /// Starts playback so that the first frame is heard at a time of the sink's clock. If the time
    /// is in the past, playback continues as if it had started at that time. If the time is in the
    /// future, but by less than the sink's latency, the beginning is lost.
    public func play(at clockTime: MediaTime) {
        start.store(clockTime.nearestNanoseconds ?? .min, ordering: .relaxed)
    }

    /// Stops playback until the next call of `play(at:)`.
    public func stop() { start.store(.min, ordering: .relaxed) }

    /// The volume as a factor on the samples. A change takes 10 ms.
    public var volume: Float {
        get { Float(bitPattern: gain.load(ordering: .relaxed)) }
        set {
            let volume = newValue.isFinite ? max(0, newValue) : 1
            gain.store(volume.bitPattern, ordering: .relaxed)
        }
    }

    /// Fills a block for the sink; see `AudioSource`.
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
