// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A transform of three-dimensional space as a 4 x 4 matrix: rotation, scaling, translation,
/// perspective.
///
/// Points are row vectors that are multiplied from the left, as in Core Animation: `m41`, `m42` and
/// `m43` translate, and an `m34` of -1/d gives the perspective of an eye at distance d. Because y
/// grows downwards, rotations about z appear clockwise.
///
///     var scene = Scene(layers: layers)
///     scene.sublayerTransform = .perspective(distance: 800)
///     layer.transform = .rotation(angle: .pi / 6, x: 0, y: 1, z: 0)
///
/// - Concurrency: a value; any thread.
/// - Corresponds to: `CATransform3D`.
public struct Transform3D: Sendable, Hashable {
    package var m11, m12, m13, m14: Double
    package var m21, m22, m23, m24: Double
    package var m31, m32, m33, m34: Double
    package var m41, m42, m43, m44: Double

    /// Creates a matrix from its rows.
    public init(
        _ first: SIMD4<Double>, _ second: SIMD4<Double>, _ third: SIMD4<Double>,
        _ fourth: SIMD4<Double>
    ) {
        (m11, m12, m13, m14) = (first.x, first.y, first.z, first.w)
        (m21, m22, m23, m24) = (second.x, second.y, second.z, second.w)
        (m31, m32, m33, m34) = (third.x, third.y, third.z, third.w)
        (m41, m42, m43, m44) = (fourth.x, fourth.y, fourth.z, fourth.w)
    }

    /// The identity transform. Corresponds to `CATransform3DIdentity`.
    public static let identity = Transform3D(
        SIMD4(1, 0, 0, 0), SIMD4(0, 1, 0, 0), SIMD4(0, 0, 1, 0), SIMD4(0, 0, 0, 1))

    /// Returns a translation by distances in pixels. Corresponds to `CATransform3DMakeTranslation`.
    public static func translation(x: Double, y: Double, z: Double = 0) -> Transform3D {
        Transform3D(SIMD4(1, 0, 0, 0), SIMD4(0, 1, 0, 0), SIMD4(0, 0, 1, 0), SIMD4(x, y, z, 1))
    }

    /// Returns a transform that scales each axis by a factor. Corresponds to
    /// `CATransform3DMakeScale`.
    public static func scale(x: Double, y: Double, z: Double = 1) -> Transform3D {
        Transform3D(SIMD4(x, 0, 0, 0), SIMD4(0, y, 0, 0), SIMD4(0, 0, z, 0), SIMD4(0, 0, 0, 1))
    }

    /// Returns a rotation about an axis through the origin. If the axis has no length, returns the
    /// identity. Corresponds to `CATransform3DMakeRotation`.
    ///
    /// - Parameter angle: the angle, in radians.
    public static func rotation(
        angle: Double, x: Double = 0, y: Double = 0, z: Double = 1
    ) -> Transform3D {
        let length = (x * x + y * y + z * z).squareRoot()
        guard length > 0 else { return .identity }
        let (x, y, z) = (x / length, y / length, z / length)
        let (sine, cosine) = (sin(angle), cos(angle))
        let rest = 1 - cosine
        return Transform3D(
            SIMD4(rest * x * x + cosine, rest * x * y + sine * z, rest * x * z - sine * y, 0),
            SIMD4(rest * x * y - sine * z, rest * y * y + cosine, rest * y * z + sine * x, 0),
            SIMD4(rest * x * z + sine * y, rest * y * z - sine * x, rest * z * z + cosine, 0),
            SIMD4(0, 0, 0, 1))
    }

    /// Returns the perspective of an eye at a distance, in pixels, in front of the plane z = 0.
    /// Corresponds to `m34 = -1 / distance`.
    public static func perspective(distance: Double) -> Transform3D {
        Transform3D(
            SIMD4(1, 0, 0, 0), SIMD4(0, 1, 0, 0), SIMD4(0, 0, 1, -1 / distance), SIMD4(0, 0, 0, 1))
    }

    /// Returns this transform followed by another. Corresponds to `CATransform3DConcat`.
    public func concatenating(_ next: Transform3D) -> Transform3D {
        func row(_ x: Double, _ y: Double, _ z: Double, _ w: Double) -> SIMD4<Double> {
            x * next.row1 + y * next.row2 + z * next.row3 + w * next.row4
        }
        return Transform3D(
            row(m11, m12, m13, m14), row(m21, m22, m23, m24), row(m31, m32, m33, m34),
            row(m41, m42, m43, m44))
    }

    /// Returns a translation followed by this transform. Corresponds to `CATransform3DTranslate`.
    public func translated(x: Double, y: Double, z: Double = 0) -> Transform3D {
        Transform3D.translation(x: x, y: y, z: z).concatenating(self)
    }

    /// Returns a scaling followed by this transform. Corresponds to `CATransform3DScale`.
    public func scaled(x: Double, y: Double, z: Double = 1) -> Transform3D {
        Transform3D.scale(x: x, y: y, z: z).concatenating(self)
    }

    /// Returns a rotation followed by this transform. Corresponds to `CATransform3DRotate`.
    public func rotated(angle: Double, x: Double = 0, y: Double = 0, z: Double = 1) -> Transform3D {
        Transform3D.rotation(angle: angle, x: x, y: y, z: z).concatenating(self)
    }

    /// A Boolean value that indicates whether every number is finite.
    package var isFinite: Bool {
        let sum = row1 + row2 + row3 + row4
        // The sum could overflow for finite elements, but only if they are too large to be of use.
        return (sum.x + sum.y + sum.z + sum.w).isFinite
    }

    private var row1: SIMD4<Double> { SIMD4(m11, m12, m13, m14) }
    private var row2: SIMD4<Double> { SIMD4(m21, m22, m23, m24) }
    private var row3: SIMD4<Double> { SIMD4(m31, m32, m33, m34) }
    private var row4: SIMD4<Double> { SIMD4(m41, m42, m43, m44) }

    /// Returns a matrix between this one and another, interpolated element by element. The result
    /// is exact for translations and scalings; animate rotations by their angle instead.
    func interpolated(to other: Transform3D, _ fraction: Double) -> Transform3D {
        Transform3D(
            row1 + (other.row1 - row1) * fraction, row2 + (other.row2 - row2) * fraction,
            row3 + (other.row3 - row3) * fraction, row4 + (other.row4 - row4) * fraction)
    }
}
