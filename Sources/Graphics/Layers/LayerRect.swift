// SPDX-License-Identifier: Apache-2.0

/// A rectangle; its origin is the top left corner, and y grows downwards.
///
/// - Corresponds to: `CGRect`.
public struct LayerRect: Sendable, Hashable {
    /// Left edge, from the left of what it lies in.
    public var x: Double
    /// Upper edge, from the top of what it lies in.
    public var y: Double
    public var width: Double
    public var height: Double

    public init(x: Double, y: Double, width: Double, height: Double) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    /// All of it, where rectangles are counted in fractions.
    public static let unit = LayerRect(x: 0, y: 0, width: 1, height: 1)

    /// The point at fractions of width and height.
    func point(_ x: Double, _ y: Double) -> SIMD2<Double> {
        SIMD2(self.x + x * width, self.y + y * height)
    }

    /// Whether a point lies in it; those on its right and lower edges do not.
    ///
    /// - Corresponds to: `CGRectContainsPoint`.
    public func contains(_ point: SIMD2<Double>) -> Bool {
        point.x >= x && point.y >= y && point.x < x + width && point.y < y + height
    }

    /// Whether it has an area that can be computed with: finite numbers, none of them absurd.
    var isReasonable: Bool {
        abs(x) <= Self.limit && abs(y) <= Self.limit && width >= 0 && height >= 0
            && width <= Self.limit && height <= Self.limit
    }

    /// In pixels, or in pictures: beyond this, floats no longer tell neighbouring pixels apart.
    private static let limit = 4_194_304.0

    /// A corner by its number: left to right, then top to bottom.
    func corner(_ index: Int) -> SIMD2<Double> {
        point(Double(index & 1), Double(index >> 1))
    }

    /// What two rectangles have in common; without area where that is nothing.
    package func intersection(_ other: LayerRect) -> LayerRect {
        let (left, top) = (max(x, other.x), max(y, other.y))
        return LayerRect(
            x: left, y: top, width: max(0, min(x + width, other.x + other.width) - left),
            height: max(0, min(y + height, other.y + other.height) - top))
    }

    func intersects(_ other: LayerRect) -> Bool {
        x < other.x + other.width && other.x < x + width && y < other.y + other.height
            && other.y < y + height
    }

    func union(_ other: LayerRect) -> LayerRect {
        let (left, top) = (min(x, other.x), min(y, other.y))
        return LayerRect(
            x: left, y: top, width: max(x + width, other.x + other.width) - left,
            height: max(y + height, other.y + other.height) - top)
    }

    /// The smallest rectangle of whole pixels around it.
    var wholePixels: LayerRect {
        let (left, top) = (x.rounded(.down), y.rounded(.down))
        return LayerRect(
            x: left, y: top, width: (x + width).rounded(.up) - left,
            height: (y + height).rounded(.up) - top)
    }

    func interpolated(to other: LayerRect, _ fraction: Double) -> LayerRect {
        LayerRect(
            x: x + (other.x - x) * fraction, y: y + (other.y - y) * fraction,
            width: width + (other.width - width) * fraction,
            height: height + (other.height - height) * fraction)
    }
}
