// SPDX-License-Identifier: Apache-2.0

/// The way in which content fills a frame of a different shape.
///
/// The content's pixel aspect ratio and orientation are applied first.
///
/// - Corresponds to: `AVLayerVideoGravity`, `CALayerContentsGravity`.
public enum LayerGravity: String, Sendable, Hashable, CaseIterable {
    /// As large as possible without clipping. Two sides of the frame may stay empty.
    case resizeAspect
    /// As small as possible without gaps. Two sides of the content may be clipped.
    case resizeAspectFill
    /// Stretched to the size of the frame.
    case resize
    /// At its own size, with one pixel of the content for each pixel of the layer, clipped to the
    /// frame.
    case center, top, bottom, left, right, topLeft, topRight, bottomLeft, bottomRight

    /// For gravities that keep the content's size, the fractions of the remaining space that are to
    /// the left of the content and above it; nil for others.
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
