// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import Glibc
import PlayheadBuffers

/// The conversion of X'Y'Z', the device-independent colours of digital cinema (SMPTE ST 428-1). The
/// samples have a gamma of 2.6 and use the upper twelve of 16 bits.
///
/// They are converted to R'G'B' with the primaries of BT.709. The white point is the one used for
/// grading, so there is no chromatic adaptation. Colours outside the gamut are clipped.
enum CinemaColors {
    /// The linear X, Y and Z of each 12-bit code.
    private static let light = (0..<4096).map { powf(Float($0) / 4095, 2.6) }
    /// The R', G' or B' signal for each 16-bit level of light.
    private static let signal = (0..<65536).map {
        UInt16((powf(Float($0) / 65535, 1 / 2.2) * 65535).rounded())
    }
    /// The matrix from X, Y and Z to linear light with the primaries of BT.709 and a D65 white
    /// point. It follows BT.709 and CIE 15.
    private static let matrix: (SIMD3<Float>, SIMD3<Float>, SIMD3<Float>) = (
        [3.240454, -0.969266, 0.055643], [-1.537139, 1.876011, -0.204026],
        [-0.498531, 0.041556, 1.057225]
    )

    static func isFormat(_ format: AVPixelFormat) -> Bool {
        format == AV_PIX_FMT_XYZ12LE || format == AV_PIX_FMT_XYZ12BE
    }

    static func convert(
        _ frame: AVFrame, _ attachments: PixelBufferAttachments
    ) -> PixelBuffer? {
        guard let data = frame.data.0, let format = PixelFormatTable.format(AV_PIX_FMT_RGB48LE)
        else { return nil }
        var attachments = attachments
        attachments.color = ColorAttachments(
            matrix: .rgb, range: .full, primaries: .bt709, transfer: .gamma22)
        let isBigEndian = AVPixelFormat(frame.format) == AV_PIX_FMT_XYZ12BE
        let (light, signal) = (light, signal)
        return PixelBuffer(
            format: format, width: Int(frame.width), height: Int(frame.height),
            attachments: attachments
        ) { _, bytes, bytesPerRow in
            for row in 0..<Int(frame.height) {
                let source = UnsafeRawPointer(data + row * Int(frame.linesize.0))
                func stored(_ index: Int) -> Float {
                    let word = source.loadUnaligned(fromByteOffset: index * 2, as: UInt16.self)
                    return light[Int(isBigEndian ? word.bigEndian : word.littleEndian) >> 4]
                }
                for column in 0..<Int(frame.width) {
                    let color =
                        matrix.0 * stored(column * 3) + matrix.1 * stored(column * 3 + 1)
                        + matrix.2 * stored(column * 3 + 2)
                    let levels = SIMD3<Int32>(
                        (color.clamped(lowerBound: .zero, upperBound: .one) * 65535).rounded(
                            .toNearestOrEven))
                    for index in 0..<3 {
                        bytes.storeBytes(
                            of: signal[Int(levels[index])].littleEndian,
                            toByteOffset: row * bytesPerRow + column * 6 + index * 2,
                            as: UInt16.self)
                    }
                }
            }
        }
    }
}
