// SPDX-License-Identifier: Apache-2.0

/// The style of a caption's character.
///
/// - Concurrency: a value; any thread.
package struct CaptionStyle: Sendable, Hashable {
    /// A colour with its opacity.
    package struct Color: Sendable, Hashable {
        /// Red, green and blue, with one byte each. Red is in the highest of the three bytes.
        package var rgb: UInt32
        /// The opacity, from 0, which is invisible, to 255.
        package var opacity: UInt8 = 255

        package init(_ rgb: UInt32, opacity: UInt8 = 255) {
            (self.rgb, self.opacity) = (rgb, opacity)
        }

        package static let white = Self(0xFFFFFF)
        package static let black = Self(0)
        package static let clear = Self(0, opacity: 0)
        /// The opacity of translucent colours: one half. Both standards leave the choice to the
        /// receiver.
        package static let translucency: UInt8 = 128
    }

    /// The outline of a character: CEA-708-E, 8.5.8.
    package enum Edge: UInt8, Sendable {
        case none, raised, depressed, uniform, leftShadow, rightShadow
    }

    /// The kind of typeface: CEA-708-E, 8.5.3.
    package enum Face: UInt8, Sendable {
        case standard, monospacedSerif, serif, monospaced, sansSerif, casual, cursive, smallCapitals
    }

    package var foreground = Color.white
    package var background = Color.black
    package var isItalic = false
    package var isUnderlined = false
    package var edge = Edge.none
    package var edgeColor = Color.black
    package var face = Face.standard
    /// The size relative to the standard size.
    package var scale = 1.0

    package init() {}
}
