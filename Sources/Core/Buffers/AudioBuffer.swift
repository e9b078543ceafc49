// SPDX-License-Identifier: Apache-2.0

public import PlayheadTime

/// A run of decoded sound: interleaved float samples from one time on.
///
/// - Concurrency: any thread; the samples do not change once the buffer exists.
/// - Corresponds to: `AVAudioPCMBuffer` with its time.
public final class AudioBuffer: @unchecked Sendable {
    // Unchecked: `samples` is written in init only.

    /// How its samples are to be understood.
    public let format: AudioFormat
    /// Item time of the first frame; `invalid` where the stream does not say, then it follows on.
    public let presentationTime: MediaTime
    /// Sample frames: one sample for each channel.
    public let frameCount: Int
    private let samples: UnsafeMutableBufferPointer<Float>

    /// Makes a buffer and lets `fill` write `frameCount` times the channel count samples, which
    /// start out as silence.
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

    /// The samples, interleaved; valid within `body` only.
    public func withSamples<Result>(_ body: (UnsafeBufferPointer<Float>) -> Result) -> Result {
        body(UnsafeBufferPointer(rebasing: samples[..<(frameCount * format.channelCount)]))
    }

    /// How long it sounds, at its format's rate.
    public var duration: MediaTime {
        MediaTime(value: Int64(frameCount), timescale: Int32(clamping: format.sampleRate))
    }
}
