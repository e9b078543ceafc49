// SPDX-License-Identifier: Apache-2.0

package import PlayheadBuffers

/// The map from a frame's samples, as a texture returns them, to nonlinear R'G'B' from 0 to 1.
///
/// The map is computed from the definitions of ITU-T H.273 (02/2024), 8.3: the matrix from Kr and
/// Kb, and the offsets and scales from range and bit depth. It includes the scale from a texture's
/// values, which range from 0 to 1, to code values. Nothing is clamped, so super-white and
/// out-of-gamut values survive.
///
/// ICtCp and constant-luminance BT.2020 are not linear maps. After the linear map, they need
/// another step, which `stage` names.
///
/// - Corresponds to: `kCVImageBufferYCbCrMatrixKey`; mpv's `mp_get_csp_matrix`.
public struct YCbCrConversion: Sendable, Hashable {
    /// The R'G'B' that the first component contributes if its sample is 1.
    public let first: SIMD3<Double>
    /// The R'G'B' that the second component contributes if its sample is 1.
    public let second: SIMD3<Double>
    /// The R'G'B' that the third component contributes if its sample is 1.
    public let third: SIMD3<Double>
    /// The R'G'B' for samples that are all 0.
    package let offset: SIMD3<Double>
    /// The scale of each component: `signal = sample * scale + bias`, with luma from 0 to 1 and
    /// chroma from -0.5 to 0.5.
    public let signalScale: SIMD3<Double>
    /// The bias of each component, which is added after the scale.
    public let signalBias: SIMD3<Double>
    /// The factor from a sample of alpha to an opacity from 0 to 1; 1 if the format has no alpha.
    /// Alpha is full range in every format.
    package let alphaScale: Double
    /// The weights of red, green and blue in luma.
    package let lumaCoefficients: LumaCoefficients
    /// The step from the result of the linear map to R'G'B'.
    package let stage: Stage

    /// A nonlinear step after the linear map.
    package enum Stage: Int, Sendable, Hashable {
        case none
        /// The linear map returns C'rc, Y'c, C'bc: H.273 equations 59 to 68.
        case constantLuminance
        /// The linear map returns L'M'S' in the frame's curve, PQ or HLG: H.273 equations 76 to 84.
        case iCtCp
    }

    /// The weights of red and blue in luma, from H.273, table 4. Green has the rest.
    package struct LumaCoefficients: Sendable, Hashable {
        /// The weight of red, Kr.
        package var red: Double
        /// The weight of blue, Kb.
        package var blue: Double
        /// The weight of green: 1 less the other weights.
        package var green: Double { 1 - red - blue }

        package init(red: Double, blue: Double) {
            self.red = red
            self.blue = blue
        }

        /// The weights of ITU-R BT.709-6, item 3.2.
        package static let bt709 = LumaCoefficients(red: 0.2126, blue: 0.0722)

        /// Creates the weights that follow from primaries, by H.273 equations 32 to 37.
        package init(_ primaries: ColorAttachments.Primaries) {
            let matrix = ColorMatrix.toXYZ(Chromaticities(primaries))
            self.init(red: matrix.first.y, blue: matrix.third.y)
        }

        /// Creates the weights of a matrix. Matrices without weights get the weights of BT.709.
        package init(_ matrix: ColorAttachments.Matrix) {
            self =
                switch matrix {
                case .fcc: LumaCoefficients(red: 0.30, blue: 0.11)
                case .bt470bg, .bt601: LumaCoefficients(red: 0.299, blue: 0.114)
                case .smpte240m: LumaCoefficients(red: 0.212, blue: 0.087)
                case .bt2020NonConstantLuminance, .bt2020ConstantLuminance:
                    LumaCoefficients(red: 0.2627, blue: 0.0593)
                default: .bt709
                }
        }
    }

