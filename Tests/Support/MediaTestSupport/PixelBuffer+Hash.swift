// SPDX-License-Identifier: Apache-2.0

package import PlayheadBuffers

extension PixelBuffer {
    /// A hash of the size, the format and the visible bytes of all planes, equal within a process
    /// for equal images. Padding at the ends of rows does not count.
    package var pixelHash: Int {
        var hasher = Hasher()
        hasher.combine(width)
        hasher.combine(height)
        hasher.combine(format)
        for (index, plane) in planes.enumerated() {
            let step = format.components.filter { $0.plane == index }.map(\.step).min() ?? 1
            for row in 0..<plane.height {
                hasher.combine(
                    bytes: UnsafeRawBufferPointer(
                        start: plane.baseAddress + row * plane.bytesPerRow,
                        count: plane.width * step))
            }
        }
        return hasher.finalize()
    }
}
