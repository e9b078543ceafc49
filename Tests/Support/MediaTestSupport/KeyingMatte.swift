// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A known matte for green-screen shots: a soft disc with hair around it, a bar with motion blur,
/// and a puff of smoke.
public enum KeyingMatte {
    public static let width = 384
    public static let height = 216

    /// The usual subjects, as R'G'B'.
    public static let subjects: [(name: String, color: SIMD3<Double>)] = [
        ("skin", SIMD3(0.80, 0.60, 0.50)), ("dark skin", SIMD3(0.38, 0.25, 0.19)),
        ("pink", SIMD3(0.94, 0.45, 0.68)), ("orange", SIMD3(0.95, 0.58, 0.22)),
        ("grey", SIMD3(0.5, 0.5, 0.5)), ("white", SIMD3(0.93, 0.93, 0.92)),
        ("dark", SIMD3(0.09, 0.08, 0.08)), ("blue", SIMD3(0.2, 0.3, 0.75)),
    ]

    /// Returns the fraction of the foreground at a position.
    public static func share(x: Double, y: Double) -> Double {
        func ramp(_ value: Double, _ width: Double) -> Double {
            min(max(value / width + 0.5, 0), 1)
        }
        let (dx, dy) = (x - 110, y - 120)
        let distance = (dx * dx + dy * dy).squareRoot()
        var share = ramp(52 - distance, 4)
        // Hair: thirty strands, thinning outwards.
        if distance > 45, distance < 85 {
            for strand in 0..<30 {
                let angle = Double(strand) * 0.2094
                let along = dx * cos(angle) + dy * sin(angle)
                let across = dy * cos(angle) - dx * sin(angle)
                guard along > 0 else { continue }
                let thickness = 1.8 * (85 - along) / 40
                let bend = 0.004 * (along - 45) * (along - 45)
                share = max(share, min(max(thickness - abs(across - bend), 0), 1) * 0.9)
            }
        }
        // A bar that moved by 24 pixels while the shutter was open.
        if y > 30, y < 190 { share = max(share, ramp(22 - abs(x - 250), 24)) }
        let (sx, sy) = ((x - 330) / 26, (y - 110) / 40)
        return max(share, 0.6 * max(0, 1 - sx * sx - sy * sy))
    }
}
