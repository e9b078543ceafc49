// SPDX-License-Identifier: Apache-2.0

import PlayheadTime

/// A block of samples that a tap fills from its source.
///
/// - Concurrency: the call of `process` that it is given to.
/// - Ownership: the samples are valid within that call only.
/// - Corresponds to: `AudioBufferList` together with the tap, in `MTAudioProcessingTapProcessCallback`.
public struct AudioTapBlock: ~Copyable {
    /// Frames to be filled.
    public let frameCount: Int
    /// Samples of a frame.
    public let channelCount: Int
    /// Interleaved: sample *c* of frame *f* is at *f* × `channelCount` + *c*. Silence, until `pull`.
    public let samples: UnsafeMutableBufferPointer<Float>
    /// Frames that have been pulled.
    package private(set) var pulledFrames = 0

    private let stage: Int
    private let context: UnsafeMutablePointer<TapContext>

    init(
        samples: UnsafeMutablePointer<Float>, frameCount: Int, stage: Int,
        context: UnsafeMutablePointer<TapContext>
    ) {
        self.frameCount = frameCount
        channelCount = context.pointee.channelCount
        self.samples = UnsafeMutableBufferPointer(start: samples, count: frameCount * channelCount)
        self.stage = stage
        self.context = context
    }

    /// Fills the next frames of `samples` with source audio.
    ///
    /// - Parameter frames: how many; all that are left, unless fewer are asked for.
    /// - Returns: how many there are, and what they are.
    /// - Corresponds to: `MTAudioProcessingTapGetSourceAudio`.
    @discardableResult
    public mutating func pull(_ frames: Int = .max) -> AudioTapSource {
        let count = max(0, min(frames, frameCount - pulledFrames))
        let first = pulledFrames
        pulledFrames += count
        guard count > 0, let start = samples.baseAddress else {
            return AudioTapSource(frameCount: 0, flags: .none, timeRange: .zero)
        }
        var source = TapContext.fill(
            start + first * channelCount, frameCount: count, through: stage - 1, context)
        if TapContext.takeStart(of: stage, context) { source.flags.insert(.startOfStream) }
        return source
    }
}
