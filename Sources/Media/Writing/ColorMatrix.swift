// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers

/// The coefficients of a conversion between R'G'B' and Y'CbCr.
struct ColorMatrix {
    /// The weights of red and blue in luma, from ITU-R BT.601-7, 2.5.1; BT.709-6, 3.2; BT.2020-2,
    /// table 4; SMPTE ST 240:1999, 8.
    let red: Double
    let blue: Double
    var green: Double { 1 - red - blue }
    /// The code of black, and the sizes of the code ranges of luma and chroma, at the bit depth.
    let black: Double
    let lumaSpan: Double
    let chromaSpan: Double
    let chromaZero: Double
    let maximum: Double

    /// Creates the coefficients. Fails if the matrix is not a linear combination of luma and two
    /// colour differences.
    init?(_ matrix: ColorAttachments.Matrix, range: ColorAttachments.Range, depth: Int) {
        switch matrix {
        case .bt709: (red, blue) = (0.2126, 0.0722)
        case .bt601, .bt470bg: (red, blue) = (0.299, 0.114)
        case .bt2020NonConstantLuminance: (red, blue) = (0.2627, 0.0593)
        case .smpte240m: (red, blue) = (0.212, 0.087)
        default: return nil
        }
        let step = Double(1 << (depth - 8))
        maximum = Double((1 << depth) - 1)
        chromaZero = 128 * step
        if range == .full {
            (black, lumaSpan, chromaSpan) = (0, maximum, maximum)
        } else {
            (black, lumaSpan, chromaSpan) = (16 * step, 219 * step, 224 * step)
        }
    }

    /// Returns the codes for a colour whose components are from 0 to 1.
    func encode(_ r: Double, _ g: Double, _ b: Double) -> (y: Double, cb: Double, cr: Double) {
        let luma = red * r + green * g + blue * b
        return (
            black + luma * lumaSpan,
            chromaZero + (b - luma) / (2 * (1 - blue)) * chromaSpan,
            chromaZero + (r - luma) / (2 * (1 - red)) * chromaSpan
        )
    }

    /// Returns the colour for codes. The components of a colour inside the gamut are from 0 to 1.
    func decode(_ y: Double, _ cb: Double, _ cr: Double) -> (r: Double, g: Double, b: Double) {
        let luma = (y - black) / lumaSpan
        let r = luma + (cr - chromaZero) / chromaSpan * 2 * (1 - red)
        let b = luma + (cb - chromaZero) / chromaSpan * 2 * (1 - blue)
        return (r, (luma - red * r - blue * b) / green, b)
    }
}
