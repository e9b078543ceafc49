// SPDX-License-Identifier: Apache-2.0

/// A width and a height, in the unit of the property that uses them.
public struct WindowSize: Sendable, Hashable, CustomStringConvertible {
    /// The width.
    public var width: Int
    /// The height.
    public var height: Int

    /// Creates a size.
    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// The size as text, such as `1280x720`.
    public var description: String { "\(width)x\(height)" }

    /// The smallest size at which the controls fit and the user can grab the window.
    package static let least = WindowSize(width: 160, height: 90)

    /// Returns the size enlarged to at least the width and the height of another size.
    package func grown(to other: WindowSize) -> WindowSize {
        WindowSize(width: max(width, other.width), height: max(height, other.height))
    }

    /// Returns a size with a given ratio of width to height and a given area, within a limit. If
    /// this size already has the ratio, apart from rounding, it is returned unchanged.
    func shaped(as ratio: WindowSize, area: Double, within limit: WindowSize?) -> WindowSize {
        let (across, down) = (Double(max(1, ratio.width)), Double(max(1, ratio.height)))
        if abs(Double(width) * down / across - Double(height)) < 1
            || abs(Double(height) * across / down - Double(width)) < 1
        {
            return self
        }
        var scale = (area / (across * down)).squareRoot()
        if let limit {
            scale = min(scale, Double(limit.width) / across, Double(limit.height) / down)
        }
        return WindowSize(
            width: max(1, Int((across * scale).rounded())),
            height: max(1, Int((down * scale).rounded())))
    }
}

/// A position in a window or on the desktop, in screen coordinates from the upper left corner.
public struct WindowPoint: Sendable, Hashable {
    /// The distance from the left edge.
    public var x: Double
    /// The distance from the upper edge.
    public var y: Double

    /// Creates a position.
    public init(x: Double, y: Double) {
        self.x = x
        self.y = y
    }
}
