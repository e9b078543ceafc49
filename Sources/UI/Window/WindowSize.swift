// SPDX-License-Identifier: Apache-2.0

/// A width and a height; the member that has it says in which unit.
public struct WindowSize: Sendable, Hashable, CustomStringConvertible {
    public var width: Int
    public var height: Int

    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    public var description: String { "\(width)x\(height)" }

    /// Smaller windows are hard to take hold of, and have no room for controls.
    package static let least = WindowSize(width: 160, height: 90)

    /// Each side as long as the other size's, at least.
    package func grown(to other: WindowSize) -> WindowSize {
        WindowSize(width: max(width, other.width), height: max(height, other.height))
    }

    /// A size of a ratio of width to height and of an area, as far as the limit allows; this one where it
    /// has the ratio, to a point.
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

/// A place on a window or on the desktop, in screen coordinates from the top left.
public struct WindowPoint: Sendable, Hashable {
    /// From the left.
    public var x: Double
    /// From the top.
    public var y: Double

    public init(x: Double, y: Double) {
        self.x = x
        self.y = y
    }
}
