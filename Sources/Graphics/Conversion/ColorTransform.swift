// SPDX-License-Identifier: Apache-2.0

package import PlayheadBuffers

/// The map from a frame's R'G'B' to the R'G'B' of a target. The shader program and the CPU's
/// conversion plan are both made from this value.
///
/// `signal → light → primaries → tone mapping → light → signal`. Steps that are not needed are left
/// out. Most videos need none of them:
///
/// - Between encodings of standard range, values are not changed. BT.709 video is shown on an sRGB
///   display without conversion, as in other players, because it was graded on a display in a dim
///   room and is watched in a brighter room. If the primaries differ, the target's curve is used
///   both for decoding and for encoding, so that the values of greys do not change either.
/// - The primaries of standard definition (BT.470, SMPTE 170M) are treated as the primaries of
///   BT.709 unless `ColorSpace.adaptsStandardDefinition` is set.
/// - PQ and HLG are passed through unchanged to a target of the same curve. For standard range they
///   are tone mapped (`ToneMapping`) from the video's peak to the target's peak; the default peak
///   is 1000 candela per square metre. Light within the target's range keeps its absolute level.
/// - Video of standard range on an HDR target has its white at `ColorSpace.referenceWhite`.
package struct ColorTransform: Sendable, Hashable {
    /// The curve from signals to light.
    package let decoding: TransferCurve
    /// The curve from light to the target's signals.
    package let encoding: TransferCurve
    /// The map from decoded light to light in the target's primaries, in units of 10,000 candela
    /// per square metre.
    package let matrix: ColorMatrix
    /// The tone mapping that brings light into the target's range; nil if none is needed.
    package let toneMapping: ToneMapping?
    /// The factor from units of 10,000 candela per square metre to the units of `encoding`.
    package let encodingScale: Double
    /// A Boolean value that indicates whether the transform changes nothing.
    package let isIdentity: Bool

    /// The assumed peak of HDR video that does not declare one, in candela per square metre. Most
    /// HDR video is graded to this peak.
    package static let defaultPeakLuminance = 1000.0

    /// Creates the transform from a frame to a target.
    ///
    /// - Parameters:
    ///   - source: the frame's attachments, none of them unspecified.
    ///   - peakLuminance: the video's peak, in candela per square metre; nil if unknown.
    package init(
        from source: ColorAttachments, peakLuminance: Double? = nil, to target: ColorSpace
    ) {
        let curve = TransferCurve(source.transfer)
        let peak: Double? =
            switch curve {
            case .pq: peakLuminance ?? Self.defaultPeakLuminance
            case .hlg: TransferCurve.hlgPeak
            default: nil
            }
        var (source, target) = (source, target)
        if !target.adaptsStandardDefinition {
            source.primaries = Self.usual(source.primaries)
            target.primaries = Self.usual(target.primaries)
        }
        self.init(from: source.primaries, curve, white: nil, peak: peak, to: target)
    }

    /// Creates the transform from the code values of one target to those of another.
    package init(from source: ColorSpace, to target: ColorSpace) {
        self.init(
            from: source.primaries, TransferCurve(source.transfer), white: source.peakLuminance,
            peak: nil, to: target)
    }

    private init(
        from sourcePrimaries: ColorAttachments.Primaries, _ sourceCurve: TransferCurve,
        white: Double?, peak sourcePeak: Double?, to target: ColorSpace
    ) {
        let encoding = TransferCurve(target.transfer)
        let isKept = sourceCurve.isStandardRange && encoding.isStandardRange
        // If values are not converted, the target's curve defines the light that they stand for.
        let decoding = isKept ? encoding : sourceCurve
        let primaries = ColorMatrix(from: sourcePrimaries, to: target.primaries)
        // The luminances that the value 1 has in the source and in the target, in candela per
        // square metre.
        let targetWhite =
            encoding.luminanceOfOne ?? target.peakLuminance ?? ColorSpace.referenceWhite
        let relativeWhite =
            encoding.luminanceOfOne == nil && (isKept || white == nil)
            ? targetWhite : white ?? ColorSpace.referenceWhite
        let sourceWhite = decoding.luminanceOfOne ?? relativeWhite

        var toneMapping: ToneMapping?
        if let peak = target.peakLuminance, let sourcePeak, sourcePeak > peak {
            toneMapping = ToneMapping(sourceLuminance: sourcePeak, targetLuminance: peak)
        }
        self.decoding = decoding
        self.encoding = encoding
        self.toneMapping = toneMapping
        matrix = primaries * (sourceWhite / 10_000)
        encodingScale = 10_000 / targetWhite
        isIdentity =
            toneMapping == nil && decoding == encoding && primaries == .identity
            && sourceWhite == targetWhite
    }

    private init(
        decoding: TransferCurve, matrix: ColorMatrix, toneMapping: ToneMapping?,
        encodingScale: Double, encoding: TransferCurve
    ) {
        self.decoding = decoding
        self.matrix = matrix
        self.toneMapping = toneMapping
        self.encodingScale = encodingScale
        self.encoding = encoding
        isIdentity = false
    }

    /// The first part of the transform: from the frame's values to linear light on the target's
    /// display. Frames may be averaged in linear light. A light of 1 is the target's white, or the
    /// reference white if the target's values are absolute.
    package var toLight: ColorTransform {
        ColorTransform(
            decoding: decoding, matrix: matrix, toneMapping: toneMapping,
            encodingScale: 10_000 / lightWhite, encoding: .linear)
    }

    /// The second part of the transform: from the result of `toLight` to the target's values. It
    /// does not depend on the source.
    package var fromLight: ColorTransform {
        ColorTransform(
            decoding: .linear, matrix: .identity * (lightWhite / 10_000), toneMapping: nil,
            encodingScale: encodingScale, encoding: encoding)
    }

    private var lightWhite: Double {
        encoding.luminanceOfOne == nil ? 10_000 / encodingScale : ColorSpace.referenceWhite
    }

    /// Returns the transformed colour, which is not clamped.
    package func callAsFunction(_ color: SIMD3<Double>) -> SIMD3<Double> {
        if isIdentity { return color }
        var light = matrix * decoding.light(color)
        if let toneMapping {
            let largest = light.max()
            if largest > 0 { light *= toneMapping(largest) / largest }
        }
        return encoding.signal(light * encodingScale)
    }

    private static func usual(
        _ primaries: ColorAttachments.Primaries
    ) -> ColorAttachments.Primaries {
        switch primaries {
        case .bt470bg, .smpte170m, .smpte240m, .ebu3213: .bt709
        default: primaries
        }
    }
}

extension TransferCurve {
    /// A Boolean value that indicates whether the curve is that of a standard-range display. Such a
    /// curve is relative to the white of the display. Linear, logarithmic and HDR curves and the
    /// curve of digital cinema do not count.
    var isStandardRange: Bool {
        switch self {
        case .power, .sRGB: true
        case .linear, .cinema, .pq, .hlg, .logarithmic: false
        }
    }
}
