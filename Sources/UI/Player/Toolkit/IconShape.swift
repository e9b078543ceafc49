// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A shape as a signed distance field: a function that returns the distance of a point from the
/// shape's edge, which is negative inside. The unit is that of a 24 x 24 grid, as in icon sets.
///
/// Distances are exact outside of a shape. Inside they are approximate, which is accurate enough to
/// compute the coverage of a pixel.
indirect enum IconShape: Sendable {
    case circle(SIMD2<Double>, radius: Double)
    case rectangle(SIMD2<Double>, size: SIMD2<Double>, radius: Double)
    /// A line with round ends.
    case line(SIMD2<Double>, SIMD2<Double>, width: Double)
    /// A circular arc with round ends. It runs clockwise between two angles in degrees; 0 is on the
    /// right.
    case arc(SIMD2<Double>, radius: Double, width: Double, from: Double, to: Double)
    /// A polygon with the given corners. The shape extends beyond the polygon by the radius, so its
    /// corners are round.
    case polygon([SIMD2<Double>], radius: Double)
    case union([IconShape])
    /// The first shape without the second.
    case difference(IconShape, IconShape)
    /// A line along the edge of a shape, half of it inside and half outside.
    case outline(IconShape, width: Double)
    case moved(IconShape, by: SIMD2<Double>)
    /// The shape mirrored horizontally.
    case mirrored(IconShape)

    func distance(_ point: SIMD2<Double>) -> Double {
        switch self {
        case .circle(let center, let radius): Self.length(point - center) - radius
        case .rectangle(let center, let size, let radius):
            Self.rectangle(point - center, size, radius)
        case .line(let a, let b, let width): Self.segment(point, a, b) - width / 2
        case .arc(let center, let radius, let width, let from, let to):
            Self.arc(point - center, radius, from, to) - width / 2
        case .polygon(let corners, let radius): Self.polygon(point, corners) - radius
        case .union(let shapes): shapes.map { $0.distance(point) }.min() ?? .infinity
        case .difference(let shape, let other):
            max(shape.distance(point), -other.distance(point))
        case .outline(let shape, let width): shape.distance(point).magnitude - width / 2
        case .moved(let shape, let offset): shape.distance(point - offset)
        case .mirrored(let shape): shape.distance(SIMD2(24 - point.x, point.y))
        }
    }

    private static func length(_ vector: SIMD2<Double>) -> Double {
        (vector * vector).sum().squareRoot()
    }

    private static func rectangle(
        _ point: SIMD2<Double>, _ size: SIMD2<Double>, _ radius: Double
    ) -> Double {
        let corner =
            SIMD2(point.x.magnitude, point.y.magnitude) - size / 2 + SIMD2(repeating: radius)
        let outside = SIMD2(max(corner.x, 0), max(corner.y, 0))
        return length(outside) + min(max(corner.x, corner.y), 0) - radius
    }

    private static func segment(
        _ point: SIMD2<Double>, _ a: SIMD2<Double>, _ b: SIMD2<Double>
    ) -> Double {
        let (along, from) = (b - a, point - a)
        let square = (along * along).sum()
        let share = square > 0 ? min(max((from * along).sum() / square, 0), 1) : 0
        return length(from - along * share)
    }

    private static func arc(
        _ point: SIMD2<Double>, _ radius: Double, _ from: Double, _ to: Double
    ) -> Double {
        func end(_ angle: Double) -> SIMD2<Double> {
            SIMD2(cos(angle * .pi / 180), sin(angle * .pi / 180)) * radius
        }
        var angle = atan2(point.y, point.x) * 180 / .pi
        while angle < from { angle += 360 }
        if angle <= to { return (length(point) - radius).magnitude }
        return min(length(point - end(from)), length(point - end(to)))
    }

    /// Returns the distance to the nearest edge. The winding number determines the sign.
    private static func polygon(_ point: SIMD2<Double>, _ corners: [SIMD2<Double>]) -> Double {
        var nearest = Double.infinity
        var isInside = false
        for (index, a) in corners.enumerated() {
            let b = corners[(index + 1) % corners.count]
            nearest = min(nearest, segment(point, a, b))
            if (a.y > point.y) != (b.y > point.y),
                point.x < (b.x - a.x) * (point.y - a.y) / (b.y - a.y) + a.x
            {
                isInside.toggle()
            }
        }
        return isInside ? -nearest : nearest
    }
}
