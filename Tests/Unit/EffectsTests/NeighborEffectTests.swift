// SPDX-License-Identifier: Apache-2.0

import Glibc
import GraphicsTestSupport
import PlayheadBuffers
import PlayheadEffects
import PlayheadGL
import Testing

/// Effects that read neighbouring pixels, compared with a straightforward computation.
@Suite(
    "Effects that sample neighbours",
    .enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"))
struct NeighborEffectTests {
    /// The channels of an image from 0 to 255; beyond the edges, the edge pixels repeat.
    private struct Reference {
        let width: Int
        let height: Int
        var pixels: [SIMD3<Double>]

        init(_ image: RGBAImage) {
            (width, height) = (image.width, image.height)
            pixels = (0..<image.width * image.height).map { index in
                let color = image[index % image.width, index / image.width]
                return SIMD3(Double(color.x), Double(color.y), Double(color.z))
            }
        }

        subscript(x: Int, y: Int) -> SIMD3<Double> {
            pixels[min(max(y, 0), height - 1) * width + min(max(x, 0), width - 1)]
        }

        func map(_ body: (Int, Int) -> SIMD3<Double>) -> Reference {
            var result = self
            for y in 0..<height {
                for x in 0..<width { result.pixels[y * width + x] = body(x, y) }
            }
            return result
        }

        /// Returns a weighted sum of the pixels around each pixel.
        func filtered(_ weights: [(x: Int, y: Int, weight: Double)]) -> Reference {
            map { x, y in
                weights.reduce(into: SIMD3(repeating: 0)) {
                    $0 += $1.weight * self[x + $1.x, y + $1.y]
                }
            }
        }

        /// Returns the largest difference of a channel.
        func distance(to image: RGBAImage) -> Double {
            zip(pixels, Reference(image).pixels).reduce(0) { largest, pair in
                let off =
                    pair.0.clamped(
                        lowerBound: SIMD3(repeating: 0), upperBound: SIMD3(repeating: 255)) - pair.1
                return max(largest, abs(off.x), abs(off.y), abs(off.z))
            }
        }
    }

    private static let luma = SIMD3(0.2126, 0.7152, 0.0722)

    private static func drawn(
        _ name: String, _ values: KeyValuePairs<String, String>, picture: RGBAImage? = nil
    ) throws -> (before: Reference, after: RGBAImage) {
        try GraphicsTest.withContext { context in
            let bench = try EffectBench(context, picture: picture)
            let instance = EffectInstance(try EffectLibrary.effect(named: name))
            for (key, value) in values { try instance.set(parsing: value, for: key) }
            let drawn = try #require(bench.draw([instance], fused: true))
            return (Reference(bench.source), drawn)
        }
    }

    @Test(arguments: [1, 2, 3, 7.9, 8, 11, 16, 30, 64])
    func `a blur is Gaussian with a deviation of half the radius`(radius: Double) throws {
        // Black and white, hard edges, and a single pixel.
        let (width, height) = (150, 91)
        let picture = RGBAImage(
            width: width, height: height,
            bytes: (0..<width * height).flatMap { index -> [UInt8] in
                let (x, y) = (index % width, index / width)
                let isDisc = (x - 60) * (x - 60) + (y - 40) * (y - 40) < 900
                return [x < 100 ? 0 : 255, isDisc ? 255 : 0, y < 45 || x == 20 ? 255 : 0, 255]
            })
        let (before, after) = try Self.drawn(
            "gaussian_blur", ["radius": "\(radius)"], picture: picture)
        let reach = Int((2 * radius).rounded(.up))
        let bell = (-reach...reach).map { exp(-2 * Double($0 * $0) / (radius * radius)) }
        let sum = bell.reduce(0, +)
        let across = before.filtered((-reach...reach).map { ($0, 0, bell[$0 + reach] / sum) })
        let both = across.filtered((-reach...reach).map { (0, $0, bell[$0 + reach] / sum) })
        // An eightieth of the range, where lines are a pixel wide.
        #expect(both.distance(to: after) < 3.2)
    }

    @Test(arguments: [3, 8, 40])
    func `transparent pixels add no colour to a blur`(radius: Int) throws {
        // White, and black with zero opacity.
        let picture = RGBAImage(
            width: 64, height: 40,
            bytes: (0..<64 * 40).flatMap { index -> [UInt8] in
                index % 64 < 31 ? [255, 255, 255, 255] : [0, 0, 0, 0]
            })
        let (_, after) = try Self.drawn(
            "gaussian_blur", ["radius": "\(radius)"], picture: picture)
        for x in 0..<64 where after[x, 20].w > 8 { #expect(after[x, 20].x >= 250) }
    }

    @Test(arguments: [1.0, 2, 3])
    func `sharpening adds the difference from a bell of nine pixels`(radius: Double) throws {
        let (before, after) = try Self.drawn(
            "sharpen", ["radius": "\(radius)", "amount": "1", "threshold": "0"])
        var weights: [(x: Int, y: Int, weight: Double)] = []
        for y in -1...1 {
            for x in -1...1 {
                let weight = Double((2 - abs(x)) * (2 - abs(y))) / 16
                weights.append((x * Int(radius), y * Int(radius), weight))
            }
        }
        let blurred = before.filtered(weights)
        let wanted = before.map { x, y in
            let change = ((before[x, y] - blurred[x, y]) * Self.luma).sum()
            // Differences below the noise level are ignored, gradually.
            return before[x, y] + (abs(change) < 0.03 ? 0 : change)
        }
        #expect(wanted.distance(to: after) < 1.1)
    }

    @Test func `edges are the Sobel gradient of luma`() throws {
        let (before, after) = try Self.drawn("edges", ["strength": "1"])
        let sides = [(-1, 1.0), (0, 2.0), (1, 1.0)]
        let right = before.filtered(
            sides.flatMap { [(1, $0.0, $0.1 / 4), (-1, $0.0, -$0.1 / 4)] })
        let up = before.filtered(
            sides.flatMap { [($0.0, 1, $0.1 / 4), ($0.0, -1, -$0.1 / 4)] })
        let wanted = before.map { x, y in
            let slope = SIMD2((right[x, y] * Self.luma).sum(), (up[x, y] * Self.luma).sum())
            return SIMD3(repeating: (slope * slope).sum().squareRoot())
        }
        #expect(wanted.distance(to: after) < 1.6)
    }

    @Test(arguments: [4, 5, 8])
    func `a square is the mean of its pixels, counted from the centre`(size: Int) throws {
        let (before, after) = try Self.drawn("pixelate", ["size": "\(size)"])
        let middle = SIMD2(before.width / 2, before.height / 2)
        func first(_ place: Int, _ middle: Int) -> Int {
            Int((Double(place - middle) / Double(size)).rounded(.down)) * size + middle
        }
        // Beyond the edge of the image, the edge pixels count. Sixteen samples of a square of five
        // pixels are not exactly their mean.
        let wanted = before.map { x, y in
            var sum = SIMD3<Double>(repeating: 0)
            let row = first(before.height - 1 - y, middle.y)
            for dy in 0..<size {
                for dx in 0..<size {
                    sum += before[first(x, middle.x) + dx, before.height - 1 - row - dy]
                }
            }
            return sum / Double(size * size)
        }
        #expect(wanted.distance(to: after) < (size == 5 ? 12 : 1.1))
    }

    @Test func `denoise is a bilateral filter of 49 pixels`() throws {
        let (before, after) = try Self.drawn("denoise", ["strength": "0.2", "amount": "1"])
        let wanted = before.map { x, y in
            var (sum, total) = (SIMD3<Double>(repeating: 0), 0.0)
            for dy in -3...3 {
                for dx in -3...3 {
                    let color = before[x + dx, y + dy]
                    let difference = (color - before[x, y]) / 255
                    let weight = exp(
                        -Double(dx * dx + dy * dy) / 8
                            - (difference * difference).sum() / (2 * 0.2 * 0.2))
                    sum += weight * color
                    total += weight
                }
            }
            return sum / total
        }
        #expect(wanted.distance(to: after) < 1.1)
    }
}
