// SPDX-License-Identifier: Apache-2.0

/// Where a layer stands in its target.
///
/// - Corresponds to: `CALayer.frame`, which knows points only.
public enum LayerFrame: Sendable, Hashable {
    /// All of the target, whatever its size.
    case whole
    /// In fractions of the target's width and height.
    case fraction(LayerRect)
    /// In pixels of the target.
    case pixels(LayerRect)

    /// In pixels of a target of a size.
    public func rect(width: Int, height: Int) -> LayerRect {
        switch self {
        case .whole:
            LayerRect(x: 0, y: 0, width: Double(width), height: Double(height))
        case .fraction(let rect):
            LayerRect(
                x: rect.x * Double(width), y: rect.y * Double(height),
                width: rect.width * Double(width), height: rect.height * Double(height))
        case .pixels(let rect):
            rect
        }
    }
}