    /// Creates the conversion from a pixel format.
    ///
    /// - Parameter color: the frame's attachments, none of them unspecified, as `PixelBuffer.color`
    ///   returns them.
    package init(format: PixelFormat, color: ColorAttachments) {
        lumaCoefficients =
            color.matrix == .chromaticityDerived
            ? LumaCoefficients(color.primaries) : LumaCoefficients(color.matrix)
        var scale = SIMD3<Double>(repeating: 1)
        var bias = SIMD3<Double>(repeating: 0)
        for index in 0..<3 {
            // Grey has one component, which the texture's swizzle repeats.
            let component = format.components[format.model == .gray ? 0 : index]
            let isChroma = format.model == .yCbCr && index > 0 && color.matrix != .rgb
            (scale[index], bias[index]) = Self.signal(
                component, isFloat: format.isFloat, isChroma: isChroma, range: color.range)
        }
        signalScale = scale
        signalBias = bias
        alphaScale =
            format.hasAlpha
            ? format.components.last.map {
                Self.signal($0, isFloat: format.isFloat, isChroma: false, range: .full).scale
            } ?? 1 : 1

        let columns =
            format.model == .yCbCr
            ? Self.columns(color, lumaCoefficients)
            : (SIMD3<Double>(1, 0, 0), SIMD3<Double>(0, 1, 0), SIMD3<Double>(0, 0, 1))
        stage =
            switch (format.model, color.matrix) {
            case (.yCbCr, .bt2020ConstantLuminance): .constantLuminance
            case (.yCbCr, .iCtCp): .iCtCp
            default: .none
            }
        first = columns.0 * scale.x
        second = columns.1 * scale.y
        third = columns.2 * scale.z
        offset = columns.0 * bias.x + columns.1 * bias.y + columns.2 * bias.z
    }

    /// A Boolean value that indicates whether samples are already full-range R'G'B'. The conversion
    /// then changes nothing.
    package var isIdentity: Bool {
        stage == .none && first == SIMD3(1, 0, 0) && second == SIMD3(0, 1, 0)
            && third == SIMD3(0, 0, 1) && offset == SIMD3(0, 0, 0)
    }

    /// A Boolean value that indicates whether the matrix has the form of Y'CbCr: luma contributes
    /// equally to red, green and blue, Cb does not contribute to red, and Cr not to blue. Five
    /// numbers then describe the matrix.
    package var isColorDifference: Bool {
        first.x == first.y && first.y == first.z && second.x == 0 && third.z == 0
    }

    /// Returns the R'G'B' of three samples. If there is a `stage`, returns the input of that step.
    package func callAsFunction(_ samples: SIMD3<Double>) -> SIMD3<Double> {
        first * samples.x + second * samples.y + third * samples.z + offset
    }

    /// Returns the scale and bias from texture sample to signal: H.273 equations 23 to 34, solved
    /// for the signal. In the equations, n is the depth.
    private static func signal(
        _ component: PixelFormat.Component, isFloat: Bool, isChroma: Bool,
        range: ColorAttachments.Range
    ) -> (scale: Double, bias: Double) {
        // Float samples are signals already, with chroma from -0.5 to 0.5.
        if isFloat { return (1, 0) }
        let textureMaximum: Double = component.depth + component.shift <= 8 ? 255 : 65535
        let codes = textureMaximum / Double(1 << component.shift)
        let steps = Double(1 << (component.depth - 8 < 0 ? 0 : component.depth - 8))
        let maximum = Double((1 << component.depth) - 1)
        let (zero, span): (Double, Double) =
            switch (range, isChroma) {
            case (.limited, false): (16 * steps, 219 * steps)
            case (.limited, true): (128 * steps, 224 * steps)
            case (_, false): (0, maximum)
            case (_, true): (Double(1 << (component.depth - 1)), maximum)
            }
        return (codes / span, -zero / span)
    }

    /// Returns the columns of the matrix from Y', Cb, Cr to R'G'B': H.273 equations 38 to 43, and
    /// 44 to 55 for YCgCo, solved for R'G'B'.
    private static func columns(
        _ color: ColorAttachments, _ luma: LumaCoefficients
    ) -> (SIMD3<Double>, SIMD3<Double>, SIMD3<Double>) {
        switch color.matrix {
        case .rgb:
            // The components are in the order G, B, R.
            ([0, 1, 0], [0, 0, 1], [1, 0, 0])
        case .yCgCo:
            ([1, 1, 1], [-1, 1, -1], [1, 0, -1])
        case .bt2020ConstantLuminance:
            ([0, 1, 0], [0, 0, 1], [1, 0, 0])
        case .iCtCp:
            // H.273 equations 79 to 84, solved for L'M'S'.
            {
                let rows: (SIMD3<Double>, SIMD3<Double>) =
                    color.transfer == .hlg
                    ? ([3625, -7465, 3840], [9500, -9212, -288])
                    : ([6610, -13613, 7003], [17933, -17390, -543])
                let matrix = ColorMatrix(
                    rows: ([0.5, 0.5, 0], rows.0 / 4096, rows.1 / 4096)
                ).inverse
                return (matrix.first, matrix.second, matrix.third)
            }()
        default:
            (
                [1, 1, 1],
                [
                    0, -2 * luma.blue * (1 - luma.blue) / luma.green, 2 * (1 - luma.blue),
                ],
                [
                    2 * (1 - luma.red), -2 * luma.red * (1 - luma.red) / luma.green, 0,
                ]
            )
        }
    }
}
