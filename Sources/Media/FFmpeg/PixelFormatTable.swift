// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import PlayheadBuffers
import Synchronization

/// The descriptions of FFmpeg's pixel formats, derived from FFmpeg's own descriptors.
///
/// - Concurrency: any thread.
/// - Corresponds to: `av_pix_fmt_desc_get`.
enum PixelFormatTable {
    private static let known = Mutex<[Int32: PixelFormat?]>([:])

    /// Returns the description of a format; nil for formats whose samples are not numbers in
    /// memory: palettes, single bits, few bits per colour, raw sensor data and hardware surfaces.
    static func format(_ format: AVPixelFormat) -> PixelFormat? {
        known.withLock { known in
            if let described = known[format.rawValue] { return described }
            let described = describe(format)
            known[format.rawValue] = .some(described)
            return described
        }
    }

    static func name(_ format: AVPixelFormat) -> String {
        av_get_pix_fmt_name(format).map { String(cString: $0) } ?? ""
    }

    /// Returns whether the format implies full range. This is true for the deprecated variants of
    /// planar formats that JPEG decoders still return.
    static func isFullRange(_ format: AVPixelFormat) -> Bool {
        switch format {
        case AV_PIX_FMT_YUVJ420P, AV_PIX_FMT_YUVJ422P, AV_PIX_FMT_YUVJ444P, AV_PIX_FMT_YUVJ440P,
            AV_PIX_FMT_YUVJ411P:
            true
        default: false
        }
    }

    private static func describe(_ format: AVPixelFormat) -> PixelFormat? {
        guard let descriptor = av_pix_fmt_desc_get(format)?.pointee else { return nil }
        let flags = Int32(truncatingIfNeeded: descriptor.flags)
        let withoutNumbers =
            AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_BITSTREAM | AV_PIX_FMT_FLAG_BAYER
            | AV_PIX_FMT_FLAG_HWACCEL
        // In FFmpeg 5, X'Y'Z' has no flag of its own.
        guard flags & withoutNumbers == 0, !CinemaColors.isFormat(format),
            PackedColors(format) == nil
        else { return nil }
        let count = Int(descriptor.nb_components)
        let hasAlpha = flags & AV_PIX_FMT_FLAG_ALPHA != 0
        let stored = descriptor.comp
        let components = [stored.0, stored.1, stored.2, stored.3].prefix(count).map {
            PixelFormat.Component(
                plane: Int($0.plane), step: Int($0.step), offset: Int($0.offset),
                shift: Int($0.shift), depth: Int($0.depth))
        }
        let isRGB = flags & AV_PIX_FMT_FLAG_RGB != 0
        return PixelFormat(
            name: String(cString: descriptor.name),
            model: isRGB ? .rgb : (count - (hasAlpha ? 1 : 0) == 1 ? .gray : .yCbCr),
            components: components, hasAlpha: hasAlpha,
            log2ChromaWidth: Int(descriptor.log2_chroma_w),
            log2ChromaHeight: Int(descriptor.log2_chroma_h),
            isFloat: flags & AV_PIX_FMT_FLAG_FLOAT != 0,
            isBigEndian: flags & AV_PIX_FMT_FLAG_BE != 0)
    }
}
