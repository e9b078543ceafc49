// SPDX-License-Identifier: Apache-2.0

package import PlayheadBuffers

/// The map from a picture's R'G'B' to a target's: one value, of which the shader's program and the
/// processor's plan are made.
///
/// `signal → light → primaries → tone mapping → light → signal`; what is not needed is left out, and
/// for nearly every film that is all of it:
///
/// - Between encodings of standard range the numbers are kept: a film of BT.709 is shown on an sRGB
///   display as it is, as players do, for it was graded on a display in a dim room and is watched in
///   a brighter one. Where primaries differ, light is computed with the target's curve both ways,
///   so that greys keep their numbers too.
/// - The primaries of standard definition (BT.470, SMPTE 170M) count as BT.709's unless
///   `ColorSpace.adaptsStandardDefinition` is set.
/// - PQ and HLG go to their like untouched. To standard range they are tone mapped (`ToneMapping`)
///   from the film's peak to the target's, 1000 candela per square metre where the stream does not
///   say. In the target's range they keep their absolute light.
/// - Standard range in an HDR target has its white at `ColorSpace.referenceWhite`.
package struct ColorTransform: Sendable, Hashable {
    /// From signals to light.
    package let decoding: TransferCurve
    /// From light to the target's signals.
    package let encoding: TransferCurve
    /// Light as decoded to the target's primaries, in units of 10,000 candela per square metre.
    package let matrix: ColorMatrix
    /// What brings light into the target's range; nil for nothing.
    package let toneMapping: ToneMapping?
    /// Those units to what the encoding wants.
    package let encodingScale: Double
    /// Whether nothing has to be done.
    package let isIdentity: Bool

    /// Where a film of high dynamic range does not say how bright it gets: most are graded so.
    package static let defaultPeakLuminance = 1000.0

    /// From a picture.
    ///
    /// - Parameters:
    ///   - source: with nothing left unspecified.
    ///   - peakLuminance: the film's, in candela per square metre; nil for unknown.
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

    /// From one target's numbers to another's: what was drawn for the one, on the other.
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
        // Numbers that are kept stand for what the target makes of them.
        let decoding = isKept ? encoding : sourceCurve
        let primaries = ColorMatrix(from: sourcePrimaries, to: target.primaries)
        // What 1 stands for on either side, in candela per square metre.
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

    /// The first part: as far as the light of the target's display, in which pictures may be
    /// averaged. 1 is the target's white, or the reference white where its numbers are absolute.
    package var toLight: ColorTransform {
        ColorTransform(
            decoding: decoding, matrix: matrix, toneMapping: toneMapping,
            encodingScale: 10_000 / lightWhite, encoding: .linear)
    }

    /// The second part, the same whatever the source: from that light to the target's numbers.
    package var fromLight: ColorTransform {
        ColorTransform(
            decoding: .linear, matrix: .identity * (lightWhite / 10_000), toneMapping: nil,
            encodingScale: encodingScale, encoding: encoding)
    }

    private var lightWhite: Double {
        encoding.luminanceOfOne == nil ? 10_000 / encodingScale : ColorSpace.referenceWhite
    }

    /// What a color becomes; not clamped.
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
    /// Whether it is that of a display of standard range: relative, and meant to be looked at.
    var isStandardRange: Bool {
        switch self {
        case .power, .sRGB: true
        case .linear, .cinema, .pq, .hlg, .logarithmic: false
        }
    }
}
