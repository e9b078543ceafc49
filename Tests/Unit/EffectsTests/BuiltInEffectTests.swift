// SPDX-License-Identifier: Apache-2.0

import Glibc
import GraphicsTestSupport
import PlayheadBuffers
import PlayheadEffects
import PlayheadGL
import Testing

@Suite("Built-in effects", .enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"))
struct BuiltInEffectTests {
    private static let filters = EffectLibrary.builtInNames.filter {
        guard let effect = try? EffectLibrary.effect(named: $0) else { return false }
        return effect.inputs.contains { $0.identity != nil }
    }

    /// Returns an instance of a built-in effect with values set as on a command line.
    private static func instance(
        _ name: String, _ values: KeyValuePairs<String, String> = [:]
    ) throws -> EffectInstance {
        let instance = EffectInstance(try EffectLibrary.effect(named: name))
        for (key, value) in values { try instance.set(parsing: value, for: key) }
        return instance
    }

    @Test(
        arguments: EffectLibrary.builtInNames,
        [(1, 1), (3, 2), (8192, 2), (2, 4096)])
    func `built-in effects draw frames of any size`(name: String, size: (width: Int, height: Int))
        throws
    {
        try GraphicsTest.withContext { context in
            let bench = try EffectBench(context)
            let output = bench.renderer.draw(
                try Self.instance(name), input: nil, width: size.width, height: size.height,
                time: EffectTime(seconds: 0))
            #expect(output != nil)
            #expect(bench.renderer.takeErrors().isEmpty)
        }
    }

    @Test(arguments: filters)
    func `an effect at its identity leaves the frame unchanged`(name: String) throws {
        let instance = try Self.instance(name)
        for input in instance.effect.inputs {
            if let identity = input.identity { try instance.set(identity, for: input.name) }
        }
        try GraphicsTest.withContext { context in
            let bench = try EffectBench(context)
            for frame in 0..<3 {
                let drawn = try #require(
                    bench.draw([instance], seconds: Double(frame) / 30, fused: true))
                #expect(drawn.distance(to: bench.source) <= 1)
            }
        }
    }

    @Test(arguments: EffectLibrary.builtInNames)
    func `specialized programs draw the same as general ones, and follow changes`(name: String)
        throws
    {
        try GraphicsTest.withContext { context in
            func drawn(fixed: Bool) throws -> [RGBAImage] {
                let bench = try EffectBench(context)
                bench.renderer.specializesValues = fixed
                let instance = try Self.instance(name)
                var images = [try #require(bench.draw([instance], seconds: 0, fused: true))]
                images.append(try #require(bench.draw([instance], seconds: 0.5, fused: true)))
                for input in instance.effect.inputs {
                    guard case .float(let low)? = input.minimum,
                        case .float(let high)? = input.maximum
                    else { continue }
                    try instance.set(.float(0.3 * low + 0.7 * high), for: input.name)
                }
                images.append(try #require(bench.draw([instance], seconds: 1, fused: true)))
                images.append(try #require(bench.draw([instance], seconds: 1.5, fused: true)))
                return images
            }
            for (fixed, open) in zip(try drawn(fixed: true), try drawn(fixed: false)) {
                #expect(fixed.distance(to: open) <= 1)
            }
        }
    }

    @Test(
        arguments: EffectLibrary.builtInNames.filter {
            (try? EffectLibrary.effect(named: $0))?.requirements.alpha == .keepsOpaque
        })
    func `an effect declared keeps-opaque leaves opaque frames opaque at any values`(name: String)
        throws
    {
        try GraphicsTest.withContext { context in
            let bench = try EffectBench(context)
            for share in [nil, 0, 0.37, 1] as [Float?] {
                let instance = try Self.instance(name)
                for input in instance.effect.inputs {
                    guard let share, case .float(let low)? = input.minimum,
                        case .float(let high)? = input.maximum
                    else { continue }
                    try instance.set(.float(low + share * (high - low)), for: input.name)
                }
                for seconds in [0, 0.1, 1.7] as [Double] {
                    let drawn = try #require(
                        bench.draw([instance], seconds: seconds, fused: true))
                    let clear = stride(from: 3, to: drawn.bytes.count, by: 4).filter {
                        drawn.bytes[$0] != 255
                    }
                    #expect(clear.isEmpty, "\(share ?? -1) of its ranges, \(seconds) s")
                }
            }
        }
    }

    @Test(arguments: filters)
    func `an effect at its defaults changes the frame, the same in each run`(name: String) throws {
        // These have an effect only with an image or audio, or after a parameter is changed.
        let needsMore: Set = ["lut", "spectrum", "picture", "deband"]
        try GraphicsTest.withContext { context in
            let bench = try EffectBench(context)
            func last() throws -> RGBAImage {
                let instance = try Self.instance(name)
                _ = bench.draw([instance], seconds: 0.5, fused: true)
                return try #require(bench.draw([instance], seconds: 1, fused: true))
            }
            let drawn = try last()
            #expect(try last() == drawn)
            let isChanged =
                name == "hue_curve" || name == "feedback" || drawn.distance(to: bench.source) > 1
            #expect(isChanged || needsMore.contains(name))
            #expect(GLState.takeError() == nil)
        }
    }

    @Test(arguments: [-6, -2, -0.4, 0, 0.7, 1, 4])
    func `a stop doubles the light on every part of the curve`(stops: Double) throws {
        /// Returns the sRGB code of linear light, IEC 61966-2-1.
        func code(_ light: Double) -> Double {
            255 * (light <= 0.0031308 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055)
        }
        var bytes: [UInt8] = []
        for index in 0..<EffectBench.width * EffectBench.height {
            bytes += [UInt8(index % 256), UInt8(index / 2 % 256), UInt8(index / 8), 255]
        }
        let picture = RGBAImage(
            width: EffectBench.width, height: EffectBench.height, bytes: bytes)
        try GraphicsTest.withContext { context in
            let bench = try EffectBench(context, picture: picture)
            let drawn = try #require(
                bench.draw([try Self.instance("exposure", ["stops": "\(stops)"])], fused: true))
            for index in bytes.indices where index % 4 != 3 {
                let wanted = code(
                    min(1, GLTestMath.light(Double(bytes[index]) / 255) * exp2(stops)))
                #expect(abs(Double(drawn.bytes[index]) - wanted) < 0.6, "of \(bytes[index])")
            }
        }
    }

    @Test func `banding becomes a gradient on average, and edges stay`() throws {
        let (width, height) = (EffectBench.width, EffectBench.height)
        func picture(_ right: UInt8) -> RGBAImage {
            RGBAImage(
                width: width, height: height,
                bytes: (0..<width * height).flatMap { pixel -> [UInt8] in
                    let level = pixel % width < width / 2 ? 100 : right
                    return [level, level, level, 255]
                })
        }
        /// Returns the mean of a column.
        func mean(_ image: RGBAImage, _ x: Int) -> Double {
            (0..<height).reduce(0) { $0 + Double(image[x, $1].x) } / Double(height)
        }
        try GraphicsTest.withContext { context in
            let band = try EffectBench(context, picture: picture(101))
            let smooth = try #require(
                band.draw([try Self.instance("deband", ["radius": "8"])], fused: true))
            let middle = width / 2
            // Grain moves means by a quarter of a code value at most; the step has become smaller.
            let step =
                (mean(smooth, middle) + mean(smooth, middle + 1)) / 2
                - (mean(smooth, middle - 1) + mean(smooth, middle - 2)) / 2
            #expect(step > 0 && step < 0.75)
            #expect(abs(mean(smooth, 0) - 100) < 0.3 && abs(mean(smooth, width - 1) - 101) < 0.3)
            let edge = try EffectBench(context, picture: picture(120))
            let kept = try #require(
                edge.draw([try Self.instance("deband", ["grain": "0"])], fused: true))
            #expect(kept.distance(to: edge.source) == 0)
        }
    }

    @Test func `white under the light of the setting becomes neutral`() throws {
        try GraphicsTest.withContext { context in
            let bench = try EffectBench(context)
            let warm = try #require(
                bench.draw(
                    [try Self.instance("white_balance", ["temperature": "4500"])], fused: true))
            let cool = try #require(
                bench.draw(
                    [try Self.instance("white_balance", ["temperature": "9000"])], fused: true))
            let grey = EffectBench.width / 2
            #expect(warm[grey, 0].x > warm[grey, 0].z)
            #expect(cool[grey, 0].x < cool[grey, 0].z)
        }
    }

    @Test func `changing the saturation of one hue leaves other hues and greys unchanged`() throws {
        try GraphicsTest.withContext { context in
            let bench = try EffectBench(context)
            let drawn = try #require(
                bench.draw([try Self.instance("hue_curve", ["redSaturation": "0"])], fused: true))
            for x in 0..<EffectBench.width {
                // The top row is grey.
                #expect(abs(Int(drawn[x, 0].x) - Int(bench.source[x, 0].x)) <= 1)
            }
        }
    }

    @Test func `half a hue rotation gives the opposite colour, and two restore it`() throws {
        try GraphicsTest.withContext { context in
            let bench = try EffectBench(context)
            // Half the contrast and colour, so that no value leaves the range.
            let pale =
                ["contrast": "-0.5", "brightness": "0.25", "saturation": "-0.6"] as KeyValuePairs
            let plain = try #require(bench.draw([try Self.instance("picture", pale)], fused: true))
            let turn = try Self.instance("picture", ["hue": "1"])
            let back = try Self.instance("picture", ["hue": "-1"])
            let first = try Self.instance("picture", pale)
            let turned = try #require(bench.draw([first, turn], fused: true))
            let both = try #require(bench.draw([first, turn, back], fused: true))
            #expect(both.distance(to: plain) <= 2)
            #expect(turned.distance(to: plain) > 10)
            func luma(_ color: SIMD4<UInt8>) -> Double {
                0.2126 * Double(color.x) + 0.7152 * Double(color.y) + 0.0722 * Double(color.z)
            }
            for x in 0..<EffectBench.width {
                let y = EffectBench.height - 1
                #expect(abs(luma(turned[x, y]) - luma(plain[x, y])) < 2)
                let (before, after) = (plain[x, y], turned[x, y])
                let blue = (Double(before.z) - luma(before), Double(after.z) - luma(after))
                #expect(abs(blue.0 + blue.1) < 3)
            }
        }
    }

    @Test func `a blur preserves the mean and a uniform frame`() throws {
        try GraphicsTest.withContext { context in
            let bench = try EffectBench(context)
            let even = try Self.instance("contrast", ["contrast": "0", "brightness": "0.1"])
            let blurred = try Self.instance("gaussian_blur", ["radius": "6"])
            let once = try #require(bench.draw([even], fused: true))
            let both = try #require(bench.draw([even, blurred], fused: true))
            #expect(once.distance(to: both) <= 1)
        }
    }

    @Test func `an identity LUT changes nothing, and one that swaps channels swaps them`() throws {
        func table(_ color: (SIMD3<Int>) -> SIMD3<Int>) -> PixelBuffer {
            PixelBuffer(format: .rgba, width: 64, height: 8) { _, bytes, bytesPerRow in
                for y in 0..<8 {
                    for x in 0..<64 {
                        let value = color(SIMD3(x % 8, y, x / 8) &* 255 / SIMD3(repeating: 7))
                        for channel in 0..<3 {
                            bytes[y * bytesPerRow + x * 4 + channel] = UInt8(value[channel])
                        }
                        bytes[y * bytesPerRow + x * 4 + 3] = 255
                    }
                }
            }
        }
        try GraphicsTest.withContext { context in
            let bench = try EffectBench(context)
            let same = try Self.instance("lut")
            try same.set(.image(table { $0 }), for: "table")
            #expect(
                try #require(bench.draw([same], fused: true)).distance(to: bench.source) <= 2)
            let swap = try Self.instance("lut")
            try swap.set(.image(table { SIMD3($0.z, $0.y, $0.x) }), for: "table")
            let swapped = try #require(bench.draw([swap], fused: true))
            for x in 0..<EffectBench.width {
                #expect(abs(Int(swapped[x, 9].x) - Int(bench.source[x, 9].z)) <= 2)
                #expect(abs(Int(swapped[x, 9].z) - Int(bench.source[x, 9].x)) <= 2)
            }
        }
    }

    @Test func `every effect describes itself and its inputs`() throws {
        #expect(EffectLibrary.builtInNames.count >= 24)
        for name in EffectLibrary.builtInNames {
            let effect = try EffectLibrary.effect(named: name)
            #expect(!effect.summary.isEmpty && !effect.categories.isEmpty, "\(name)")
            for input in effect.inputs where !input.isSampler {
                #expect(input.label != input.name, "\(name).\(input.name)")
            }
        }
    }
}

/// The curve of sRGB, IEC 61966-2-1:1999.
enum GLTestMath {
    static func light(_ value: Double) -> Double {
        value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    }
}
