// SPDX-License-Identifier: Apache-2.0

/// How a picture of one shape fills a frame of another.
///
/// - Corresponds to: `AVLayerVideoGravity`.
public enum LayerGravity: String, Sendable, Hashable, CaseIterable {
    /// As large as it can be without losing anything: the frame shows at two sides.
    case resizeAspect
    /// As small as it can be without gaps: two sides of the picture are cut off.
    case resizeAspectFill
    /// Stretched to the frame.
    case resize
}
