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
}

/// A place on a window or on the desktop, in screen coordinates from the top left.
public struct WindowPoint: Sendable, Hashable {
    public var x: Double
    public var y: Double

    public init(x: Double, y: Double) {
        self.x = x
        self.y = y
    }
}
