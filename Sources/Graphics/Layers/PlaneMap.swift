// SPDX-License-Identifier: Apache-2.0

/// A projective map from the points of one layer's plane to those of another, in pixels, with y
/// downwards.
///
/// Layers are flat and are drawn onto flat parents. Therefore z is dropped from the four
/// coordinates, and maps are concatenated as 3 x 3 matrices.
struct PlaneMap: Equatable {
    /// The column of the matrix for x. Each column has the components x, y and weight.
    var x: SIMD3<Double>
    var y: SIMD3<Double>
    var one: SIMD3<Double>

    static let identity = PlaneMap(x: SIMD3(1, 0, 0), y: SIMD3(0, 1, 0), one: SIMD3(0, 0, 1))

    static func translation(_ x: Double, _ y: Double) -> PlaneMap {
        PlaneMap(x: SIMD3(1, 0, 0), y: SIMD3(0, 1, 0), one: SIMD3(x, y, 1))
    }

    static func scale(_ x: Double, _ y: Double) -> PlaneMap {
        PlaneMap(x: SIMD3(x, 0, 0), y: SIMD3(0, y, 0), one: SIMD3(0, 0, 1))
    }

    init(x: SIMD3<Double>, y: SIMD3<Double>, one: SIMD3<Double>) {
        self.x = x
        self.y = y
        self.one = one
    }

    /// Creates the map of the plane z = 0 from a transform of space, projected along z.
    init(_ transform: Transform3D) {
        x = SIMD3(transform.m11, transform.m12, transform.m14)
        y = SIMD3(transform.m21, transform.m22, transform.m24)
        one = SIMD3(transform.m41, transform.m42, transform.m44)
    }

    /// A Boolean value that indicates whether the map is a translation. Content can then match the
    /// target's pixels one to one.
    var isTranslation: Bool {
        x == SIMD3(1, 0, 0) && y == SIMD3(0, 1, 0) && one.z == 1
    }

    var isFinite: Bool {
        let sum = x + y + one
        return (sum.x + sum.y + sum.z).isFinite
    }

    /// Returns the image of a point as x, y and a weight. The point's coordinates are x and y
    /// divided by the weight. If the weight is 0 or less, the image is behind the eye.
    func homogeneous(_ point: SIMD2<Double>) -> SIMD3<Double> {
        x * point.x + y * point.y + one
    }

    /// Returns the image of a point; nil if it is behind the eye.
    func callAsFunction(_ point: SIMD2<Double>) -> SIMD2<Double>? {
        let image = homogeneous(point)
        guard image.z > Self.nearest else { return nil }
        return SIMD2(image.x, image.y) / image.z
    }

    /// The smallest weight of a point in front of the eye.
    static let nearest = 1e-6

    /// Returns the map that applies `first` and then this map.
    func after(_ first: PlaneMap) -> PlaneMap {
        func column(_ column: SIMD3<Double>) -> SIMD3<Double> {
            x * column.x + y * column.y + one * column.z
        }
        return PlaneMap(x: column(first.x), y: column(first.y), one: column(first.one))
    }

    /// The inverse map; nil if the plane is seen edge-on.
    var inverse: PlaneMap? {
        func cross(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> SIMD3<Double> {
            SIMD3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)
        }
        let (first, second, third) = (cross(y, one), cross(one, x), cross(x, y))
        let determinant = (x * first).sum()
        guard determinant.isFinite, abs(determinant) > 1e-12 else { return nil }
        return PlaneMap(
            x: SIMD3(first.x, second.x, third.x) / determinant,
            y: SIMD3(first.y, second.y, third.y) / determinant,
            one: SIMD3(first.z, second.z, third.z) / determinant)
    }

    /// Returns how far the image of a point moves for a step in x and for a step in y; nil if the
    /// image is behind the eye.
    func steps(at point: SIMD2<Double>) -> (x: SIMD2<Double>, y: SIMD2<Double>)? {
        let image = homogeneous(point)
        guard image.z > Self.nearest else { return nil }
        let place = SIMD2(image.x, image.y) / image.z
        return (
            (SIMD2(x.x, x.y) - place * x.z) / image.z, (SIMD2(y.x, y.y) - place * y.z) / image.z
        )
    }

    /// Returns the width of the margin that must be drawn around a rectangle, so that the image of
    /// the rectangle is a pixel and a half larger on every side. Returns nil if nothing of the
    /// rectangle is visible.
    func outset(of rect: LayerRect) -> SIMD2<Double>? {
        var outset = SIMD2<Double>(0, 0)
        var isSeen = false
        for index in 0..<4 {
            guard let steps = steps(at: rect.corner(index)) else { continue }
            let area = abs(steps.x.x * steps.y.y - steps.x.y * steps.y.x)
            guard area > 1e-9 else { continue }
            isSeen = true
            outset.x = max(outset.x, (steps.y * steps.y).sum().squareRoot() / area)
            outset.y = max(outset.y, (steps.x * steps.x).sum().squareRoot() / area)
        }
        guard isSeen else { return nil }
        // If a plane is seen nearly edge-on, the distance would grow without limit.
        return 1.5 * pointwiseMin(outset, SIMD2(64 + rect.width, 64 + rect.height))
    }

    /// Returns the enlargement of lengths by the map at the centre of a rectangle: 2 if lengths are
    /// doubled. If the enlargements in x and y differ, their geometric mean is returned.
    func scale(at rect: LayerRect) -> Double {
        guard let steps = steps(at: rect.point(0.5, 0.5)) else { return 1 }
        return abs(steps.x.x * steps.y.y - steps.x.y * steps.y.x).squareRoot()
    }

    /// Returns the smallest rectangle around the image of a rectangle; nil if a part of the image
    /// is behind the eye.
    func bounds(of rect: LayerRect) -> LayerRect? {
        var (lowest, highest) = (
            SIMD2(repeating: Double.infinity), SIMD2(repeating: -Double.infinity)
        )
        for index in 0..<4 {
            guard let image = self(rect.corner(index)) else { return nil }
            lowest = pointwiseMin(lowest, image)
            highest = pointwiseMax(highest, image)
        }
        return LayerRect(
            x: lowest.x, y: lowest.y, width: highest.x - lowest.x, height: highest.y - lowest.y)
    }
}
