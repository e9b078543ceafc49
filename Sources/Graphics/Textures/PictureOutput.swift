// SPDX-License-Identifier: Apache-2.0

package import PlayheadBuffers

/// The encoding of the values that are drawn: a colour space and a precision.
package struct PictureOutput: Sendable, Hashable {
    /// The colour space of the output.
    package var colorSpace: ColorSpace
    /// The number of bits per channel. Frames of higher precision are dithered to it. Nil for
    /// floats, and to disable dithering.
    package var bitDepth: Int?
    /// A Boolean value that indicates whether the output is the linear light of a display of the
    /// colour space, instead of encoded values.
    package var isLight = false

    package init(colorSpace: ColorSpace = .bt709, bitDepth: Int? = nil) {
        self.colorSpace = colorSpace
        self.bitDepth = bitDepth
    }

    /// A Boolean value that indicates whether values below 0 and above 1 are meaningful in the
    /// output.
    var isUnbounded: Bool {
        isLight || (colorSpace.transfer == .linear && colorSpace.peakLuminance == nil)
    }
}
