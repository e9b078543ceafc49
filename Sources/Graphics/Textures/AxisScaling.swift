// SPDX-License-Identifier: Apache-2.0

/// Filtering along one axis of a texture.
public struct AxisScaling: Sendable, Hashable {
    /// Which of a texture's axes.
    public enum Axis: Int, Sendable, Hashable {
        case horizontal, vertical
    }

    /// Along which it scales.
    public var axis: Axis
    /// How samples are weighed.
    public var filter: ScalingFilter
    /// Texels that the filter reaches to either side.
    public let radius: Double
    /// Texels that it may touch.
    public let tapCount: Int

    /// - Parameters:
    ///   - texels: of the texture, that become so many pixels.
    public init(axis: Axis, filter: ScalingFilter, texels: Double, pixels: Double) {
        self.axis = axis
        self.filter = filter
        // Where a picture shrinks, the filter is made for the pixels instead of for the texels.
        radius = filter.support * max(1, texels / max(pixels, 1))
        tapCount = Int((2 * radius).rounded(.up)) + 1
    }
}
