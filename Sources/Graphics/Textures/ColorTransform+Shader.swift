// SPDX-License-Identifier: Apache-2.0

import PlayheadConversion
import PlayheadGL

extension ColorTransform {
    /// The part of a transform that selects a program. The rest is set as uniforms.
    struct Variant: Hashable {
        var decoding: TransferCurve
        var encoding: TransferCurve
        var toneMaps: Bool
        var isIdentity: Bool

        /// The definitions for `colorimetry.glsl`.
        var defines: [(name: String, value: String)] {
            var defines = TransferCurve.codes.enumerated().map { ($1, "\($0)") }
            defines.append(("DECODING", decoding.code))
            defines.append(("DECODING_PARAMETER", decoding.parameter))
            if !isIdentity {
                defines.append(("COLOR_TRANSFORM", "1"))
                defines.append(("ENCODING", encoding.code))
                defines.append(("ENCODING_PARAMETER", encoding.parameter))
            }
            if toneMaps { defines.append(("COLOR_TONE_MAPS", "1")) }
            return defines
        }
    }

    var variant: Variant {
        Variant(
            decoding: decoding, encoding: encoding, toneMaps: toneMapping != nil,
            isIdentity: isIdentity)
    }
}

extension TransferCurve {
    /// The names that the shader has for the curves.
    fileprivate static let codes = [
        "CURVE_LINEAR", "CURVE_POWER", "CURVE_SRGB", "CURVE_PQ", "CURVE_HLG", "CURVE_LOGARITHMIC",
    ]

    fileprivate var code: String {
        switch self {
        case .linear: "CURVE_LINEAR"
        case .power, .cinema: "CURVE_POWER"
        case .sRGB: "CURVE_SRGB"
        case .pq: "CURVE_PQ"
        case .hlg: "CURVE_HLG"
        case .logarithmic: "CURVE_LOGARITHMIC"
        }
    }

    fileprivate var parameter: String {
        switch self {
        case .power(let gamma): "\(gamma)"
        case .cinema: "2.6"
        case .logarithmic(let decades): "\(decades)"
        case .linear, .sRGB, .pq, .hlg: "1.0"
        }
    }
}

extension ColorMatrix {
    /// The matrix for a shader's `mat3`.
    var matrix: GLMatrix3 {
        GLMatrix3(SIMD3<Float>(first), SIMD3<Float>(second), SIMD3<Float>(third))
    }
}
