// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadConversion

/// One component of a frame, resampled to the output size row by row. Samples have the values that
/// a texture returns.
struct ResampledComponent {
    private let plane: PixelBuffer.Plane
    private let component: PixelFormat.Component
    private let format: PixelFormat
    private let across: ResamplingAxis
    private let down: ResamplingAxis
    private var sums: [Float]
    /// The row that was computed last.
    private(set) var row: [Float]

    /// Creates the resampler of a component.
    ///
    /// - Parameter index: the index of the component in the format.
    init(_ index: Int, of buffer: PixelBuffer, width: Int, height: Int) {
        format = buffer.format
        component = format.components[index]
        plane = buffer.planes[component.plane]
        let isChroma = format.isChroma(plane: component.plane)
        // In packed 4:2:2, each of the two chromas occurs once for every two luma samples of the
        // same plane.
        let isPacked = !isChroma && format.model == .yCbCr && (index == 1 || index == 2)
        let samples =
            isPacked && format.log2ChromaWidth > 0
            ? (plane.width + (1 << format.log2ChromaWidth) - 1) >> format.log2ChromaWidth
            : plane.width
        let siting =
            isChroma || isPacked
            ? ChromaSiting(
                format: format, width: buffer.width, height: buffer.height,
                location: buffer.color.chromaLocation) : .cosited
        across = ResamplingAxis(
            count: width, sampleCount: samples, scale: siting.scale.x, offset: siting.offset.x)
        down = ResamplingAxis(
            count: height, sampleCount: plane.height, scale: siting.scale.y,
            offset: siting.offset.y)
        sums = [Float](repeating: 0, count: samples)
        row = [Float](repeating: 0, count: width)
    }

    /// Computes the row with an index. Rows may be computed in any order.
    mutating func makeRow(_ index: Int) {
        sums.withUnsafeMutableBufferPointer { sums in
            sums.update(repeating: 0)
            guard let target = sums.baseAddress else { return }
            for place in down.starts[index]..<down.starts[index + 1] {
                let source = down.first[index] + place - down.starts[index]
                SampleRow.add(
                    plane.baseAddress + source * plane.bytesPerRow, component, of: format,
                    weight: down.weights[place], to: target, count: sums.count)
            }
        }
        shrink()
    }

    private mutating func shrink() {
        sums.withUnsafeBufferPointer { sums in
            across.weights.withUnsafeBufferPointer { weights in
                row.withUnsafeMutableBufferPointer { row in
                    for pixel in row.indices {
                        var sample = across.first[pixel]
                        var sum: Float = 0
                        for place in across.starts[pixel]..<across.starts[pixel + 1] {
                            sum += weights[place] * sums[sample]
                            sample += 1
                        }
                        row[pixel] = sum
                    }
                }
            }
        }
    }
}
