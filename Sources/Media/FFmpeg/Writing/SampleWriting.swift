// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import PlayheadBuffers

/// The conversion of R'G'B' and alpha to the pixel formats of encoders.
enum SampleWriting {
    /// Fills a frame with an image whose rows are stored from top to bottom.
    ///
    /// - Precondition: The frame has the size of the image, and has memory.
    static func fill(_ frame: UnsafeMutablePointer<AVFrame>, with image: RGBAImage) {
        image.bytes.withUnsafeBufferPointer { bytes in
            switch AVPixelFormat(frame.pointee.format) {
            case AV_PIX_FMT_BGRA: fillBGRA(frame, bytes, image.width, image.height)
            case AV_PIX_FMT_YUV420P, AV_PIX_FMT_YUVA420P:
                fillSubsampled(frame, bytes, image.width, image.height)
            default: fill10Bit(frame, bytes, image.width, image.height)
            }
        }
    }

    private static func plane(
        _ frame: UnsafeMutablePointer<AVFrame>, _ index: Int
    ) -> (start: UnsafeMutablePointer<UInt8>, bytesPerRow: Int)? {
        let data = frame.pointee.data
        let sizes = frame.pointee.linesize
        let pointers = [data.0, data.1, data.2, data.3]
        let strides = [sizes.0, sizes.1, sizes.2, sizes.3]
        return pointers[index].map { ($0, Int(strides[index])) }
    }

    private static func fillBGRA(
        _ frame: UnsafeMutablePointer<AVFrame>, _ bytes: UnsafeBufferPointer<UInt8>, _ width: Int,
        _ height: Int
    ) {
        guard let target = plane(frame, 0) else { return }
        for y in 0..<height {
            let row = target.start + y * target.bytesPerRow
            for x in 0..<width {
                let source = (y * width + x) * 4
                row[x * 4] = bytes[source + 2]
                row[x * 4 + 1] = bytes[source + 1]
                row[x * 4 + 2] = bytes[source]
                row[x * 4 + 3] = bytes[source + 3]
            }
        }
    }

    /// Converts R'G'B' from 0 to 255 to luma from 0 to 255 and chroma centred on 0, as in BT.709,
    /// items 3.2 and 3.3.
    @inline(__always)
    private static func encoded(
        _ red: Float, _ green: Float, _ blue: Float
    ) -> (luma: Float, cb: Float, cr: Float) {
        let luma = 0.2126 * red + 0.7152 * green + 0.0722 * blue
        return (luma, (blue - luma) / 1.8556, (red - luma) / 1.5748)
    }

    private static func fillSubsampled(
        _ frame: UnsafeMutablePointer<AVFrame>, _ bytes: UnsafeBufferPointer<UInt8>, _ width: Int,
        _ height: Int
    ) {
        guard let luma = plane(frame, 0), let cb = plane(frame, 1), let cr = plane(frame, 2) else {
            return
        }
        let alpha = plane(frame, 3)
        for y in 0..<height {
            for x in 0..<width {
                let source = (y * width + x) * 4
                let value = encoded(
                    Float(bytes[source]), Float(bytes[source + 1]), Float(bytes[source + 2])
                ).luma
                luma.start[y * luma.bytesPerRow + x] = UInt8(16.5 + value * (219 / 255))
                if let alpha {
                    alpha.start[y * alpha.bytesPerRow + x] = bytes[source + 3]
                }
            }
        }
        // Chroma samples are on the left, between two rows, which is the default of H.264. Each is
        // the mean of two rows, and of three columns with the weights 1, 2 and 1.
        for y in 0..<(height + 1) / 2 {
            let upper = min(2 * y, height - 1) * width
            let lower = min(2 * y + 1, height - 1) * width
            for x in 0..<(width + 1) / 2 {
                let (left, right) = (max(2 * x - 1, 0), min(2 * x + 1, width - 1))
                let middle = min(2 * x, width - 1)
                func mean(_ channel: Int) -> Float {
                    func sum(_ row: Int) -> Int {
                        Int(bytes[(row + left) * 4 + channel])
                            + 2 * Int(bytes[(row + middle) * 4 + channel])
                            + Int(bytes[(row + right) * 4 + channel])
                    }
                    return Float(sum(upper) + sum(lower)) / 8
                }
                let value = encoded(mean(0), mean(1), mean(2))
                cb.start[y * cb.bytesPerRow + x] = UInt8(128.5 + value.cb * (224 / 255))
                cr.start[y * cr.bytesPerRow + x] = UInt8(128.5 + value.cr * (224 / 255))
            }
        }
    }

    private static func fill10Bit(
        _ frame: UnsafeMutablePointer<AVFrame>, _ bytes: UnsafeBufferPointer<UInt8>, _ width: Int,
        _ height: Int
    ) {
        let planes = (0..<4).compactMap { plane(frame, $0) }
        guard planes.count == 4 else { return }
        for y in 0..<height {
            let rows = planes.map {
                UnsafeMutableRawPointer($0.start + y * $0.bytesPerRow)
                    .assumingMemoryBound(to: UInt16.self)
            }
            for x in 0..<width {
                let source = (y * width + x) * 4
                let value = encoded(
                    Float(bytes[source]), Float(bytes[source + 1]), Float(bytes[source + 2]))
                rows[0][x] = UInt16(64.5 + value.luma * (876 / 255))
                rows[1][x] = UInt16(512.5 + value.cb * (896 / 255))
                rows[2][x] = UInt16(512.5 + value.cr * (896 / 255))
                rows[3][x] = UInt16(0.5 + Float(bytes[source + 3]) * (1023 / 255))
            }
        }
    }

    /// Returns the sample rate that is nearest to `rate` and that an encoder supports. If an
    /// encoder has no list of rates, it supports any rate.
    static func rate(nearest rate: Int, of encoder: String) -> Int {
        guard let codec = avcodec_find_encoder_by_name(encoder),
            var known = ph_codec_sample_rates(codec)
        else { return rate }
        var best = 0
        // The list ends with 0.
        while known.pointee != 0 {
            let candidate = Int(known.pointee)
            let (distance, least) = (abs(candidate - rate), abs(best - rate))
            if best == 0 || distance < least || (distance == least && candidate > best) {
                best = candidate
            }
            known += 1
        }
        return best == 0 ? rate : best
    }
}
