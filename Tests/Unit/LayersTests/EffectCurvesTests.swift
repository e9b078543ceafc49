// SPDX-License-Identifier: Apache-2.0

import GraphicsTestSupport
import PlayheadBuffers
import PlayheadConversion
import PlayheadEffects
import PlayheadGL
import PlayheadLayers
import PlayheadTime
import Testing

/// Effects as curves, which replace OpenGL where software draws.
@Suite(.enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"))
struct EffectCurvesTests {
    private static func effect(
        _ name: String, _ values: [String: EffectValue] = [:]
    ) throws -> EffectInstance {
        let instance = EffectInstance(try EffectLibrary.effect(named: name))
        for (input, value) in values { try instance.set(value, for: input) }
        return instance
    }

    /// A frame with more colours than a gradient.
    private static let picture = TestPictures.yuv420p(width: 64, height: 36) { x, y in
        [Double(x * 37 % 64) / 63, Double(y * 11 % 36) / 35, Double((x * 5 + y * 7) % 29) / 28]
    }

    private static func curves(
        of effects: [EffectInstance], by conversion: PictureConversion = .cpu
    ) throws -> EffectCurves? {
        try GraphicsTest.withContext { context in
            let renderer = VideoRenderer(context: context, conversion: conversion)
            var problems: [RenderReport.Problem] = []
            let curves = try EffectCurves(of: effects, drawnBy: renderer, problems: &problems)
            #expect(problems.isEmpty)
            return curves
        }
    }

    private static let chains: [[(String, [String: EffectValue])]] = [
        [("contrast", ["contrast": .float(1.2)])],
        [("contrast", ["contrast": .float(0.7), "brightness": .float(0.1)])],
        [("exposure", ["stops": .float(1)])],
        [("exposure", [:]), ("contrast", ["pivot": .float(0.3)])],
    ]

    @Test(arguments: chains)
    func `curves change pixels as the renderer does, to the bit`(
        chain: [(String, [String: EffectValue])]
    ) throws {
        let effects = try chain.map { try Self.effect($0.0, $0.1) }
        let curves = try #require(try Self.curves(of: effects))
        let (width, height) = (Self.picture.width, Self.picture.height)
        let drawn = try GraphicsTest.withContext { context in
            let renderer = VideoRenderer(context: context, conversion: .cpu)
            let framebuffer = try GLFramebuffer(width: width, height: height, context: context)
            let scene = Scene(layers: [Layer(.image(Self.picture), effects: effects)])
            let report = renderer.render(
                scene, hostTime: .zero, into: RenderTarget(framebuffer))
            #expect(report.problems.isEmpty)
            return framebuffer.image().bytes
        }
        let padded = PictureConverter.paddedWidth(width)
        var bytes = [UInt8](repeating: 0, count: padded * height * 4)
        bytes.withUnsafeMutableBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            let converter = PictureConverter(helperCount: 0)
            // In two strips, as the tool renders.
            for rows in [0..<10, 10..<height] {
                converter.convert(
                    Self.picture, part: ConversionPart(outputWidth: width, outputHeight: height),
                    transform: ColorTransform(
                        from: Self.picture.color, peakLuminance: nil, to: .bt709),
                    byteOrder: .rgba, rows: rows, into: base + rows.lowerBound * padded * 4,
                    bytesPerRow: padded * 4)
            }
            curves.apply(to: bytes)
        }
        let rows = (0..<height).flatMap { bytes[$0 * padded * 4..<($0 * padded + width) * 4] }
        #expect(rows == drawn)
    }

    @Test func `effects that mix channels, or depend on place or time, have no curves`() throws {
        for effect in [
            try Self.effect("contrast", ["saturation": .float(0.5)]), try Self.effect("vignette"),
            try Self.effect("film_grain"), try Self.effect("gaussian_blur"),
        ] {
            #expect(try Self.curves(of: [effect]) == nil, "\(effect.effect.name)")
        }
        #expect(try Self.curves(of: []) == nil)
        #expect(try Self.curves(of: [try Self.effect("contrast")], by: .gpu) == nil)
        let live = try Self.effect("contrast")
        live.isLive = true
        #expect(try Self.curves(of: [live]) == nil)
        let off = try Self.effect("vignette")
        off.isEnabled = false
        #expect(try Self.curves(of: [off, try Self.effect("contrast")]) != nil)
    }
}
