// SPDX-License-Identifier: Apache-2.0

/// The look of a text in a panel.
struct TextLook: Hashable {
    /// The height of a line without its leading, in pixels.
    var size: Double
    var color = PanelPalette.content
    var isBold = false
    /// A font family, such as `sans-serif` or `monospace`.
    var family = "sans-serif"

    /// The distance between lines, in pixels.
    var lineHeight: Double { (size * 1.25).rounded() }
}
