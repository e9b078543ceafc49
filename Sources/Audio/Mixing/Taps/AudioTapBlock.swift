// SPDX-License-Identifier: Apache-2.0

import PlayheadTime

/// A block of samples that a tap fills from its source.
///
/// - Concurrency: the block is used only within the call of `process` that receives it.
/// - Ownership: the samples are valid only within that call.
/// - Corresponds to: `AudioBufferList` together with the tap, in
///   `MTAudioProcessingTapProcessCallback`.
public struct AudioTapBlock: ~Copyable {
    /// The number of frames to fill.
    public let frameCount: Int
    /// The number of samples in a frame.
    public let channelCount: Int
    /// The interleaved samples: sample *c* of frame *f* is at *f* × `channelCount` + *c*. They are
    /// silent until `pull` is called.
    public let samples: UnsafeMutableBufferPointer<Float>
    /// The number of frames pulled so far.
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
    /// - Parameter frames: The number of frames; by default, all that are left.
    /// - Returns: The number of frames pulled, and the properties of their samples.
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
