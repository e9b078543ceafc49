// SPDX-License-Identifier: Apache-2.0

import Glibc
import PlayheadUI

/// A landscape that is drawn pixel by pixel: a sky, a sun or moon, and hills.
struct Landscape {
    let name: String
    /// The colours of the sky, at its top and at the horizon, and that of the nearest hills.
    let top: SIMD3<Double>
    let horizon: SIMD3<Double>
    let ground: SIMD3<Double>
    /// The place of the sun, in fractions of the picture, and its colour.
    let sun: SIMD2<Double>
    let light: SIMD3<Double>
    /// The form of the hills.
    let seed: Double

    static let all = [
        Landscape(
            name: "Dawn", top: [0.20, 0.24, 0.48], horizon: [0.98, 0.68, 0.52],
            ground: [0.13, 0.11, 0.22], sun: [0.30, 0.52], light: [1.0, 0.88, 0.66], seed: 0.3),
        Landscape(
            name: "Noon", top: [0.16, 0.44, 0.86], horizon: [0.78, 0.90, 0.98],
            ground: [0.09, 0.30, 0.16], sun: [0.72, 0.20], light: [1.0, 1.0, 0.92], seed: 1.7),
        Landscape(
            name: "Dusk", top: [0.14, 0.08, 0.30], horizon: [0.96, 0.40, 0.24],
            ground: [0.10, 0.05, 0.12], sun: [0.62, 0.58], light: [1.0, 0.62, 0.30], seed: 2.9),
        Landscape(
            name: "Night", top: [0.01, 0.02, 0.07], horizon: [0.10, 0.17, 0.34],
            ground: [0.01, 0.02, 0.05], sun: [0.24, 0.22], light: [0.90, 0.94, 1.0], seed: 4.2),
    ]

    func image(width: Int, height: Int) -> RGBAImage {
        var bytes = [UInt8](repeating: 255, count: width * height * 4)
        let hills = (0..<4).map { layer in
            (0..<width).map { edge(layer, Double($0) / Double(width)) }
        }
        bytes.withUnsafeMutableBufferPointer { bytes in
            for y in 0..<height {
                let down = Double(y) / Double(height)
                let share = min(down / 0.72, 1)
                let sky = top + (horizon - top) * (share * share)
                for x in 0..<width {
                    let color = color(x, down, sky, hills, Double(width) / Double(height), width)
                    let place = (y * width + x) * 4
                    bytes[place] = UInt8(min(max(color.x, 0), 1) * 255)
                    bytes[place + 1] = UInt8(min(max(color.y, 0), 1) * 255)
                    bytes[place + 2] = UInt8(min(max(color.z, 0), 1) * 255)
                }
            }
        }
        return RGBAImage(width: width, height: height, bytes: bytes)
    }

    private func color(
        _ x: Int, _ down: Double, _ sky: SIMD3<Double>, _ hills: [[Double]], _ aspect: Double,
        _ width: Int
    ) -> SIMD3<Double> {
        for layer in stride(from: hills.count - 1, through: 0, by: -1) where down > hills[layer][x]
        {
            // Hills are paler the farther away they are.
            let distance = Double(hills.count - 1 - layer) / Double(hills.count)
            return ground + (horizon - ground) * (distance * 0.7)
        }
        let across = (Double(x) / Double(width) - sun.x) * aspect
        let away = (across * across + (down - sun.y) * (down - sun.y)).squareRoot()
        if away < 0.07 { return light }
        let glow = 0.32 / (1 + 60 * (away - 0.07) * (away - 0.07) * 4)
        return sky + (light - sky) * glow
    }

    /// Returns the height of the top of a range of hills, from 0 at the top of the picture.
    private func edge(_ layer: Int, _ across: Double) -> Double {
        let phase = seed * Double(layer * 2 + 3)
        let size = 0.10 - Double(layer) * 0.012
        return 0.60 + Double(layer) * 0.085
            - size
            * (0.6 * sin(across * (5 + Double(layer) * 2) + phase)
                + 0.4 * sin(across * (13 + Double(layer) * 3) + phase * 1.7))
    }
}
