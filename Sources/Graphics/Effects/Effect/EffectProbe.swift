// SPDX-License-Identifier: Apache-2.0

/// The values of one pixel in the passes of an effect.
///
/// The values are what the shader wrote, neither clamped nor rounded to the format of the pass's
/// image, so that NaN and infinity can be seen.
///
/// - Corresponds to: a debugger's pixel history.
package struct EffectProbe: Sendable {
    /// The value of the pixel in one image.
    package struct Reading: Sendable {
        /// The name of the image: the target of a pass or an image that it read.
        package let name: String
        /// Red, green, blue and straight alpha.
        package let value: SIMD4<Float>

        /// The four components with four digits each; `NaN` or `inf` if a component is not a finite
        /// number.
        package var text: String {
            name + "  " + (0..<4).map { Self.text(value[$0]) }.joined(separator: " ")
        }

        private static func text(_ value: Float) -> String {
            if value.isNaN { return "NaN" }
            if value.isInfinite { return value < 0 ? "-inf" : "inf" }
            guard value.magnitude < 1e4 else { return "\(value)" }
            let code = Int((value.magnitude * 10_000).rounded())
            let digits = String(code % 10_000)
            return (value < 0 && code != 0 ? "-" : "") + "\(code / 10_000)."
                + String(repeating: "0", count: 4 - digits.count) + digits
        }
    }

    /// The point in fractions of the frame; (0, 0) is its lower left corner.
    package let point: SIMD2<Float>
    /// The values in the effect's input and then in each pass that was drawn.
    package internal(set) var readings: [Reading] = []
}
