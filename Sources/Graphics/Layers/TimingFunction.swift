// SPDX-License-Identifier: Apache-2.0

/// The progress of an animation as a function of time: a cubic Bézier curve from (0, 0) to (1, 1).
///
/// - Concurrency: a value; any thread. The same control points give the same progress on every
///   machine.
/// - Corresponds to: `CAMediaTimingFunction`, CSS `cubic-bezier()` (CSS Easing Functions Level 1).
public struct TimingFunction: Sendable, Hashable {
    /// The first control point; x is from 0 to 1, so that progress is a function of time.
    package let first: SIMD2<Double>
    /// The second control point; x is from 0 to 1.
    package let second: SIMD2<Double>

    /// Creates a curve from its control points.
    ///
    /// - Precondition: `x1` and `x2` are between 0 and 1.
    public init(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double) {
        precondition(
            (0...1).contains(x1) && (0...1).contains(x2) && y1.isFinite && y2.isFinite,
            "the control points of a timing function must be between time 0 and 1")
        first = SIMD2(x1, y1)
        second = SIMD2(x2, y2)
    }

    /// Constant pace. Corresponds to `CAMediaTimingFunctionName.linear`.
    public static let linear = TimingFunction(0, 0, 1, 1)
    /// A slow start.
    public static let easeIn = TimingFunction(0.42, 0, 1, 1)
    /// A slow end.
    public static let easeOut = TimingFunction(0, 0, 0.58, 1)
    /// A slow start and end.
    public static let easeInEaseOut = TimingFunction(0.42, 0, 0.58, 1)
    /// The default of Core Animation; CSS `ease`.
    public static let `default` = TimingFunction(0.25, 0.1, 0.25, 1)

    /// Returns the progress at a time from 0 to 1. Progress runs from 0 to 1, but may overshoot in
    /// between.
    package func callAsFunction(_ time: Double) -> Double {
        guard time > 0, time < 1 else { return time >= 1 ? 1 : 0 }
        if first.x == first.y, second.x == second.y { return time }
        // Because x grows along the curve, bisection finds the parameter to nearly the precision of
        // a double. Newton's method would fail to converge in some cases.
        var (low, high) = (0.0, 1.0)
        for _ in 0..<52 {
            let middle = (low + high) / 2
            if Self.curve(first.x, second.x, middle) < time { low = middle } else { high = middle }
        }
        return Self.curve(first.y, second.y, (low + high) / 2)
    }

    private static func curve(_ a: Double, _ b: Double, _ t: Double) -> Double {
        let rest = 1 - t
        return 3 * rest * rest * t * a + 3 * rest * t * t * b + t * t * t
    }
}
