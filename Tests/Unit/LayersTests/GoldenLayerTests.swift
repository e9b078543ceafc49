// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import GraphicsTestSupport
import MediaTestSupport
import PlayheadBuffers
import PlayheadGL
import PlayheadLayers
import PlayheadTime
import Testing

/// Images of layers that were inspected once: other tests check the laws of single pixels, and here
/// is the whole image, at odd sizes and positions.
@Suite("Golden layers", .enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"))
struct GoldenLayerTests {
    private typealias S = LayerScene

    /// Returns a frame that shows its orientation and its edges: four colours with a black diagonal
    /// from the upper left, white at the border.
    private static func card(
        width: Int = 45, height: Int = 31, orientation: PictureOrientation = .up,
        aspect: PixelBufferAttachments.PixelAspectRatio? = nil
    ) -> PixelBuffer {
        let plain = TestPictures.yuv420p(width: width, height: height) { x, y in
            if x == 0 || y == 0 || x == width - 1 || y == height - 1 { return [1, 1, 1] }
            if abs(x * height - y * width) < width * 2 { return [0, 0, 0] }
            let (right, low) = (x * 2 > width, y * 2 > height)
            return right
                ? (low ? [0.1, 0.2, 0.9] : [0.1, 0.8, 0.2])
                : (low ? [0.9, 0.8, 0.1] : [0.9, 0.1, 0.1])
        }
        var attachments = plain.attachments
        attachments.orientation = orientation
        if let aspect { attachments.pixelAspectRatio = aspect }
        return PixelBuffer(
            format: plain.format, width: width, height: height, planes: plain.planes,
            attachments: attachments, owner: plain)
    }

    /// A grey chequered background, on which transparency is visible.
    private static let ground = Layer(
        .image(
            TestPictures.rgba(width: 64, height: 64) { x, y in
                (x / 8 + y / 8) % 2 == 0 ? [90, 90, 90, 255] : [130, 130, 130, 255]
            }), gravity: .resizeAspectFill)

    /// Returns small layers, row by row.
    private static func grid(
        _ layers: [Layer], columns: Int, width: Double, height: Double
    ) -> (Scene, width: Int, height: Int) {
        var placed = [ground]
        for (index, layer) in layers.enumerated() {
            var layer = layer
            let (column, row) = (Double(index % columns), Double(index / columns))
            layer.frame = .pixels(
                S.rect(3 + column * (width + 3), 3 + row * (height + 3), width, height))
            placed.append(layer)
        }
        let rows = Double((layers.count + columns - 1) / columns)
        return (
            Scene(layers: placed), Int(3 + Double(columns) * (width + 3)),
            Int(3 + rows * (height + 3))
        )
    }

    private static func compare(
        _ scene: Scene, width: Int, height: Int, to name: String,
        conversion: PictureConversion = .gpu
    ) throws {
        let image = try S.draw(scene, width: width, height: height, conversion: conversion)
        try GoldenImage("layers-" + name).compare(
            TestImage(width: image.width, height: image.height, pixels: image.bytes))
    }

    @Test(arguments: PictureConversion.allCases)
    func `every gravity matches its golden image, in a wide and in a high frame`(
        conversion: PictureConversion
    ) throws {
        let film = Self.card()
        let wide = LayerGravity.allCases.map { Layer(.image(film), gravity: $0) }
        let (scene, width, height) = Self.grid(wide, columns: 4, width: 61, height: 25)
        try Self.compare(
            scene, width: width, height: height, to: "gravity-wide", conversion: conversion)
        let (second, across, down) = Self.grid(wide, columns: 6, width: 23, height: 41)
        try Self.compare(
            second, width: across, height: down, to: "gravity-high", conversion: conversion)
    }

    @Test func `every orientation matches its golden image, with pixels that are not square`()
        throws
    {
        var layers: [Layer] = []
        let aspects: [PixelBufferAttachments.PixelAspectRatio?] = [
            nil, PixelBufferAttachments.PixelAspectRatio(horizontal: 16, vertical: 11),
        ]
        for aspect in aspects {
            for isMirrored in [false, true] {
                for turns in 0..<4 {
                    let film = Self.card(
                        orientation: PictureOrientation(
                            quarterTurns: turns, isMirrored: isMirrored), aspect: aspect)
                    layers.append(Layer(.image(film)))
                }
            }
        }
        let (scene, width, height) = Self.grid(layers, columns: 4, width: 47, height: 37)
        try Self.compare(scene, width: width, height: height, to: "orientation")
    }

    @Test func `masks, corners and parts of a frame match their golden image`() throws {
        func film(_ change: (inout Layer) -> Void) -> Layer {
            var layer = Layer(.image(Self.card()), gravity: .resizeAspectFill)
            change(&layer)
            return layer
        }
        var star = Layer(
            sublayers: (0..<3).map { index in
                var bar = S.color(1, 1, 1, 1, at: S.rect(20, 2, 9, 33))
                bar.transform = .rotation(angle: Double(index) * .pi / 3)
                return bar
            })
        star.frame = .whole
        let layers = [
            film { $0.mask = .ellipse },
            film { $0.mask = .ellipse(in: S.rect(0.1, 0.2, 0.5, 0.7)) },
            film { $0.mask = .roundedRectangle(S.rect(0.05, 0.1, 0.9, 0.8), cornerRadius: 9.5) },
            film { $0.cornerRadius = 7 },
            film { $0.cornerRadius = 100 },
            film {
                $0.cornerRadius = 6
                $0.transform = .rotation(angle: 0.3)
            },
            film { $0.mask = .layer(star) },
            film { $0.contentsRect = S.rect(0.25, 0.1, 0.5, 0.6) },
            film { $0.contentsRect = S.rect(-0.5, -0.5, 2, 2) },
        ]
        let (scene, width, height) = Self.grid(layers, columns: 3, width: 49, height: 37)
        try Self.compare(scene, width: width, height: height, to: "masks")
    }

    @Test func `every blend mode over a video matches its golden image`() throws {
        let ramp = TestPictures.rgba(width: 33, height: 27) { x, y in
            [UInt8(x * 255 / 32), UInt8(y * 255 / 26), 128, y % 9 < 6 ? 255 : 110]
        }
        let layers = BlendMode.allCases.map { mode in
            var over = Layer(.image(ramp), frame: .pixels(S.rect(5, 4, 33, 27)))
            over.blendMode = mode
            var group = Layer(
                sublayers: [
                    Layer(.image(Self.card()), frame: .pixels(S.rect(0, 0, 45, 31))), over,
                ])
            // As one image: an operator must not remove the background.
            group.opacity = 0.999
            return group
        }
        let (scene, width, height) = Self.grid(layers, columns: 7, width: 45, height: 35)
        try Self.compare(scene, width: width, height: height, to: "blends")
    }

    @Test func `layers in perspective match their golden image`() throws {
        var layers: [Layer] = []
        for index in 0..<5 {
            var layer = Layer(.image(Self.card()), frame: .pixels(S.rect(53, 34, 45, 31)))
            let step = Double(index - 2)
            layer.transform = .rotation(angle: 0.6 * step, y: 1, z: 0)
                .concatenating(.translation(x: 23 * step, y: 6 * step))
            layer.zPosition = -abs(step)
            layer.cornerRadius = Double(index) * 2
            layers.append(layer)
        }
        var room = Layer(frame: .whole, sublayers: layers)
        room.sublayerTransform = .perspective(distance: 150)
        try Self.compare(
            Scene(layers: [Self.ground, room]), width: 151, height: 99, to: "perspective")
    }

    @Test(arguments: [false, true])
    func `alpha, opacity, groups and light match their golden images`(mixesLight: Bool) throws {
        func soft(_ meaning: ColorAttachments.Alpha) -> PixelBuffer {
            TestPictures.rgba(
                width: 41, height: 29,
                attachments: PixelBufferAttachments(
                    color: ColorAttachments(matrix: .rgb, range: .full, alpha: meaning))
            ) { x, y in
                let alpha = Double(x) / 40
                let scale = meaning == .premultiplied ? alpha : 1
                return [
                    UInt8(255 * scale), UInt8(Double(y) / 28 * 200 * scale), UInt8(40 * scale),
                    UInt8(alpha * 255),
                ]
            }
        }
        var faded = Layer(sublayers: [
            S.color(1, 0, 0, 1, at: S.rect(2, 2, 25, 20)),
            S.color(0, 0, 1, 1, at: S.rect(14, 9, 25, 18)),
        ])
        faded.opacity = 0.5
        let layers = [
            Layer(.image(soft(.straight))), Layer(.image(soft(.premultiplied))),
            Layer(.image(Self.card()), opacity: 0.4), faded,
        ]
        let (scene, width, height) = Self.grid(layers, columns: 2, width: 41, height: 29)
        let image = try S.draw(scene, width: width, height: height, mixesLight: mixesLight)
        try GoldenImage("layers-alpha" + (mixesLight ? "-light" : "")).compare(
            TestImage(width: image.width, height: image.height, pixels: image.bytes))
    }
}
