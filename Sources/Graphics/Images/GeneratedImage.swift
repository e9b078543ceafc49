// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers
public import PlayheadTime

/// A picture that an image generator has made of a film.
///
/// - Corresponds to: the pair that `AVAssetImageGenerator.image(at:)` returns.
public struct GeneratedImage: Sendable {
    /// The picture, upright.
    public var image: RGBAImage
    /// The time that was asked for.
    public var requestedTime: MediaTime
    /// When the picture's display begins.
    public var actualTime: MediaTime
}
