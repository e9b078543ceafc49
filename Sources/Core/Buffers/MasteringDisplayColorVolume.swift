// SPDX-License-Identifier: Apache-2.0

/// The display on which a video was graded.
///
/// - Corresponds to: SMPTE ST 2086, `kCVImageBufferMasteringDisplayColorVolumeKey`, FFmpeg's
///   `AVMasteringDisplayMetadata`.
public struct MasteringDisplayColorVolume: Sendable, Hashable {
    /// The primaries and the white point; nil if the stream states luminance only.
    public var chromaticities: Chromaticities?
    /// The luminance of white, in candela per square metre; 0 if the stream states chromaticities
    /// only.
    public var maximumLuminance: Double
    /// The luminance of black, in candela per square metre.
    public var minimumLuminance: Double

    /// Creates a description of a display, with luminances in candela per square metre.
    public init(
        chromaticities: Chromaticities? = nil, maximumLuminance: Double = 0,
        minimumLuminance: Double = 0
    ) {
        self.chromaticities = chromaticities
        self.maximumLuminance = maximumLuminance
        self.minimumLuminance = minimumLuminance
    }
}
