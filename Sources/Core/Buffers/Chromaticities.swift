// SPDX-License-Identifier: Apache-2.0

/// The colours that a display mixes, and its white: x and y of CIE 1931.
public struct Chromaticities: Sendable, Hashable {
    /// CIE 1931 x and y of red.
    public var red: SIMD2<Double>
    /// Of green.
    public var green: SIMD2<Double>
    /// Of blue.
    public var blue: SIMD2<Double>
    /// Of white.
    public var white: SIMD2<Double>

    public init(
        red: SIMD2<Double>, green: SIMD2<Double>, blue: SIMD2<Double>, white: SIMD2<Double>
    ) {
        self.red = red
        self.green = green
        self.blue = blue
        self.white = white
    }
}
