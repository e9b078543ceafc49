// SPDX-License-Identifier: Apache-2.0

public import PlayheadTime

/// A block of decoded audio: interleaved float samples, and the time at which they begin.
///
/// - Concurrency: any thread; the samples do not change once the buffer exists.
/// - Corresponds to: `AVAudioPCMBuffer` with its time.
public final class AudioBuffer: @unchecked Sendable {
    // Unchecked: `samples` is written in init only.

    /// The sample rate and the channels.
    public let format: AudioFormat
    /// The item time of the first frame. If the stream does not state the time, this is `invalid`
    /// and the buffer follows the previous one.
    public let presentationTime: MediaTime
    /// The number of sample frames, each with one sample per channel.
    public let frameCount: Int
    private let samples: UnsafeMutableBufferPointer<Float>

    /// Creates a buffer and calls `fill` with the memory of its samples, which are initially zero.
    /// Their number is `frameCount` times the number of channels.
    public init(
        format: AudioFormat, presentationTime: MediaTime, frameCount: Int,
        fill: (UnsafeMutableBufferPointer<Float>) -> Void
    ) {
        self.format = format
        self.presentationTime = presentationTime
        self.frameCount = frameCount
        samples = .allocate(capacity: max(1, frameCount * format.channelCount))
        samples.initialize(repeating: 0)
        fill(UnsafeMutableBufferPointer(rebasing: samples[..<(frameCount * format.channelCount)]))
    }

    deinit { samples.deallocate() }

    /// Calls `body` with the interleaved samples, which are valid only within the call.
    public func withSamples<Result>(_ body: (UnsafeBufferPointer<Float>) -> Result) -> Result {
        body(UnsafeBufferPointer(rebasing: samples[..<(frameCount * format.channelCount)]))
    }

    /// The duration of the buffer at the format's sample rate.
    public var duration: MediaTime {
        MediaTime(value: Int64(frameCount), timescale: Int32(clamping: format.sampleRate))
    }
}
