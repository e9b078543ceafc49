// SPDX-License-Identifier: Apache-2.0

/// The primaries and the white point of a display, as CIE 1931 xy coordinates.
public struct Chromaticities: Sendable, Hashable {
    /// The red primary.
    public var red: SIMD2<Double>
    /// The green primary.
    public var green: SIMD2<Double>
    /// The blue primary.
    public var blue: SIMD2<Double>
    /// The white point.
    public var white: SIMD2<Double>

    /// Creates chromaticities from CIE 1931 xy coordinates.
    public init(
        red: SIMD2<Double>, green: SIMD2<Double>, blue: SIMD2<Double>, white: SIMD2<Double>
    ) {
        self.red = red
        self.green = green
        self.blue = blue
        self.white = white
    }
}
