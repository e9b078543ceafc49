// SPDX-License-Identifier: Apache-2.0

// This replaces the `PixelBuffer` of the module PlayheadBuffers. Embedded Swift cannot compile that
// one, because its pools and owners are existential values.

/// A frame in plain memory that is never freed.
package struct PixelBuffer {
    package struct Plane {
        package let baseAddress: UnsafeRawPointer
        package let bytesPerRow: Int
    }

    package let format: PixelFormat
    package let planes: [Plane]

    package init(
        format: PixelFormat, width: Int, height: Int, attachments _: PixelBufferAttachments,
        fill: (_ plane: Int, _ bytes: UnsafeMutableRawBufferPointer, _ bytesPerRow: Int) -> Void
    ) {
        self.format = format
        planes = (0..<format.planeCount).map { index in
            let size = format.planeSize(index, width: width, height: height)
            let step = format.components.reduce(2) { $1.plane == index ? min($0, $1.step) : $0 }
            let bytesPerRow = (size.width * step + 63) / 64 * 64
            let bytes = UnsafeMutableRawBufferPointer.allocate(
                byteCount: bytesPerRow * size.height, alignment: 64)
            bytes.initializeMemory(as: UInt8.self, repeating: 0)
            fill(index, bytes, bytesPerRow)
            return Plane(
                baseAddress: UnsafeRawPointer(bytes.baseAddress!), bytesPerRow: bytesPerRow)
        }
    }
}

package struct PixelBufferAttachments {
    package init(color _: ColorAttachments) {}
}
