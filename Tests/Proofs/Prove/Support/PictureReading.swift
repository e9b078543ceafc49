// SPDX-License-Identifier: Apache-2.0

import PlayheadUI

/// Converts a planar Y'CbCr frame by the equations of H.273, in double precision and independently
/// of the code under test: matrix, range, and chroma interpolated between its sited samples.
struct PictureReading {
    private let picture: PixelBuffer
    private let red: Double
    private let blue: Double

    init(_ picture: PixelBuffer) {
        self.picture = picture
        (red, blue) =
            switch picture.color.matrix {
            case .bt709: (0.2126, 0.0722)
            case .bt2020NonConstantLuminance: (0.2627, 0.0593)
            default: (0.299, 0.114)
            }
    }

    /// Returns R'G'B' of a pixel.
    func color(_ x: Int, _ y: Int) -> SIMD3<Double> {
        let format = picture.format
        let location = picture.color.chromaLocation
        // The position of the first chroma sample in luma samples, ITU-T H.273, figure 1.
        let left = [.center, .top, .bottom].contains(location) ? 0.5 : 0.0
        let top: Double =
            switch location {
            case .topLeft, .top: 0
            case .bottomLeft, .bottom: 1
            default: 0.5
            }
        let isWide = format.log2ChromaWidth == 0
        let isTall = format.log2ChromaHeight == 0
        let column = isWide ? Double(x) : (Double(x) - left) / 2
        let row = isTall ? Double(y) : (Double(y) - top) / 2
        let luma = signal(code(0, x, y), isChroma: false)
        let cb = signal(between(1, column, row), isChroma: true)
        let cr = signal(between(2, column, row), isChroma: true)
        let r = luma + 2 * (1 - red) * cr
        let b = luma + 2 * (1 - blue) * cb
        return [r, (luma - red * r - blue * b) / (1 - red - blue), b]
    }

    /// Returns whether the chroma samples around a pixel are all equal.
    func isFlat(_ x: Int, _ y: Int) -> Bool {
        let (column, row) = (
            x >> picture.format.log2ChromaWidth, y >> picture.format.log2ChromaHeight
        )
        return (1...2).allSatisfy { plane in
            let middle = code(plane, column, row)
            return (-1...1).allSatisfy { v in
                (-1...1).allSatisfy { code(plane, column + $0, row + v) == middle }
            }
        }
    }

    private func between(_ plane: Int, _ column: Double, _ row: Double) -> Double {
        let (left, top) = (column.rounded(.down), row.rounded(.down))
        let (u, v) = (column - left, row - top)
        let (x, y) = (Int(left), Int(top))
        let upper = code(plane, x, y) * (1 - u) + code(plane, x + 1, y) * u
        let lower = code(plane, x, y + 1) * (1 - u) + code(plane, x + 1, y + 1) * u
        return upper * (1 - v) + lower * v
    }

    /// Returns a sample; beyond the edges those at the edges repeat.
    private func code(_ index: Int, _ x: Int, _ y: Int) -> Double {
        let plane = picture.planes[index]
        let (x, y) = (min(max(x, 0), plane.width - 1), min(max(y, 0), plane.height - 1))
        let row = plane.baseAddress + y * plane.bytesPerRow
        return picture.format.bitDepth > 8
            ? Double(row.loadUnaligned(fromByteOffset: x * 2, as: UInt16.self))
            : Double(row.load(fromByteOffset: x, as: UInt8.self))
    }

    private func signal(_ code: Double, isChroma: Bool) -> Double {
        let depth = picture.format.bitDepth
        let unit = Double(1 << (depth - 8))
        let maximum = Double(1 << depth) - 1
        if picture.color.range == .full {
            return isChroma ? (code - 128 * unit) / maximum : code / maximum
        }
        return isChroma ? (code - 128 * unit) / (224 * unit) : (code - 16 * unit) / (219 * unit)
    }
}
