// SPDX-License-Identifier: Apache-2.0

import GraphicsTestSupport
import PlayheadBuffers
import PlayheadGL
import PlayheadLayers
import PlayheadTime
import Testing

/// Scenes for tests of layers, with their images.
enum LayerScene {
    /// Draws a scene and returns the image.
    static func draw(
        _ scene: Scene, width: Int, height: Int, hostTime: MediaTime = .zero,
        mixesLight: Bool = false, isTopRowFirst: Bool = false,
        conversion: PictureConversion? = .gpu, expectingProblems: Bool = false
    ) throws -> RGBAImage {
        try draw(
            [scene], width: width, height: height, hostTime: hostTime, mixesLight: mixesLight,
            isTopRowFirst: isTopRowFirst, conversion: conversion,
            expectingProblems: expectingProblems)
    }

    /// Draws scenes over each other and returns the image.
    static func draw(
        _ scenes: [Scene], width: Int, height: Int, hostTime: MediaTime = .zero,
        mixesLight: Bool = false, isTopRowFirst: Bool = false,
        conversion: PictureConversion? = .gpu, expectingProblems: Bool = false
    ) throws -> RGBAImage {
        try GraphicsTest.withSharedContext { context in
            let renderer = VideoRenderer(context: context, conversion: conversion)
            let framebuffer = try GLFramebuffer(width: width, height: height, context: context)
            var target = RenderTarget(framebuffer)
            target.mixesLight = mixesLight
            target.isTopRowFirst = isTopRowFirst
            for scene in scenes {
                let report = renderer.render(scene, hostTime: hostTime, into: target)
                #expect(report.problems.isEmpty != expectingProblems, "\(report.problems)")
            }
            #expect(GLState.takeError() == nil)
            return framebuffer.image(isBottomUp: !isTopRowFirst)
        }
    }

    static func color(
        _ red: Float, _ green: Float, _ blue: Float, _ alpha: Float = 1,
        at rect: LayerRect? = nil
    ) -> Layer {
        Layer(.color([red, green, blue, alpha]), frame: rect.map { .pixels($0) } ?? .whole)
    }

    static func rect(_ x: Double, _ y: Double, _ width: Double, _ height: Double) -> LayerRect {
        LayerRect(x: x, y: y, width: width, height: height)
    }

    /// Checks every pixel against its computed value, up to the rounding of an implementation.
    static func expect(
        _ image: RGBAImage, within tolerance: Int = 1, _ what: String = "",
        _ expected: (Int, Int) -> SIMD4<Double>,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        var worst = (difference: 0, text: "")
        for y in 0..<image.height {
            for x in 0..<image.width {
                let wanted = expected(x, y) * 255
                for channel in 0..<4 {
                    let difference = abs(
                        Int(image[x, y][channel]) - Int(wanted[channel].rounded()))
                    if difference > worst.difference {
                        worst = (difference, "\(x), \(y): \(image[x, y]), expected \(wanted)")
                    }
                }
            }
        }
        #expect(
            worst.difference <= tolerance, "\(what) \(worst.text)", sourceLocation: sourceLocation)
    }
}
