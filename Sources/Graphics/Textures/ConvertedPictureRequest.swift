// SPDX-License-Identifier: Apache-2.0

package import PlayheadBuffers
package import PlayheadConversion

/// A request for a converted frame, with its layout in the texture.
package struct ConvertedPictureRequest: Sendable, Equatable {
    /// The identifier of the pixel buffer.
    package var identifier: UInt64
    /// The part of the frame, and its output size.
    package var part: ConversionPart
    /// The transform from the frame's R'G'B' to the target's.
    package var transform: ColorTransform
    /// The order of the bytes of a pixel in memory.
    package var byteOrder: PixelByteOrder
    /// A Boolean value that indicates whether the texture's first row is the bottom one.
    package var isBottomUp: Bool

    package init(
        _ buffer: PixelBuffer, part: ConversionPart, transform: ColorTransform,
        byteOrder: PixelByteOrder, isBottomUp: Bool
    ) {
        identifier = buffer.identifier
        self.part = part
        self.transform = transform
        self.byteOrder = byteOrder
        self.isBottomUp = isBottomUp
    }

    /// The distance from one row of pixels to the next in memory, in bytes.
    var bytesPerRow: Int { PictureConverter.paddedWidth(part.outputWidth) * 4 }
}
