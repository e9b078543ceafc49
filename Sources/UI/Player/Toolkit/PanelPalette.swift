// SPDX-License-Identifier: Apache-2.0

/// The colours of panels, controls and text, without premultiplied alpha.
///
/// White text on the background is legible over any video. Over a white video the background is
/// 0.29 in sRGB, which gives a contrast of 8 to 1.
package enum PanelPalette {
    package static let ground: SIMD4<Float> = [0.075, 0.078, 0.086, 0.78]
    /// The background of pages and forms.
    package static let page: SIMD4<Float> = [0.06, 0.062, 0.07, 0.9]
    package static let edge: SIMD4<Float> = [1, 1, 1, 0.13]
    package static let content: SIMD4<Float> = [1, 1, 1, 0.95]
    package static let dim: SIMD4<Float> = [1, 1, 1, 0.62]
    /// A colour for small text, between `content` and `dim`.
    package static let soft: SIMD4<Float> = [1, 1, 1, 0.78]
    package static let line: SIMD4<Float> = [1, 1, 1, 0.22]
    package static let loaded: SIMD4<Float> = [1, 1, 1, 0.22]
    package static let hover: SIMD4<Float> = [1, 1, 1, 0.12]
    package static let focus: SIMD4<Float> = [1, 1, 1, 0.26]
    package static let mark: SIMD4<Float> = [0.06, 0.06, 0.07, 0.95]
    package static let loop: SIMD4<Float> = [1, 0.78, 0.2, 0.9]
    package static let live: SIMD4<Float> = [0.92, 0.2, 0.18, 1]
    /// The colour of values, of switches that are on, and of the focus.
    package static let accent: SIMD4<Float> = [0.33, 0.6, 0.98, 1]
    package static let problem: SIMD4<Float> = [1, 0.58, 0.53, 1]
    package static let note: SIMD4<Float> = [0.62, 0.8, 1, 1]
    /// The background of headings in forms.
    package static let heading: SIMD4<Float> = [0.18, 0.2, 0.25, 1]
}
