// SPDX-License-Identifier: Apache-2.0

/// The part of a frame that a layer shows, in square pixels; the origin is the top left corner. The
/// frame is upright unless `VideoCompositionLayerInstruction.appliesPreferredTransform` is false.
///
/// - Concurrency: a value; any thread.
/// - Corresponds to: the `CGRect` of `setCropRectangle(_:at:)`.
public struct CropRectangle: Sendable, Hashable {
    /// The left edge.
    public var x: Double
    /// The upper edge.
    public var y: Double
    /// The width; 0 shows nothing.
    public var width: Double
    /// The height; 0 shows nothing.
    public var height: Double

    /// Creates a rectangle.
    public init(x: Double, y: Double, width: Double, height: Double) {
        (self.x, self.y, self.width, self.height) = (x, y, width, height)
    }

    /// A Boolean value that indicates whether all numbers are finite and the size is not negative.
    package var isValid: Bool {
        x.isFinite && y.isFinite && width.isFinite && height.isFinite && width >= 0 && height >= 0
    }

    /// Returns the part of the rectangle that lies within a frame of a given size.
    package func clipped(toWidth frameWidth: Double, height frameHeight: Double) -> CropRectangle {
        let (left, top) = (max(x, 0), max(y, 0))
        return CropRectangle(
            x: left, y: top, width: max(0, min(x + width, frameWidth) - left),
            height: max(0, min(y + height, frameHeight) - top))
    }

    /// Returns the smallest rectangle that contains the transformed rectangle.
    package func applying(_ transform: Transform2D) -> CropRectangle {
        let corners = [(x, y), (x + width, y), (x, y + height), (x + width, y + height)]
            .map { transform.applied(x: $0.0, y: $0.1) }
        let (columns, rows) = (corners.map(\.x), corners.map(\.y))
        let (left, top) = (columns.min() ?? x, rows.min() ?? y)
        return CropRectangle(
            x: left, y: top, width: (columns.max() ?? left) - left,
            height: (rows.max() ?? top) - top)
    }

    /// Returns a rectangle between this one and another, with interpolated origin and size.
    package func interpolated(to other: CropRectangle, _ fraction: Double) -> CropRectangle {
        func mix(_ start: Double, _ end: Double) -> Double { start + (end - start) * fraction }
        return CropRectangle(
            x: mix(x, other.x), y: mix(y, other.y), width: mix(width, other.width),
            height: mix(height, other.height))
    }
}
