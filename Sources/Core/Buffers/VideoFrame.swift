// SPDX-License-Identifier: Apache-2.0

public import PlayheadTime

/// A frame and the time at which it is shown.
///
/// - Corresponds to: a video `CMSampleBuffer`.
public struct VideoFrame: Sendable {
    /// The decoded samples.
    public var pixelBuffer: PixelBuffer
    /// The item time at which display begins.
    public var presentationTime: MediaTime
    /// The duration of display. If neither the stream nor its frame rate states the duration, this
    /// is `invalid` and the frame is shown until the next one.
    public var duration: MediaTime
    /// A Boolean value that indicates whether decoding can begin at this frame.
    package var isKeyframe: Bool

    /// The tolerance of frame lookup. A time that precedes the start of a frame by less than this
    /// still belongs to that frame. Clocks return whole nanoseconds and people type a few decimals,
    /// while frames begin at rational times such as 1001/30000 s.
    public static let timeTolerance = MediaTime(value: 1, timescale: 1_000_000)

    package init(
        pixelBuffer: PixelBuffer, presentationTime: MediaTime, duration: MediaTime,
        isKeyframe: Bool
    ) {
        self.pixelBuffer = pixelBuffer
        self.presentationTime = presentationTime
        self.duration = duration
        self.isKeyframe = isKeyframe
    }
}
