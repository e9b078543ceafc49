// SPDX-License-Identifier: Apache-2.0

import Glibc
import GraphicsTestSupport
import MediaTestSupport
import PlayheadEffects
import PlayheadGL
import PlayheadTextures
import Testing

/// Scopes count pixels, which are counted by other means here. The counts of a scope are read with
/// the probe, which this verifies as well.
@Suite("Scopes", .enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"))
struct ScopeTests {
    /// An image of random colours, as large as the sampling grid of a scope, so that each sample is
    /// the centre of a pixel.
    private struct Picture {
        let width: Int
        let height: Int
        /// Rows from the bottom, as in OpenGL.
        let colors: [SIMD3<UInt8>]

        init(width: Int, height: Int, seed: UInt64) {
            var random = SplitMix64(seed: seed)
            (self.width, self.height) = (width, height)
            colors = (0..<width * height).map { _ in
                // So few levels that many pixels share one, without the first and the last, which
                // lie on the edge of a step.
                func level() -> UInt8 { UInt8(8 + random.next() % 30 * 8) }
                return SIMD3(level(), level(), level())
            }
        }

        func texture(_ context: HeadlessContext) throws -> GLTexture {
            let texture = try GLTexture(
                format: .rgba8, width: width, height: height, context: context)
            let bytes = colors.flatMap { color -> [UInt8] in [color.x, color.y, color.z, 255] }
            bytes.withUnsafeBytes {
                if let start = $0.baseAddress { texture.upload(start, bytesPerRow: width * 4) }
            }
            return texture
        }

        func color(_ x: Int, _ y: Int) -> SIMD3<Double> {
            SIMD3<Double>(SIMD3<Int>(truncatingIfNeeded: colors[y * width + x])) / 255
        }
    }

    /// Returns the counts of a scope at texels of its first pass.
    private static func counts(
        _ name: String, of picture: Picture, at places: [SIMD2<Int>], in size: SIMD2<Int>
    ) throws -> [SIMD4<Float>] {
        try GraphicsTest.withContext { context in
            let bench = try EffectBench(context)
            let texture = try picture.texture(context)
            let instance = EffectInstance(try EffectLibrary.effect(named: name))
            return try places.map { place in
                instance.probe(
                    at: (SIMD2<Float>(SIMD2<Double>(place)) + 0.5)
                        / SIMD2<Float>(SIMD2<Double>(size)))
                let output = bench.renderer.draw(
                    instance, input: texture, width: 64, height: 36,
                    time: EffectTime(seconds: 0))
                if let output { bench.pool.release(output.framebuffer) }
                let probe = try #require(instance.probe)
                #expect(probe.readings.map(\.name) == ["picture", "counts", "output"])
                return probe.readings[1].value
            }
        }
    }

    private static func places(_ count: Int, in size: SIMD2<Int>) -> [SIMD2<Int>] {
        var random = SplitMix64(seed: 3)
        return (0..<count).map { _ in
            SIMD2(Int(random.next() % UInt64(size.x)), Int(random.next() % UInt64(size.y)))
        }
    }

    @Test func `a histogram shows the share of pixels of each level and channel`() throws {
        let picture = Picture(width: 80, height: 45, seed: 1)
        let places = (0..<64).map { SIMD2($0, 0) }
        let counts = try Self.counts("histogram", of: picture, at: places, in: [64, 1])
        for place in places {
            let level = (Double(place.x) + 0.5) / 64
            for channel in 0..<3 {
                let expected = picture.colors.count { color in
                    abs(Double(color[channel]) / 255 - level) <= 0.5 / 64
                }
                let share = Double(expected) / Double(80 * 45)
                #expect(
                    abs(Double(counts[place.x][channel]) - share) < 1e-5,
                    "level \(place.x), channel \(channel)")
            }
        }
    }

    @Test func `a waveform shows the share of each column's pixels at each level`() throws {
        let picture = Picture(width: 256, height: 54, seed: 2)
        let places = Self.places(60, in: [256, 128])
        let counts = try Self.counts("waveform", of: picture, at: places, in: [256, 128])
        for (place, count) in zip(places, counts) {
            let level = (Double(place.y) + 0.5) / 128 * 1.1 - 0.05
            for channel in 0..<3 {
                let expected = (0..<54).count { row in
                    abs(picture.color(place.x, row)[channel] - level) <= 0.6 / 128
                }
                #expect(
                    abs(Double(count[channel]) - Double(expected) / 54) < 1e-5, "\(place)")
            }
        }
    }

    @Test func `a vectorscope is as bright at a chroma as it has pixels`() throws {
        let picture = Picture(width: 40, height: 22, seed: 4)
        let places = Self.places(30, in: [64, 64])
        let counts = try Self.counts("vectorscope", of: picture, at: places, in: [64, 64])
        for (place, count) in zip(places, counts) {
            let at = (SIMD2<Double>(place) + 0.5) / 64 - 0.5
            var sum = 0.0
            for y in 0..<22 {
                for x in 0..<40 {
                    let color = picture.color(x, y)
                    let luma = 0.2126 * color.x + 0.7152 * color.y + 0.0722 * color.z
                    let chroma = SIMD2((color.z - luma) / 1.8556, (color.x - luma) / 1.5748)
                    let difference = chroma - at
                    sum += exp(-(difference * difference).sum() * 4000)
                }
            }
            #expect(abs(Double(count.x) - sum / 880) < 1e-4 + sum / 880 * 0.01, "\(place)")
        }
    }

    @Test func `a probe reports NaN although the pass stores 0`() throws {
        let text = """
            /*{ "INPUTS": [{ "NAME": "inputImage", "TYPE": "image" }],
                "PASSES": [{ "TARGET": "first" }, {}] }*/
            void main() {
                float zero = IMG_THIS_PIXEL(inputImage).a - 1.0;
                gl_FragColor = PASSINDEX == 0
                    ? vec4(zero / zero, 1.0 / zero, -2.5, 0.25) : IMG_THIS_PIXEL(first);
            }
            """
        try GraphicsTest.withContext { context in
            let bench = try EffectBench(context)
            let instance = EffectInstance(try ISFImporter.effect(text: text, path: "nan.fs"))
            instance.probe(at: [0.5, 0.5])
            let drawn = try #require(bench.draw([instance], fused: true))
            let probe = try #require(instance.probe)
            #expect(probe.readings[1].text == "first  NaN inf -2.5000 0.2500")
            // Reading changes nothing.
            #expect(drawn == bench.draw([instance], fused: true))
        }
    }
}
