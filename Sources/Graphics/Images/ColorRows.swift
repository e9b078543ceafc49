// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers

/// Computes the rows of a frame in R'G'B', with full precision and at any output size.
struct ColorRows {
    private let color: StillColor
    private var components: [ResampledComponent]
    /// The pixels of the row that was computed last. Values are not limited to 0 to 1.
    private(set) var row: [SIMD3<Float>]

    init(_ buffer: PixelBuffer, width: Int, height: Int, in colorSpace: ColorSpace) {
        color = StillColor(of: buffer, in: colorSpace)
        components = buffer.format.components.indices.map {
            ResampledComponent($0, of: buffer, width: width, height: height)
        }
        row = Array(repeating: SIMD3(), count: width)
    }

    /// Computes the row with an index. Rows may be computed in any order.
    mutating func makeRow(_ index: Int) {
        for component in components.indices { components[component].makeRow(index) }
        color.write(components, to: &row)
    }
}
