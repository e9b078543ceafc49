// SPDX-License-Identifier: Apache-2.0

/// The brightness of a video's content, measured over the whole video.
///
/// - Corresponds to: CTA-861.3, `kCVImageBufferContentLightLevelInfoKey`, FFmpeg's
///   `AVContentLightMetadata`.
public struct ContentLightLevel: Sendable, Hashable {
    /// MaxCLL: the luminance of the brightest pixel, in candela per square metre; 0 if unknown.
    public var maximumContentLightLevel: Int
    /// MaxFALL: the highest average luminance of a frame, in candela per square metre; 0 if
    /// unknown.
    public var maximumFrameAverageLightLevel: Int

    /// Creates content light levels, in candela per square metre.
    public init(maximumContentLightLevel: Int, maximumFrameAverageLightLevel: Int) {
        self.maximumContentLightLevel = maximumContentLightLevel
        self.maximumFrameAverageLightLevel = maximumFrameAverageLightLevel
    }
}
