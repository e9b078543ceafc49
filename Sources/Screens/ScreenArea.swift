// SPDX-License-Identifier: Apache-2.0

/// A rectangle of a screen, in pixels from its upper left corner.
public struct ScreenArea: Sendable, Hashable {
    /// The distance from the left edge.
    public var x: Int
    /// The distance from the upper edge.
    public var y: Int
    /// The width.
    public var width: Int
    /// The height.
    public var height: Int

    /// Creates a rectangle.
    public init(x: Int, y: Int, width: Int, height: Int) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    /// Returns the common part of two areas; nil if they do not overlap.
    func intersection(_ other: ScreenArea) -> ScreenArea? {
        let (left, top) = (max(x, other.x), max(y, other.y))
        let right = min(x + width, other.x + other.width)
        let bottom = min(y + height, other.y + other.height)
        guard right > left, bottom > top else { return nil }
        return ScreenArea(x: left, y: top, width: right - left, height: bottom - top)
    }

    func contains(x: Int, y: Int) -> Bool {
        (self.x..<self.x + width).contains(x) && (self.y..<self.y + height).contains(y)
    }
}
