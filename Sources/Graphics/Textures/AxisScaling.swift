// SPDX-License-Identifier: Apache-2.0

/// The filtering of a texture along one of its axes.
package struct AxisScaling: Sendable, Hashable {
    /// An axis of a texture.
    package enum Axis: Int, Sendable, Hashable {
        case horizontal, vertical
    }

    /// The axis that is scaled.
    package var axis: Axis
    /// The filter that weights the samples.
    package var filter: ScalingFilter
    /// The number of texels that the filter reads to either side.
    package let radius: Double
    /// The maximum number of texels that the filter reads.
    package let tapCount: Int

    /// Creates the scaling of an axis.
    ///
    /// - Parameters:
    ///   - texels: the number of texels that are drawn.
    ///   - pixels: the number of pixels to which they are drawn.
    package init(axis: Axis, filter: ScalingFilter, texels: Double, pixels: Double) {
        self.axis = axis
        self.filter = filter
        // If a frame shrinks, the filter is as wide in pixels as it otherwise is in texels.
        radius = filter.support * max(1, texels / max(pixels, 1))
        tapCount = Int((2 * radius).rounded(.up)) + 1
    }
}
