// SPDX-License-Identifier: Apache-2.0

/// The way in which content of one shape fills a frame of another.
///
/// The pixel aspect ratio and orientation of the content are applied before.
///
/// - Corresponds to: `AVLayerVideoGravity`, `CALayerContentsGravity`.
public enum LayerGravity: String, Sendable, Hashable, CaseIterable {
    /// As large as possible without clipping: two sides of the frame stay empty.
    case resizeAspect
    /// As small as possible without gaps: two sides of the content are clipped.
    case resizeAspectFill
    /// Stretched to the frame.
    case resize
    /// At its own size, a pixel of the content for one of the layer, clipped at the frame.
    case center, top, bottom, left, right, topLeft, topRight, bottomLeft, bottomRight

    /// For those that keep the content's size, the fraction of the remaining space that goes before
    /// it, from left to right and from top to bottom.
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
