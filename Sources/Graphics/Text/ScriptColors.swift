// SPDX-License-Identifier: Apache-2.0

import CPlayheadASS
import PlayheadBuffers
import PlayheadConversion

/// The conversion of a script's colours for a video with a different matrix than the script.
///
/// Scripts are written to look right in VSFilter, which drew their lines into the coded frame.
/// VSFilter encoded colours with the matrix that the script's `YCbCr Matrix` names, or with the
/// matrix of BT.601 if none is named. The player then decoded the frame with the video's matrix.
/// Colours that an author matched to the video are right only if a player does the same. For video
/// of BT.2020, and of other matrices that a script cannot name, the script's colours are kept, as
/// for `None`.
///
/// - Corresponds to: `ASS_YCbCrMatrix`; mpv's `--sub-ass-vsfilter-color-compat=full`.
struct ScriptColors {
    private let luma: YCbCrConversion.LumaCoefficients
    private let isFullRange: Bool
    private let film: YCbCrConversion

    /// The matrices that a script can name for a video.
    private static let filmMatrices: Set<ColorAttachments.Matrix> = [
        .bt709, .fcc, .bt470bg, .bt601, .smpte240m,
    ]

    /// Creates the conversion.
    ///
    /// - Parameter film: the colour attachments of the video, none of them unspecified.
    /// - Returns: nil if colours are kept.
    init?(_ script: ASS_YCbCrMatrix, film: ColorAttachments) {
        guard Self.filmMatrices.contains(film.matrix) else { return nil }
        let matrix: ColorAttachments.Matrix
        switch script {
        case YCBCR_DEFAULT, YCBCR_BT601_TV, YCBCR_BT601_PC: matrix = .bt601
        case YCBCR_BT709_TV, YCBCR_BT709_PC: matrix = .bt709
        case YCBCR_SMPTE240M_TV, YCBCR_SMPTE240M_PC: matrix = .smpte240m
        case YCBCR_FCC_TV, YCBCR_FCC_PC: matrix = .fcc
        default: return nil
        }
        luma = YCbCrConversion.LumaCoefficients(matrix)
        isFullRange = [
            YCBCR_BT601_PC, YCBCR_BT709_PC, YCBCR_SMPTE240M_PC, YCBCR_FCC_PC,
        ].contains(script)
        let isFilmsRange = isFullRange == (film.range == .full)
        if isFilmsRange, luma == YCbCrConversion.LumaCoefficients(film.matrix) { return nil }
        self.film = YCbCrConversion(format: .yuv444p, color: film)
    }

    /// Returns the displayed colour for a colour of libass, which has red in the highest byte and
    /// transparency in the lowest.
    func callAsFunction(_ color: UInt32) -> UInt32 {
        let rgb = SIMD3<Double>(
            Double(color >> 24 & 0xFF), Double(color >> 16 & 0xFF), Double(color >> 8 & 0xFF))
        // H.273 equations 38 to 43, and equations 20 to 34 for 8-bit codes.
        let y = luma.red * rgb.x + luma.green * rgb.y + luma.blue * rgb.z
        let (cb, cr) = (
            (rgb.z - y) / (2 * (1 - luma.blue)), (rgb.x - y) / (2 * (1 - luma.red))
        )
        let codes =
            isFullRange
            ? SIMD3(y, 128 + cb, 128 + cr)
            : SIMD3(16 + y * 219 / 255, 128 + cb * 224 / 255, 128 + cr * 224 / 255)
        let seen = (film(codes / 255) * 255).rounded(.toNearestOrAwayFromZero)
            .clamped(lowerBound: SIMD3(repeating: 0), upperBound: SIMD3(repeating: 255))
        return UInt32(seen.x) << 24 | UInt32(seen.y) << 16 | UInt32(seen.z) << 8 | color & 0xFF
    }
}
