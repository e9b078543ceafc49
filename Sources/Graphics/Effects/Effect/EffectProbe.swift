// SPDX-License-Identifier: Apache-2.0

/// The values of one pixel in the passes of an effect.
///
/// Numbers are told as the shader wrote them, neither clamped nor rounded to what the picture of
/// the pass stores, so that what is no number is seen as such.
///
/// - Corresponds to: a debugger's pixel history.
package struct EffectProbe: Sendable {
    /// A number on the way.
    package struct Reading: Sendable {
        /// The target of the pass, or what it read.
        package let name: String
        /// Red, green, blue, straight alpha.
        package let value: SIMD4<Float>

        /// Four numbers with four digits, and `NaN` or `inf` for what is none.
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

    /// The point, in fractions of the frame, with (0, 0) at its lower left corner.
    package let point: SIMD2<Float>
    /// The input of the effect, then each pass that was drawn.
    package internal(set) var readings: [Reading] = []
}
