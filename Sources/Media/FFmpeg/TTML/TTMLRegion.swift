// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets

/// An area of the video in which a TTML document shows text.
///
/// - Concurrency: a value; any thread.
/// - Corresponds to: TTML2, 9.1.2 and 10.2.
struct TTMLRegion: Sendable, Hashable {
    /// The edge, or the middle, at which text is placed.
    enum Alignment: Double, Sendable {
        case start = 0
        case center = 0.5
        case end = 1
    }

    /// The left and the upper edge, the width and the height, as fractions of the video.
    private(set) var left = 0.0
    private(set) var top = 0.0
    private(set) var width = 1.0
    private(set) var height = 1.0
    /// The vertical placement of text.
    private(set) var display = Alignment.start
    /// The colour of the area; nil if it has none.
    private(set) var background: CaptionStyle.Color?

    /// Creates a region.
    ///
    /// - Parameters:
    ///   - style: The properties of the region.
    ///   - metrics: The units of lengths.
    init(_ style: TTMLStyle, _ metrics: TTMLMetrics) {
        if let (x, y) = style["origin"].flatMap(metrics.pair) {
            (left, top) = (Self.clamped(x, 0, 1), Self.clamped(y, 0, 1))
        }
        (width, height) = (1 - left, 1 - top)
        if let (wide, high) = style["extent"].flatMap(metrics.pair) {
            width = Self.clamped(wide, 0, 1 - left)
            height = Self.clamped(high, 0, 1 - top)
        }
        switch style["displayAlign"] {
        case "center": display = .center
        case "after": display = .end
        default: break
        }
        background = style["backgroundColor"].flatMap { ColorText.color($0[...], in: .ttml) }
    }

    private static func clamped(_ value: Double, _ low: Double, _ high: Double) -> Double {
        min(max(value, low), max(low, high))
    }

    /// Returns a text at its place in the region, as an event.
    ///
    /// - Parameter alignment: The horizontal placement.
    func line(_ text: StyledText, _ alignment: Alignment) -> String {
        let canvas = StyledText.canvas
        // Places are numbered as on a numeric keypad.
        let column = Int(alignment.rawValue * 2) + 1
        let row = 2 - Int(display.rawValue * 2)
        let x = (left + alignment.rawValue * width) * canvas.width
        let y = (top + display.rawValue * height) * canvas.height
        // Margins limit the width of lines. A margin of 0 stands for that of the style.
        func margin(_ fraction: Double) -> Int {
            max(1, Int((fraction * canvas.width).rounded()))
        }
        return "0,1,Default,,\(margin(left)),\(margin(1 - left - width)),0,,"
            + "{\\an\(column + row * 3)\\pos(\(StyledText.number(x)),\(StyledText.number(y)))}"
            + text.markup
    }

    /// The area in its colour, as an event; nil if it has none.
    var area: String? {
        guard let background, background.opacity > 0, width > 0, height > 0 else { return nil }
        let canvas = StyledText.canvas
        let x = StyledText.number(left * canvas.width)
        let y = StyledText.number(top * canvas.height)
        let right = StyledText.number((left + width) * canvas.width)
        let bottom = StyledText.number((top + height) * canvas.height)
        return "0,0,Default,,0,0,0,,{\\an7\\pos(0,0)\\bord0\\shad0"
            + StyledText.tags(background, 1)
            + "\\p1}m 0 0 m \(x) \(y) l \(right) \(y) \(right) \(bottom) \(x) \(bottom)"
    }
}
