// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadUI

/// A handle on the wheel, which changes the hue at its position.
struct Handle {
    let name: String
    /// The angle of the hue on the wheel, in degrees counter-clockwise from the right.
    let hue: Double
    let color: SIMD4<Float>
    private var turn = 0.0
    private var saturation = 1.0
    private var lightness = 0.0

    /// The neutral distance of a handle from the centre, as a fraction of the wheel's radius.
    private static let home = 0.6

    /// The hues, in Oklab, of BT.709's primaries and of their mixtures. `hue_curve` has its handles
    /// there.
    static let all = [
        Handle("red", 29.23, [1, 0.25, 0.2, 1]), Handle("yellow", 109.77, [0.9, 0.85, 0.2, 1]),
        Handle("green", 142.50, [0.25, 0.8, 0.3, 1]), Handle("cyan", 194.77, [0.2, 0.8, 0.85, 1]),
        Handle("blue", 264.05, [0.25, 0.4, 1, 1]), Handle("magenta", 328.36, [0.9, 0.3, 0.85, 1]),
    ]

    private init(_ name: String, _ hue: Double, _ color: SIMD4<Float>) {
        self.name = name
        self.hue = hue
        self.color = color
    }

    /// The position of the handle, relative to the centre of the wheel, in units of its radius. The
    /// y axis points upwards.
    var point: SIMD2<Double> {
        let angle = (hue + turn) * .pi / 180
        return SIMD2(cos(angle), sin(angle)) * saturation * Self.home
    }

    /// Moves the handle as near to a point as possible.
    mutating func drag(to point: SIMD2<Double>) {
        let length = (point * point).sum().squareRoot()
        var turn = atan2(point.y, point.x) * 180 / .pi - hue
        while turn > 180 { turn -= 360 }
        while turn < -180 { turn += 360 }
        move(angle: length < 0.02 ? self.turn : turn, reach: length / Self.home)
    }

    mutating func move(angle: Double, reach: Double) {
        turn = min(max(angle, -60), 60)
        saturation = min(max(reach, 0), 1.6)
    }

    mutating func lighten(_ step: Double) { lightness = min(max(lightness + step, -0.3), 0.3) }

    /// The values of the effect's inputs for this handle. The inputs are named after the handle.
    var values: [(name: String, value: Double)] {
        [
            (name + "Hue", turn), (name + "Saturation", saturation),
            (name + "Lightness", lightness),
        ]
    }

    /// A description of the values.
    var summary: String {
        String(
            format: "%@ %+.0f°, %.0f %%, %+.2f", name, turn, saturation * 100, lightness)
    }
}
