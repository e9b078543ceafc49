// SPDX-License-Identifier: Apache-2.0

/// How a target's numbers stand for colours: what a display, a file or a texture expects.
///
/// Pictures come tagged (`ColorAttachments`), and are converted to this. The default everywhere is
/// `bt709`: a television or monitor of the usual kind, for which nearly all video is made.
///
/// - Corresponds to: `CGColorSpace`, `CAMetalLayer.colorspace`, Wayland's colour management.
public struct ColorSpace: Sendable, Hashable {
    /// What red, green, blue and white are.
    public var primaries: ColorAttachments.Primaries
    /// How light becomes signals.
    public var transfer: ColorAttachments.Transfer
    /// The brightest white that the display shows, in candela per square metre: what brighter films
    /// are tone mapped to. Nil for no limit but that of the transfer function.
    ///
    /// Where the transfer function is a relative one, this is what 1 stands for.
    public var peakLuminance: Double?

    /// Whether the primaries of standard definition are told from BT.709's: they are so close, and so
    /// often tagged wrongly or only guessed from a picture's size, that players leave them alone.
    package var adaptsStandardDefinition = false

    /// What white of standard range means beside high dynamic range, in candela per square metre:
    /// ITU-R BT.2408-7, 2.1, HDR reference white.
    package static let referenceWhite = 203.0

    public init(
        primaries: ColorAttachments.Primaries, transfer: ColorAttachments.Transfer,
        peakLuminance: Double? = nil
    ) {
        self.primaries = primaries
        self.transfer = transfer
        self.peakLuminance = peakLuminance
    }

    /// Video for a display of standard range: BT.709's primaries, BT.1886's curve.
    public static let bt709 = ColorSpace(
        primaries: .bt709, transfer: .bt709, peakLuminance: referenceWhite)
    /// `kCGColorSpaceSRGB`.
    public static let sRGB = ColorSpace(
        primaries: .bt709, transfer: .sRGB, peakLuminance: referenceWhite)
    /// `kCGColorSpaceDisplayP3`.
    public static let displayP3 = ColorSpace(
        primaries: .displayP3, transfer: .sRGB, peakLuminance: referenceWhite)
    /// Wide gamut of standard range. `kCGColorSpaceITUR_2020`.
    public static let bt2020 = ColorSpace(
        primaries: .bt2020, transfer: .bt2020TenBit, peakLuminance: referenceWhite)
    /// Light itself, 1 being the reference white and nothing being clipped: for textures of floats.
    /// `kCGColorSpaceExtendedLinearSRGB`.
    public static let linear = ColorSpace(primaries: .bt709, transfer: .linear)
    /// HDR10: `kCGColorSpaceITUR_2100_PQ`.
    public static let pq = ColorSpace(primaries: .bt2020, transfer: .pq)
    /// `kCGColorSpaceITUR_2100_HLG`, on a display of 1000 candela per square metre.
    public static let hlg = ColorSpace(primaries: .bt2020, transfer: .hlg, peakLuminance: 1000)
}
