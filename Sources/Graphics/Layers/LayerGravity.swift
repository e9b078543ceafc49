// SPDX-License-Identifier: Apache-2.0

/// How a picture of one shape fills a frame of another.
///
/// Pixel aspect and rotation are the picture's own affair and applied before.
///
/// - Corresponds to: `AVLayerVideoGravity`, `CALayerContentsGravity`.
public enum LayerGravity: String, Sendable, Hashable, CaseIterable {
    /// As large as it can be without losing anything: the frame shows at two sides.
    case resizeAspect
    /// As small as it can be without gaps: two sides of the picture are cut off.
    case resizeAspectFill
    /// Stretched to the frame.
    case resize
    // At its own size, a pixel of the picture for one of the layer, and cut off at the frame.
    case center, top, bottom, left, right, topLeft, topRight, bottomLeft, bottomRight

    /// For those that keep the picture's own size, the share of what is left that goes before it,
    /// from left to right and from top to bottom.
    var place: SIMD2<Double>? {
        switch self {
        case .resizeAspect, .resizeAspectFill, .resize: nil
        case .center: SIMD2(0.5, 0.5)
        case .top: SIMD2(0.5, 0)
        case .bottom: SIMD2(0.5, 1)
        case .left: SIMD2(0, 0.5)
        case .right: SIMD2(1, 0.5)
        case .topLeft: SIMD2(0, 0)
        case .topRight: SIMD2(1, 0)
        case .bottomLeft: SIMD2(0, 1)
        case .bottomRight: SIMD2(1, 1)
        }
    }
}
