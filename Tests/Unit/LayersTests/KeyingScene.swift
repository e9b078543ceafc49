// SPDX-License-Identifier: Apache-2.0

import GraphicsTestSupport
import MediaTestSupport
import PlayheadBuffers

/// A subject in front of a green screen with a known matte: a soft disc with hair around it, a bar
/// with motion blur and a puff of smoke, with noise, reflected light, an unevenly lit screen, and
/// 4:2:0 chroma.
struct KeyingScene {
    static let width = KeyingMatte.width
    static let height = KeyingMatte.height
    static let subjects = KeyingMatte.subjects

    let picture: PixelBuffer
    /// The coverage of the foreground in each pixel.
    let alpha: [Double]
    /// The R'G'B' of the foreground, without reflected light, multiplied by alpha.
    let color: [SIMD3<Double>]

    /// Creates a scene with a subject of one colour, with shading.
    ///
    /// - Parameter gamma: the exponent of the light that is added up; 1 mixes signals, as drawing
    ///   programs do, and cameras do not.
    init(subject: SIMD3<Double>, gamma: Double) {
        self.init(gamma: gamma) { x, y in subject * (0.85 + 0.15 * Self.wave(x * 0.11 + y * 0.05)) }
    }

    /// - Parameter subject: its R'G'B' at a position.
    init(gamma: Double, subject: (_ x: Double, _ y: Double) -> SIMD3<Double>) {
        let (width, height) = (Self.width, Self.height)
        func power(_ color: SIMD3<Double>, _ exponent: Double) -> SIMD3<Double> {
            exponent == 1
                ? color
                : SIMD3(
                    color.x.power(exponent), color.y.power(exponent),
                    color.z.power(exponent))
        }
        var noise = Noise()
        var alpha: [Double] = []
        var color: [SIMD3<Double>] = []
        var shot: [SIMD3<Double>] = []
        for row in 0..<height {
            for column in 0..<width {
                let (x, y) = (Double(column) + 0.5, Double(row) + 0.5)
                let share = Self.shares[row * width + column]
                let own = subject(x, y)
                let level = 1 - 0.25 * abs(x / Double(width) - 0.4) - 0.1 * y / Double(height)
                let screen = power([0.08, 0.70, 0.27] * level, gamma)
                let lit = power(own, gamma) + 0.03 * screen
                let mixed = power(lit * share + screen * (1 - share), 1 / gamma)
                shot.append(mixed + SIMD3(repeating: 0.012 * noise.next()))
                alpha.append(share)
                color.append(own * share)
            }
        }
        self.alpha = alpha
        self.color = color
        picture = TestPictures.yuv420p(width: width, height: height) { column, row in
            shot[row * width + column]
        }
    }

    /// The fraction of the foreground in each pixel.
    private static let shares = (0..<(width * height)).map {
        KeyingMatte.share(x: Double($0 % width) + 0.5, y: Double($0 / width) + 0.5)
    }

    private static func wave(_ x: Double) -> Double { x.sine }

    /// Approximately normal noise of deviation 1: the sum of 4 uniform numbers.
    private struct Noise {
        private var state: UInt64 = 7

        mutating func next() -> Double {
            var sum = 0.0
            for _ in 0..<4 {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                sum += Double(state >> 40) / Double(1 << 24) - 0.5
            }
            return sum * 1.732
        }
    }
}
