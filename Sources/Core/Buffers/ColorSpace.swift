// SPDX-License-Identifier: Apache-2.0

/// The colour space of a target: a display, a file or a texture.
///
/// Frames carry their own colour properties (`ColorAttachments`) and are converted to this colour
/// space. The default is `bt709`, the colour space of the usual television or monitor, for which
/// nearly all video is made.
///
/// - Corresponds to: `CGColorSpace`, `CAMetalLayer.colorspace`, Wayland's colour management.
public struct ColorSpace: Sendable, Hashable {
    /// The primaries and the white point.
    public var primaries: ColorAttachments.Primaries
    /// The transfer function from light to signal.
    public var transfer: ColorAttachments.Transfer
    /// The luminance of the display's peak white, in candela per square metre. Brighter content is
    /// tone mapped to this peak. If nil, only the transfer function limits the luminance.
    ///
    /// With a relative transfer function, this is the luminance of a signal value of 1.
    public var peakLuminance: Double?

    /// A Boolean value that indicates whether standard-definition primaries are converted to those
    /// of BT.709. Players usually skip this conversion, because the difference is small and the
    /// tags are often wrong or guessed from the frame size.
    package var adaptsStandardDefinition = false

    /// The luminance of standard-range white when it is shown with high dynamic range, in candela
    /// per square metre: the HDR reference white of ITU-R BT.2408-7, section 2.1.
    package static let referenceWhite = 203.0

    /// Creates a colour space. The default is BT.709 with the reference white as its peak.
    public init(
        primaries: ColorAttachments.Primaries, transfer: ColorAttachments.Transfer,
        peakLuminance: Double? = nil
    ) {
        self.primaries = primaries
        self.transfer = transfer
        self.peakLuminance = peakLuminance
    }

    /// Video for a standard-range display, with the primaries of BT.709 and the curve of BT.1886.
    public static let bt709 = ColorSpace(
        primaries: .bt709, transfer: .bt709, peakLuminance: referenceWhite)
    /// Standard range with the curve of sRGB. `kCGColorSpaceSRGB`.
    public static let sRGB = ColorSpace(
        primaries: .bt709, transfer: .sRGB, peakLuminance: referenceWhite)
    /// Standard range with the primaries of P3. `kCGColorSpaceDisplayP3`.
    public static let displayP3 = ColorSpace(
        primaries: .displayP3, transfer: .sRGB, peakLuminance: referenceWhite)
    /// Standard range with the wide gamut of BT.2020. `kCGColorSpaceITUR_2020`.
    public static let bt2020 = ColorSpace(
        primaries: .bt2020, transfer: .bt2020TenBit, peakLuminance: referenceWhite)
    /// Linear light without clipping, for float textures. The reference white is 1.
    /// `kCGColorSpaceExtendedLinearSRGB`.
    public static let linear = ColorSpace(primaries: .bt709, transfer: .linear)
    /// High dynamic range as in HDR10. `kCGColorSpaceITUR_2100_PQ`.
    public static let pq = ColorSpace(primaries: .bt2020, transfer: .pq)
    /// High dynamic range for a display of 1000 candela per square metre.
    /// `kCGColorSpaceITUR_2100_HLG`.
    public static let hlg = ColorSpace(primaries: .bt2020, transfer: .hlg, peakLuminance: 1000)
}
