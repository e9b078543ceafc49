// SPDX-License-Identifier: Apache-2.0

/// A character of a caption with its style.
package struct CaptionCell: Sendable, Hashable {
    package var character: Unicode.Scalar
    package var style: CaptionStyle

    package init(_ character: Unicode.Scalar, _ style: CaptionStyle) {
        (self.character, self.style) = (character, style)
    }
}
