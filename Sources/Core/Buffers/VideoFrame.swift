// SPDX-License-Identifier: Apache-2.0

public import PlayheadTime

/// A picture and when it is shown.
///
/// - Corresponds to: a video `CMSampleBuffer`.
public struct VideoFrame: Sendable {
    /// The picture.
    public var pixelBuffer: PixelBuffer
    /// Item time at which display begins.
    public var presentationTime: MediaTime
    /// How long it is shown; `invalid` where neither stream nor frame rate says, and then until the
    /// next frame begins.
    public var duration: MediaTime
    /// Whether decoding could begin at this frame.
    public var isKeyframe: Bool

    /// A time less than this before a frame begins counts as within the frame: clocks give whole
    /// nanoseconds, and people a few decimals, while frames begin at rationals such as 1001/30000 s.
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
