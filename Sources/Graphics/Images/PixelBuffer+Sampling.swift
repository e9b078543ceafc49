// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers
import PlayheadConversion

extension PixelBuffer {
    /// Returns the mean colour around a point, for a colour picker. The colour is R'G'B' from 0 to
    /// 1 as in the video, not converted to a display's colours.
    ///
    /// A single sample would be mostly noise. Therefore all samples in a square are sorted by
    /// brightness, and the middle half of them is averaged. If an edge crosses the square, this
    /// leaves out the far side of the edge.
    ///
    /// - Parameters:
    ///   - x, y: the point, in fractions of the upright frame from its top left corner. Points
    ///     outside of the frame are moved to its edge.
    ///   - radius: half of the square's side, in pixels of the video; 0 for one pixel.
    /// - Returns: nil if the format's samples cannot be read one by one.
    public func averageColor(atX x: Double, y: Double, radius: Int = 4) -> SIMD3<Float>? {
        guard format.components.allSatisfy({ $0.depth + $0.shift <= 16 }), !format.isFloat else {
            return nil
        }
        func share(_ value: Double) -> Double { value.isNaN ? 0 : min(max(value, 0), 1) }
        let point = stored(SIMD2(share(x), share(y)))
        let middle = (
            x: min(Int(point.x * Double(width)), width - 1),
            y: min(Int(point.y * Double(height)), height - 1)
        )
        let radius = min(max(radius, 0), max(width, height))
        let conversion = YCbCrConversion(format: format, color: color)
        let transfer = color.transfer
        var colors: [SIMD3<Double>] = []
        for row in middle.y - radius...middle.y + radius where (0..<height).contains(row) {
            for column in middle.x - radius...middle.x + radius
            where (0..<width).contains(column) {
                colors.append(
                    conversion.stage(conversion(samples(column, row)), transfer: transfer))
            }
        }
        guard !colors.isEmpty else { return nil }
        func brightness(_ color: SIMD3<Double>) -> Double {
            0.2126 * color.x + 0.7152 * color.y + 0.0722 * color.z
        }
        colors.sort { brightness($0) < brightness($1) }
        let kept = colors[colors.count / 4..<max(colors.count / 4 + 1, 3 * colors.count / 4)]
        let mean = kept.reduce(SIMD3<Double>(), +) / Double(kept.count)
        return SIMD3<Float>(mean.clamped(lowerBound: SIMD3(), upperBound: SIMD3(1, 1, 1)))
    }

    /// Returns the samples at a position in the stored frame. As in a texture, 1 stands for the
    /// largest value of the word that stores a sample.
    private func samples(_ column: Int, _ row: Int) -> SIMD3<Double> {
        var result = SIMD3<Double>()
        for index in 0..<3 {
            let component = format.components[format.model == .gray ? 0 : index]
            let plane = planes[component.plane]
            let isChroma = index > 0 && format.model == .yCbCr
            let x = isChroma ? column >> format.log2ChromaWidth : column
            let y = isChroma ? row >> format.log2ChromaHeight : row
            let address =
                plane.baseAddress + y * plane.bytesPerRow + x * component.step + component.offset
            let bits = component.depth + component.shift
            // Other components may share the bytes.
            let mask = ((1 << component.depth) - 1) << component.shift
            if bits <= 8 {
                result[index] = Double(Int(address.load(as: UInt8.self)) & mask) / 255
            } else {
                let word = address.loadUnaligned(as: UInt16.self)
                let value = Int(format.isBigEndian ? word.byteSwapped : word) & mask
                result[index] = Double(value) / 65535
            }
        }
        return result
    }

    /// Returns the point of the stored frame for a point of the upright frame, both in fractions.
    private func stored(_ upright: SIMD2<Double>) -> SIMD2<Double> {
        let orientation = attachments.orientation
        var point = upright
        // A quarter turn clockwise takes the stored (x, y) to (1 - y, x).
        for _ in 0..<orientation.quarterTurns { point = SIMD2(point.y, 1 - point.x) }
        return orientation.isMirrored ? SIMD2(1 - point.x, point.y) : point
    }
}
