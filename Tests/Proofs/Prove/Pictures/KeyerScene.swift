// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadUI

/// Subjects in front of a green screen with a known matte: a soft disc with hair around it, a bar
/// with motion blur and a puff of smoke, with noise, reflected light and uneven light on the
/// screen.
struct KeyerScene {
    static let width = KeyingMatte.width
    static let height = KeyingMatte.height
    static let subjects = KeyingMatte.subjects
    /// R'G'B' of the screen at its brightest spot, and on average.
    static let screen = SIMD3(0.08, 0.70, 0.27)
    static let key = screen * 0.93

    /// The coverage of the foreground in each pixel, which is equal in all scenes.
    static let alpha: [Double] = (0..<width * height).map {
        KeyingMatte.share(x: Double($0 % width) + 0.5, y: Double($0 / width) + 0.5)
    }

    /// R'G'B' of the shot, and of the foreground without reflected light, multiplied by alpha.
    let shot: [SIMD3<Double>]
    let color: [SIMD3<Double>]

    /// - Parameter gamma: the exponent that converts signals to the values that are added: 2.2 for
    ///   light, as in a camera, or 1 for signals, as in drawing programs.
    init(subject: SIMD3<Double>, gamma: Double, seed: UInt64) {
        func power(_ color: SIMD3<Double>, _ exponent: Double) -> SIMD3<Double> {
            exponent == 1
                ? color
                : SIMD3(pow(color.x, exponent), pow(color.y, exponent), pow(color.z, exponent))
        }
        var random = SplitMix64(seed: seed)
        var (shot, color) = ([SIMD3<Double>](), [SIMD3<Double>]())
        for index in Self.alpha.indices {
            let (x, y) = (Double(index % Self.width) + 0.5, Double(index / Self.width) + 0.5)
            let share = Self.alpha[index]
            let own = subject * (0.85 + 0.15 * sin(x * 0.11 + y * 0.05))
            let level =
                1 - 0.25 * abs(x / Double(Self.width) - 0.4) - 0.1 * y / Double(Self.height)
            let behind = power(Self.screen * level, gamma)
            let lit = power(own, gamma) + 0.03 * behind
            let mixed = power(lit * share + behind * (1 - share), 1 / gamma)
            // The sum of four uniform numbers is nearly normal.
            var noise = 0.0
            for _ in 0..<4 { noise += Double.random(in: -0.5...0.5, using: &random) }
            shot.append(mixed + SIMD3(repeating: 0.012 * 1.732 * noise))
            color.append(own * share)
        }
        self.shot = shot
        self.color = color
    }

    /// Returns the shot as 4:2:0 of BT.709 in limited range, one plane after the other.
    func yCbCr(_ location: ColorAttachments.ChromaLocation) -> [UInt8] {
        let (width, height) = (Self.width, Self.height)
        func code(_ value: Double, _ span: Double, _ zero: Double) -> UInt8 {
            UInt8(min(max((value * span + zero).rounded(), 0), 255))
        }
        var luma: [Double] = []
        var chroma: [SIMD2<Double>] = []
        for pixel in shot {
            let color = pixel.clamped(lowerBound: SIMD3(), upperBound: SIMD3(1, 1, 1))
            let y = 0.2126 * color.x + 0.7152 * color.y + 0.0722 * color.z
            luma.append(y)
            chroma.append(SIMD2((color.z - y) / 1.8556, (color.x - y) / 1.5748))
        }
        func at(_ x: Int, _ y: Int) -> SIMD2<Double> {
            chroma[min(max(y, 0), height - 1) * width + min(max(x, 0), width - 1)]
        }
        // Sited at a sample: weights 1, 2, 1 around it. Sited between two: their mean.
        let isLeft = location != .center
        let isTop = location == .topLeft
        let columns: [(Int, Double)] =
            isLeft ? [(-1, 0.25), (0, 0.5), (1, 0.25)] : [(0, 0.5), (1, 0.5)]
        let rows: [(Int, Double)] =
            isTop ? [(-1, 0.25), (0, 0.5), (1, 0.25)] : [(0, 0.5), (1, 0.5)]
        var (cb, cr) = ([UInt8](), [UInt8]())
        for y in stride(from: 0, to: height, by: 2) {
            for x in stride(from: 0, to: width, by: 2) {
                var sum = SIMD2<Double>()
                for (row, v) in rows {
                    for (column, h) in columns { sum += v * h * at(x + column, y + row) }
                }
                cb.append(code(sum.x, 224, 128))
                cr.append(code(sum.y, 224, 128))
            }
        }
        return luma.map { code($0, 219, 16) } + cb + cr
    }
}
