// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets

/// A bitmap of a subtitle, scaled to its displayed size, with its position.
struct ScaledBitmap {
    let x: Int
    let y: Int
    let width: Int
    let height: Int
    /// The pixels, premultiplied.
    let pixels: [SIMD4<UInt8>]

    /// Creates a scaled bitmap; nil if nothing of the bitmap is visible.
    ///
    /// If the canvas of the bitmap has the same shape as the stored video, it covers the video,
    /// regardless of the video's pixel aspect ratio. Otherwise the canvas belongs to a version of
    /// the video whose black bars were not cut off. The canvas then gets the width of the video,
    /// and bitmaps that lie above or below the video are moved inside.
    init?(_ bitmap: SubtitleBitmap, to layout: SubtitleRasterizer.Layout) {
        let (frameWidth, frameHeight) = (Double(layout.width), Double(layout.height))
        let canvas = (Double(bitmap.canvasWidth), Double(bitmap.canvasHeight))
        guard canvas.0 > 0, canvas.1 > 0 else { return nil }
        let horizontal = frameWidth / canvas.0
        var vertical = frameHeight / canvas.1
        var offset = 0.0
        let stored =
            layout.storageHeight > 0
            ? Double(layout.storageWidth) / Double(layout.storageHeight) : frameWidth / frameHeight
        if abs(stored / (canvas.0 / canvas.1) - 1) > Self.tolerance {
            vertical = horizontal
            offset = (frameHeight - canvas.1 * vertical) / 2
        }
        let wide = Int((Double(bitmap.width) * horizontal).rounded())
        let high = Int((Double(bitmap.height) * vertical).rounded())
        guard wide > 0, high > 0 else { return nil }
        width = min(wide, layout.width)
        height = min(high, layout.height)
        let left = Int((Double(bitmap.x) * horizontal).rounded())
        let top = Int((Double(bitmap.y) * vertical + offset).rounded())
        x = min(max(left, 0), layout.width - width)
        y = min(max(top, 0), layout.height - height)
        pixels = Self.resampled(bitmap, width: width, height: height)
    }

    /// The tolerance for shapes that are meant to be equal. For example, 1080 lines are stored as
    /// 1088, and only 702 of 720 pixels are displayed.
    private static let tolerance = 0.1

    /// Returns the pixels at another size. Premultiplied colours are interpolated bilinearly, so
    /// transparent pixels contribute no colour.
    private static func resampled(
        _ bitmap: SubtitleBitmap, width: Int, height: Int
    ) -> [SIMD4<UInt8>] {
        let palette = bitmap.palette.map { color -> SIMD4<Float> in
            let alpha = Float(color.w) / 255
            return SIMD4(
                Float(color.x) * alpha, Float(color.y) * alpha, Float(color.z) * alpha,
                Float(color.w))
        }
        if width == bitmap.width, height == bitmap.height {
            let bytes = palette.map {
                SIMD4<UInt8>(clamping: SIMD4<Int32>($0.rounded(.toNearestOrEven)))
            }
            return bitmap.indices.map { bytes[Int($0)] }
        }
        let columns = axis(from: bitmap.width, to: width)
        let rows = axis(from: bitmap.height, to: height)
        return [SIMD4<UInt8>](unsafeUninitializedCapacity: width * height) { target, count in
            bitmap.indices.withUnsafeBufferPointer { indices in
                for (y, row) in rows.enumerated() {
                    let (top, bottom) = (row.first * bitmap.width, row.second * bitmap.width)
                    for (x, column) in columns.enumerated() {
                        let above =
                            palette[Int(indices[top + column.first])] * (1 - column.share)
                            + palette[Int(indices[top + column.second])] * column.share
                        let below =
                            palette[Int(indices[bottom + column.first])] * (1 - column.share)
                            + palette[Int(indices[bottom + column.second])] * column.share
                        let color = above * (1 - row.share) + below * row.share
                        target[y * width + x] = SIMD4<UInt8>(
                            clamping: SIMD4<Int32>(color.rounded(.toNearestOrEven)))
                    }
                }
            }
            count = width * height
        }
    }

    /// Returns the two source samples for each output sample of a line, and the weight of the
    /// second one.
    private static func axis(
        from source: Int, to target: Int
    ) -> [(first: Int, second: Int, share: Float)] {
        (0..<target).map { index in
            let place = (Double(index) + 0.5) * Double(source) / Double(target) - 0.5
            let first = min(max(Int(place.rounded(.down)), 0), source - 1)
            let second = min(first + 1, source - 1)
            return (first, second, Float(min(max(place - Double(first), 0), 1)))
        }
    }
}
