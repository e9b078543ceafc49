// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The conversion from R'G'B' of BT.2020 where it is not a matrix: luma from 0 to 1, and both
/// colour differences from −0.5 to 0.5. It is written from the standards' tables, independently of
/// the code under test.
public enum StandardColors {
    /// Y'C'BCC'RC by ITU-R BT.2020-2, table 4.
    public static func constantLuminance(of color: SIMD3<Double>) -> SIMD3<Double> {
        let (alpha, beta) = (1.09929682680944, 0.018053968510807)
        func signal(_ light: Double) -> Double {
            light < beta ? 4.5 * light : alpha * pow(light, 0.45) - (alpha - 1)
        }
        func light(_ signal: Double) -> Double {
            signal < 4.5 * beta ? signal / 4.5 : pow((signal + alpha - 1) / alpha, 1 / 0.45)
        }
        let luma = signal(
            0.2627 * light(color.x) + 0.6780 * light(color.y) + 0.0593 * light(color.z))
        let (blue, red) = (color.z - luma, color.x - luma)
        return [
            luma, blue / (blue > 0 ? 2 * 0.7910 : 2 * 0.9702),
            red / (red > 0 ? 2 * 0.4969 : 2 * 0.8591),
        ]
    }

    /// ICtCp with PQ by ITU-R BT.2100-2, table 7.
    public static func iCtCpByPQ(of color: SIMD3<Double>) -> SIMD3<Double> {
        // SMPTE ST 2084.
        let (m1, m2) = (2610.0 / 16384, 2523.0 / 32)
        let (c1, c2, c3) = (3424.0 / 4096, 2413.0 / 128, 2392.0 / 128)
        func light(_ signal: Double) -> Double {
            let root = pow(signal, 1 / m2)
            return pow(max(root - c1, 0) / (c2 - c3 * root), 1 / m1)
        }
        func signal(_ light: Double) -> Double {
            let power = pow(light, m1)
            return pow((c1 + c2 * power) / (1 + c3 * power), m2)
        }
        let cones = Self.cones(of: [light(color.x), light(color.y), light(color.z)])
        let (l, m, s) = (signal(cones.x), signal(cones.y), signal(cones.z))
        return [
            (l + m) / 2, (6610 * l - 13613 * m + 7003 * s) / 4096,
            (17933 * l - 17390 * m - 543 * s) / 4096,
        ]
    }

    /// ICtCp with HLG by ITU-R BT.2100-2, table 7.
    public static func iCtCpByHLG(of color: SIMD3<Double>) -> SIMD3<Double> {
        // ITU-R BT.2100-2, table 5.
        let (a, b, c) = (0.17883277, 0.28466892, 0.55991073)
        func light(_ signal: Double) -> Double {
            signal <= 0.5 ? signal * signal / 3 : (exp((signal - c) / a) + b) / 12
        }
        func signal(_ light: Double) -> Double {
            light <= 1.0 / 12 ? (3 * light).squareRoot() : a * log(12 * light - b) + c
        }
        let cones = Self.cones(of: [light(color.x), light(color.y), light(color.z)])
        let (l, m, s) = (signal(cones.x), signal(cones.y), signal(cones.z))
        return [
            (l + m) / 2, (3625 * l - 7465 * m + 3840 * s) / 4096,
            (9500 * l - 9212 * m - 288 * s) / 4096,
        ]
    }

    private static func cones(of light: SIMD3<Double>) -> SIMD3<Double> {
        let (r, g, b) = (light.x, light.y, light.z)
        return [
            (1688 * r + 2146 * g + 262 * b) / 4096, (683 * r + 2951 * g + 462 * b) / 4096,
            (99 * r + 309 * g + 3688 * b) / 4096,
        ]
    }
}
