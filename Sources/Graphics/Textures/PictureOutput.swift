// SPDX-License-Identifier: Apache-2.0

package import PlayheadBuffers

/// The numbers that drawing produces.
package struct PictureOutput: Sendable, Hashable {
    /// The colour space of the output.
    package var colorSpace: ColorSpace
    /// The number of bits of a channel, to which finer frames are dithered; nil for floats, and
    /// for no dither.
    package var bitDepth: Int?
    /// A Boolean value that indicates whether the output is the light of that colour space's
    /// display instead of its numbers.
    package var isLight = false

    package init(colorSpace: ColorSpace = .bt709, bitDepth: Int? = nil) {
        self.colorSpace = colorSpace
        self.bitDepth = bitDepth
    }

    /// A Boolean value that indicates whether numbers below 0 and above 1 are meaningful in the
    /// output.
    var isUnbounded: Bool {
        isLight || (colorSpace.transfer == .linear && colorSpace.peakLuminance == nil)
    }
}
