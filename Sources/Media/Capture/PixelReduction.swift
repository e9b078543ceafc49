// SPDX-License-Identifier: Apache-2.0

/// The reduction of pixels of four bytes to the size of a frame. Pixels that do not fit are reduced
/// evenly, each to the mean of those that it replaces; others are copied. The rest of the frame is
/// black.
///
/// - Concurrency: a value; any thread.
package struct PixelReduction {
    /// The size of the pixels in the frame.
    package let size: (width: Int, height: Int)
    private let source: (width: Int, height: Int)
    private let frame: (width: Int, height: Int)

    package init(_ source: (width: Int, height: Int), into frame: (width: Int, height: Int)) {
        self.source = source
        self.frame = frame
        let scale = min(
            1, Double(frame.width) / Double(source.width),
            Double(frame.height) / Double(source.height))
        size = (
            max(1, Int((Double(source.width) * scale).rounded())),
            max(1, Int((Double(source.height) * scale).rounded()))
        )
    }

    /// Fills a frame from the rows of the source.
    package func fill(
        _ bytes: UnsafeMutableRawBufferPointer, bytesPerRow: Int, from pixels: UnsafeRawPointer,
        bytesPerRow sourceBytesPerRow: Int
    ) {
        for row in 0..<frame.height {
            let target = UnsafeMutableRawBufferPointer(
                rebasing: bytes[(row * bytesPerRow)..<((row + 1) * bytesPerRow)])
            var count = 0
            if row < size.height {
                count = size.width * 4
                if size == source {
                    target.copyMemory(
                        from: UnsafeRawBufferPointer(
                            start: pixels + row * sourceBytesPerRow, count: count))
                } else {
                    reduce(row, of: pixels, sourceBytesPerRow, into: target)
                }
            }
            if count < target.count {
                UnsafeMutableRawBufferPointer(rebasing: target[count...])
                    .initializeMemory(as: UInt8.self, repeating: 0)
            }
        }
    }

    /// Writes a row of means. Each pixel of the source belongs to one of them.
    private func reduce(
        _ row: Int, of pixels: UnsafeRawPointer, _ bytesPerRow: Int,
        into target: UnsafeMutableRawBufferPointer
    ) {
        func bounds(_ place: Int, _ count: Int, _ sourceCount: Int) -> Range<Int> {
            place * sourceCount / count..<(place + 1) * sourceCount / count
        }
        let rows = bounds(row, size.height, source.height)
        for column in 0..<size.width {
            let columns = bounds(column, size.width, source.width)
            let count = UInt32(rows.count * columns.count)
            var sums = SIMD4<UInt32>(repeating: count / 2)
            for y in rows {
                for x in columns {
                    let pixel = pixels.loadUnaligned(
                        fromByteOffset: y * bytesPerRow + x * 4, as: SIMD4<UInt8>.self)
                    sums &+= SIMD4(truncatingIfNeeded: pixel)
                }
            }
            target.storeBytes(
                of: SIMD4<UInt8>(truncatingIfNeeded: sums / count), toByteOffset: column * 4,
                as: SIMD4<UInt8>.self)
        }
    }
}
