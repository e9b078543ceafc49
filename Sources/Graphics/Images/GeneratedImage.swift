// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers
public import PlayheadTime

/// An image that an image generator created from a frame.
///
/// - Corresponds to: the pair that `AVAssetImageGenerator.image(at:)` returns.
public struct GeneratedImage: Sendable {
    /// The image, upright.
    public var image: RGBAImage
    /// The requested time.
    public var requestedTime: MediaTime
    /// The presentation time of the frame.
    public var actualTime: MediaTime
}
