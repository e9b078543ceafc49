// SPDX-License-Identifier: Apache-2.0

/// How bright a film gets, measured over all of it.
///
/// - Corresponds to: CTA-861.3, `kCVImageBufferContentLightLevelInfoKey`, FFmpeg's
///   `AVContentLightMetadata`.
public struct ContentLightLevel: Sendable, Hashable {
    /// MaxCLL: the brightest pixel of all, in candela per square metre; 0 for unknown.
    public var maximumContentLightLevel: Int
    /// MaxFALL: the highest average of a frame, in candela per square metre; 0 for unknown.
    public var maximumFrameAverageLightLevel: Int

    public init(maximumContentLightLevel: Int, maximumFrameAverageLightLevel: Int) {
        self.maximumContentLightLevel = maximumContentLightLevel
        self.maximumFrameAverageLightLevel = maximumFrameAverageLightLevel
    }
}
