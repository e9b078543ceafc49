// SPDX-License-Identifier: Apache-2.0

/// A rectangle whose origin is the top left corner, with y growing downwards.
///
/// - Corresponds to: `CGRect`.
public struct LayerRect: Sendable, Hashable {
    /// The distance from the left edge of the container to the left edge of the rectangle.
    public var x: Double
    /// The distance from the upper edge of the container to the upper edge of the rectangle.
    public var y: Double
    /// The width, in the unit of the container.
    public var width: Double
    /// The height, in the unit of the container.
    public var height: Double

    /// Creates a rectangle.
    public init(x: Double, y: Double, width: Double, height: Double) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    /// The whole container, for rectangles in fractions of it.
    public static let unit = LayerRect(x: 0, y: 0, width: 1, height: 1)

    /// Returns the point at fractions of the width and the height.
    func point(_ x: Double, _ y: Double) -> SIMD2<Double> {
        SIMD2(self.x + x * width, self.y + y * height)
    }

    /// Returns whether the rectangle contains a point. Points on the right and lower edges are
    /// outside.
    ///
    /// - Corresponds to: `CGRectContainsPoint`.
    public func contains(_ point: SIMD2<Double>) -> Bool {
        point.x >= x && point.y >= y && point.x < x + width && point.y < y + height
    }

    /// A Boolean value that indicates whether the coordinates are finite and within limits.
    var isReasonable: Bool {
        abs(x) <= Self.limit && abs(y) <= Self.limit && width >= 0 && height >= 0
            && width <= Self.limit && height <= Self.limit
    }

    /// The largest coordinate, in any unit. Beyond it, floats cannot represent neighbouring pixels.
    private static let limit = 4_194_304.0

    /// Returns a corner by its index, counted from left to right and then from top to bottom.
    func corner(_ index: Int) -> SIMD2<Double> {
        point(Double(index & 1), Double(index >> 1))
    }

    /// Returns the intersection of two rectangles, which is empty if they do not intersect.
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

    /// The smallest rectangle with whole pixels that contains this one.
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
