// SPDX-License-Identifier: Apache-2.0

package import PlayheadBuffers

/// Images for tests.
package enum TestPictures {
    /// Returns R'G'B'A pixels from a function of column and row.
    package static func rgba(
        width: Int, height: Int, attachments: PixelBufferAttachments = PixelBufferAttachments(),
        _ color: (Int, Int) -> SIMD4<UInt8>
    ) -> PixelBuffer {
        PixelBuffer(format: .rgba, width: width, height: height, attachments: attachments) {
            _, bytes, bytesPerRow in
            for y in 0..<height {
                for x in 0..<width {
                    bytes.storeBytes(
                        of: color(x, y), toByteOffset: y * bytesPerRow + x * 4,
                        as: SIMD4<UInt8>.self)
                }
            }
        }
    }

    /// Returns 4:2:0 BT.709 pixels in limited range from R'G'B' (0 to 1) as a function of column
    /// and row. Chroma is the mean of its four pixels.
    package static func yuv420p(
        width: Int, height: Int, _ color: (Int, Int) -> SIMD3<Double>
    ) -> PixelBuffer {
        // Each colour is asked for once, since arithmetic of vectors is slow in a debug build.
        var signals = [[Double]](
            repeating: [Double](repeating: 0, count: width * height), count: 3)
        for row in 0..<height {
            for column in 0..<width {
                let color = color(column, row)
                let (red, green, blue) = (color.x, color.y, color.z)
                let luma = 0.2126 * red + 0.7152 * green + 0.0722 * blue
                let index = row * width + column
                signals[0][index] = luma
                signals[1][index] = (blue - luma) / 1.8556
                signals[2][index] = (red - luma) / 1.5748
            }
        }
        return PixelBuffer(
            format: .yuv420p, width: width, height: height,
            attachments: PixelBufferAttachments(
                color: ColorAttachments(
                    matrix: .bt709, range: .limited, chromaLocation: .center))
        ) { plane, bytes, bytesPerRow in
            let step = plane == 0 ? 1 : 2
            let signal = signals[plane]
            for y in stride(from: 0, to: height, by: step) {
                for x in stride(from: 0, to: width, by: step) {
                    var (sum, count) = (0.0, 0.0)
                    for row in y..<min(y + step, height) {
                        for column in x..<min(x + step, width) {
                            sum += signal[row * width + column]
                            count += 1
                        }
                    }
                    let value = plane == 0 ? 16 + 219 * sum / count : 128 + 224 * sum / count
                    bytes[y / step * bytesPerRow + x / step] = UInt8(
                        min(max(value.rounded(), 0), 255))
                }
            }
        }
    }

    /// Returns the foreground's coverage of a green-screen shot at a position, and its colour: a
    /// face-coloured disc with a soft edge, a white, a grey and a dark-blue bar, and strands as
    /// thin as hair.
    package static func greenScreenForeground(
        x: Double, y: Double
    ) -> (alpha: Double, color: SIMD3<Double>) {
        func distance(_ cx: Double, _ cy: Double) -> Double {
            ((x - cx) * (x - cx) + (y - cy) * (y - cy)).squareRoot()
        }
        func soft(_ value: Double, _ width: Double) -> Double { min(max(value / width, 0), 1) }
        var alpha = soft(80 - distance(160, 150), 6)
        var color = SIMD3<Double>(0.80, 0.60, 0.50)
        let bars: [(Double, SIMD3<Double>)] = [
            (320, [0.95, 0.95, 0.95]), (400, [0.5, 0.5, 0.5]), (480, [0.1, 0.15, 0.5]),
            (560, [0.75, 0.15, 0.15]),
        ]
        for (left, bar) in bars where x > left - 30 && x < left + 30 && y > 60 {
            color = bar
            alpha = soft(30 - abs(x - left), 2)
        }
        for strand in 0..<9 where y > 20 && y < 110 {
            let center = 100 + Double(strand) * 15 + (y - 20) * (0.1 * Double(strand) - 0.4)
            let share = soft(1.2 - abs(x - center), 0.8) * soft(y - 20, 40)
            if share > alpha {
                alpha = share
                color = [0.2, 0.13, 0.08]
            }
        }
        return (alpha, color)
    }

    /// Returns a green-screen shot: an unevenly lit screen, a foreground with soft edges and some
    /// spill.
    package static func greenScreen(width: Int = 640, height: Int = 360) -> PixelBuffer {
        yuv420p(width: width, height: height) { column, row in
            let (x, y) = (Double(column) + 0.5, Double(row) + 0.5)
            let light = 1.0 - 0.35 * abs(x - 320) / 320 - 0.1 * y / 360
            let backing = SIMD3<Double>(0.05, 0.72, 0.28) * light
            let (alpha, color) = greenScreenForeground(x: x, y: y)
            let spilled = color + SIMD3<Double>(0, 0.06, 0.02)
            return backing * (1 - alpha) + spilled * alpha
        }
    }
}
