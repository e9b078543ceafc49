// SPDX-License-Identifier: Apache-2.0

/// Filtering along one axis of a texture.
package struct AxisScaling: Sendable, Hashable {
    /// Which of a texture's axes.
    package enum Axis: Int, Sendable, Hashable {
        case horizontal, vertical
    }

    /// Along which it scales.
    package var axis: Axis
    /// How samples are weighed.
    package var filter: ScalingFilter
    /// Texels that the filter reaches to either side.
    package let radius: Double
    /// Texels that it may touch.
    package let tapCount: Int

    /// - Parameters:
    ///   - texels: of the texture, that become so many pixels.
    package init(axis: Axis, filter: ScalingFilter, texels: Double, pixels: Double) {
        self.axis = axis
        self.filter = filter
        // Where a picture shrinks, the filter is made for the pixels instead of for the texels.
        radius = filter.support * max(1, texels / max(pixels, 1))
        tapCount = Int((2 * radius).rounded(.up)) + 1
    }
}
