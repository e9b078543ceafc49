// SPDX-License-Identifier: Apache-2.0

import Glibc
public import PlayheadBuffers

/// An affine transform of the plane, as a 3 x 2 matrix: scaling, rotation, shearing and
/// translation.
///
/// A point is a row vector to the left of the matrix: (x, y) is mapped to (a·x + c·y + tx, b·x +
/// d·y + ty). The origin is the top left corner and y grows downwards, so a rotation by a positive
/// angle appears clockwise.
///
///     let half = Transform2D.scale(x: 0.5, y: 0.5)
///     let corner = half.concatenating(.translation(x: 640, y: 360))
///
/// - Concurrency: a value; any thread.
/// - Corresponds to: `CGAffineTransform`.
public struct Transform2D: Sendable, Hashable {
    /// The entries of the matrix.
    public var a, b, c, d, tx, ty: Double

    /// Creates a matrix from its entries.
    public init(a: Double, b: Double, c: Double, d: Double, tx: Double, ty: Double) {
        (self.a, self.b, self.c, self.d, self.tx, self.ty) = (a, b, c, d, tx, ty)
    }

    /// The transform that changes nothing.
    public static let identity = Transform2D(a: 1, b: 0, c: 0, d: 1, tx: 0, ty: 0)

    /// Returns a translation, in pixels.
    public static func translation(x: Double, y: Double) -> Transform2D {
        Transform2D(a: 1, b: 0, c: 0, d: 1, tx: x, ty: y)
    }

    /// Returns a scaling about the origin.
    public static func scale(x: Double, y: Double) -> Transform2D {
        Transform2D(a: x, b: 0, c: 0, d: y, tx: 0, ty: 0)
    }

    /// Returns a rotation about the origin.
    ///
    /// - Parameter angle: in radians.
    public static func rotation(angle: Double) -> Transform2D {
        let (sine, cosine) = (sin(angle), cos(angle))
        return Transform2D(a: cosine, b: sine, c: -sine, d: cosine, tx: 0, ty: 0)
    }

    /// Creates the transform that turns a stored frame upright. The top left corner of the result
    /// is at the origin.
    ///
    ///     layer.appliesPreferredTransform = false
    ///     layer.setTransform(
    ///         Transform2D(track.preferredTransform, size: track.naturalSize), at: .zero)
    ///
    /// - Parameters:
    ///   - orientation: The orientation, such as `AssetTrack.preferredTransform`.
    ///   - size: The size of the stored frame, in square pixels.
    /// - Corresponds to: `AVAssetTrack.preferredTransform`.
    public init(_ orientation: PictureOrientation, size: (width: Double, height: Double)) {
        let (width, height) = size
        let turn =
            switch orientation.quarterTurns {
            case 1: Transform2D(a: 0, b: 1, c: -1, d: 0, tx: height, ty: 0)
            case 2: Transform2D(a: -1, b: 0, c: 0, d: -1, tx: width, ty: height)
            case 3: Transform2D(a: 0, b: -1, c: 1, d: 0, tx: 0, ty: width)
            default: Transform2D.identity
            }
        let mirror = Transform2D(a: -1, b: 0, c: 0, d: 1, tx: width, ty: 0)
        self = orientation.isMirrored ? mirror.concatenating(turn) : turn
    }

    /// Returns the transform that applies this one first and another one after it.
    ///
    /// - Corresponds to: `CGAffineTransformConcat`.
    public func concatenating(_ other: Transform2D) -> Transform2D {
        Transform2D(
            a: a * other.a + b * other.c, b: a * other.b + b * other.d,
            c: c * other.a + d * other.c, d: c * other.b + d * other.d,
            tx: tx * other.a + ty * other.c + other.tx, ty: tx * other.b + ty * other.d + other.ty)
    }

    /// A Boolean value that indicates whether no entry is infinite or NaN.
    package var isFinite: Bool {
        a.isFinite && b.isFinite && c.isFinite && d.isFinite && tx.isFinite && ty.isFinite
    }

    /// Returns the point to which the transform maps a point.
    package func applied(x: Double, y: Double) -> (x: Double, y: Double) {
        (a * x + c * y + tx, b * x + d * y + ty)
    }

    /// The inverse transform. The determinant must not be 0.
    package var inverted: Transform2D {
        let area = determinant
        return Transform2D(
            a: d / area, b: -b / area, c: -c / area, d: a / area,
            tx: (c * ty - d * tx) / area, ty: (b * tx - a * ty) / area)
    }

    /// The determinant, which is the scale factor of areas. It is 0 for a matrix that maps the
    /// plane to a line or a point.
    package var determinant: Double { a * d - b * c }

    /// Returns a transform between this one and another, with each entry interpolated.
    package func interpolated(to other: Transform2D, _ fraction: Double) -> Transform2D {
        func mix(_ start: Double, _ end: Double) -> Double { start + (end - start) * fraction }
        return Transform2D(
            a: mix(a, other.a), b: mix(b, other.b), c: mix(c, other.c), d: mix(d, other.d),
            tx: mix(tx, other.tx), ty: mix(ty, other.ty))
    }
}
