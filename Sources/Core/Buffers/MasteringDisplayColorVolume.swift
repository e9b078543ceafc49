// SPDX-License-Identifier: Apache-2.0

/// The display on which a film was graded: what its makers could see of it.
///
/// - Corresponds to: SMPTE ST 2086, `kCVImageBufferMasteringDisplayColorVolumeKey`, FFmpeg's
///   `AVMasteringDisplayMetadata`.
public struct MasteringDisplayColorVolume: Sendable, Hashable {
    /// Where its primaries and its white stand; nil where the stream gives luminance only.
    public var chromaticities: Chromaticities?
    /// Of its white, in candela per square metre; 0 where the stream gives chromaticities only.
    public var maximumLuminance: Double
    /// Of its black, in candela per square metre.
    public var minimumLuminance: Double

    public init(
        chromaticities: Chromaticities? = nil, maximumLuminance: Double = 0,
        minimumLuminance: Double = 0
    ) {
        self.chromaticities = chromaticities
        self.maximumLuminance = maximumLuminance
        self.minimumLuminance = minimumLuminance
    }
}
