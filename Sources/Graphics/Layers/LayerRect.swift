// SPDX-License-Identifier: Apache-2.0

/// A rectangle; its origin is the top left corner, and y grows downwards.
///
/// - Corresponds to: `CGRect`.
public struct LayerRect: Sendable, Hashable {
    public var x: Double
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
        [self.x + x * width, self.y + y * height]
    }
}
