// SPDX-License-Identifier: Apache-2.0

import GraphicsTestSupport
import PlayheadAtlas
import PlayheadBuffers
import PlayheadGL
import PlayheadLayers
import PlayheadTime
import Testing

/// The image of a tile does not depend on its neighbours.
@Suite("Atlas bleed", .enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"))
struct BleedTests {
    private static let size = (width: 40, height: 24)
    /// The tile in the middle of three by three.
    private static let subject = 4

    /// Returns an image with detail up to its edges; the same seed gives the same image.
    private static func noise(_ seed: UInt64) -> RGBAImage {
        var state = seed
        var bytes: [UInt8] = []
        for _ in 0..<size.width * size.height {
            for _ in 0..<3 {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                bytes.append(UInt8(truncatingIfNeeded: state >> 56))
            }
            bytes.append(255)
        }
        return RGBAImage(width: size.width, height: size.height, bytes: bytes)
    }

    private static func plain(_ color: SIMD4<UInt8>) -> RGBAImage {
        RGBAImage(
            width: size.width, height: size.height,
            bytes: (0..<size.width * size.height).flatMap { _ in (0..<4).map { color[$0] } })
    }

    /// Returns an atlas with the same subject, whose other tiles have one colour.
    private static func picture(
        _ atlas: TextureAtlas, around color: SIMD4<UInt8>, isYCbCr: Bool,
        _ location: ColorAttachments.ChromaLocation
    ) -> PixelBuffer {
        var canvas = AtlasCanvas(width: atlas.width, height: atlas.height)
        for (index, tile) in atlas.tiles.enumerated() {
            canvas.place(index == subject ? noise(5) : plain(color), in: tile)
        }
        let image = canvas.image
        guard isYCbCr else {
            return TestPictures.rgba(width: image.width, height: image.height) { image[$0, $1] }
        }
        return halved(image, location)
    }

    /// Converts to 4:2:0 of BT.709 as in videos: chroma is halved around its siting, with weights
    /// 1, 2 and 1 at a pixel, and 1 and 1 between two, whatever tiles these belong to.
    private static func halved(
        _ image: RGBAImage, _ location: ColorAttachments.ChromaLocation
    ) -> PixelBuffer {
        func taps(_ first: Bool, _ last: Bool) -> [(offset: Int, weight: Double)] {
            if first { return [(-1, 0.25), (0, 0.5), (1, 0.25)] }
            return last ? [(0, 0.25), (1, 0.5), (2, 0.25)] : [(0, 0.5), (1, 0.5)]
        }
        let columns = taps([.left, .topLeft, .bottomLeft].contains(location), false)
        let rows = taps(
            [.topLeft, .top].contains(location), [.bottomLeft, .bottom].contains(location))
        func signal(_ x: Int, _ y: Int) -> SIMD3<Double> {
            let pixel = image[
                min(max(x, 0), image.width - 1), min(max(y, 0), image.height - 1)]
            let color = SIMD4<Double>(pixel) / 255
            let luma = 0.2126 * color.x + 0.7152 * color.y + 0.0722 * color.z
            return SIMD3(luma, (color.z - luma) / 1.8556, (color.x - luma) / 1.5748)
        }
        return PixelBuffer(
            format: .yuv420p, width: image.width, height: image.height,
            attachments: PixelBufferAttachments(
                color: ColorAttachments(
                    matrix: .bt709, range: .limited, chromaLocation: location))
        ) { plane, bytes, bytesPerRow in
            let step = plane == 0 ? 1 : 2
            for y in 0..<image.height / step {
                for x in 0..<image.width / step {
                    var sum = SIMD3<Double>()
                    if plane == 0 {
                        sum = signal(x, y)
                    } else {
                        for row in rows {
                            for column in columns {
                                sum +=
                                    row.weight * column.weight
                                    * signal(2 * x + column.offset, 2 * y + row.offset)
                            }
                        }
                    }
                    let value = plane == 0 ? 16 + 219 * sum.x : 128 + 224 * sum[plane]
                    bytes[y * bytesPerRow + x] = UInt8(min(max(value.rounded(), 0), 255))
                }
            }
        }
    }

    /// Returns a scene with the subject, large and small, upright and rotated.
    private static func scene(
        _ atlas: TextureAtlas, _ picture: PixelBuffer, _ location: ColorAttachments.ChromaLocation
    ) -> Scene {
        let rect = atlas.contentsRect(
            of: atlas.tiles[subject], format: picture.format, location: location)
        let places: [(Double, Double, Double)] = [
            (0, 0, 1), (44, 0, 0.5), (70, 0, 0.31), (0, 30, 1.7), (90, 0, 3.3), (84, 84, 2),
        ]
        var layers = places.map { x, y, scale in
            Layer(
                .image(picture),
                frame: .pixels(
                    LayerRect(
                        x: x, y: y, width: Double(size.width) * scale,
                        height: Double(size.height) * scale)),
                contentsRect: rect, gravity: .resize)
        }
        layers[5].transform = .rotation(angle: 0.3)
        return Scene(layers: layers)
    }

    private static func draw(
        _ scene: Scene, _ conversion: PictureConversion
    ) throws -> RGBAImage {
        try GraphicsTest.withSharedContext { context in
            let renderer = VideoRenderer(context: context, conversion: conversion)
            let framebuffer = try GLFramebuffer(width: 240, height: 150, context: context)
            let report = renderer.render(scene, hostTime: .zero, into: RenderTarget(framebuffer))
            #expect(report.problems.isEmpty, "\(report.problems)")
            return framebuffer.image()
        }
    }

    private static func difference(_ first: RGBAImage, _ second: RGBAImage) -> Int {
        zip(first.bytes, second.bytes).map { abs(Int($0) - Int($1)) }.max() ?? 0
    }

    /// Returns the largest difference between a subject among black tiles and among others.
    private static func bleed(
        _ atlas: TextureAtlas, isYCbCr: Bool, _ location: ColorAttachments.ChromaLocation,
        _ conversion: PictureConversion, usesInsets: Bool = true
    ) throws -> Int {
        let shown = try [
            SIMD4<UInt8>(0, 0, 0, 255), SIMD4(255, 255, 255, 255), SIMD4(255, 0, 255, 255),
        ]
        .map { color in
            let picture = Self.picture(atlas, around: color, isYCbCr: isYCbCr, location)
            var scene = Self.scene(atlas, picture, location)
            if !usesInsets {
                let area = atlas.tiles[subject].area
                for index in scene.layers.indices {
                    scene.layers[index].contentsRect = LayerRect(
                        x: Double(area.x) / Double(atlas.width),
                        y: Double(area.y) / Double(atlas.height),
                        width: Double(area.width) / Double(atlas.width),
                        height: Double(area.height) / Double(atlas.height))
                }
            }
            return try draw(scene, conversion)
        }
        return max(difference(shown[0], shown[1]), difference(shown[0], shown[2]))
    }

    private static func guarded() throws -> TextureAtlas {
        let layout = try #require(
            AtlasLayout(
                sizes: Array(repeating: (size.width, size.height), count: 9), guardBand: 8))
        return TextureAtlas(
            film: "", width: layout.width, height: layout.height, frameCount: 1, frameRate: 1,
            guardBand: 8,
            tiles: (0..<9).map {
                TextureAtlas.Tile(
                    name: "\($0)", area: layout.areas[$0], cell: layout.cells[$0])
            })
    }

    private static let bare = TextureAtlas(
        columns: 3, rows: 3, width: 3 * size.width, height: 3 * size.height)

    @Test(
        arguments: [
            (false, ColorAttachments.ChromaLocation.left), (true, .left), (true, .center),
            (true, .topLeft), (true, .top), (true, .bottomLeft), (true, .bottom),
        ], PictureConversion.allCases)
    func `a tile shows no pixels of its neighbours, at any size and chroma siting`(
        picture: (isYCbCr: Bool, location: ColorAttachments.ChromaLocation),
        conversion: PictureConversion
    ) throws {
        for atlas in [try Self.guarded(), Self.bare] {
            #expect(
                try Self.bleed(
                    atlas, isYCbCr: picture.isYCbCr, picture.location, conversion) == 0,
                "guard band \(atlas.guardBand)")
        }
    }

    @Test func `without guard bands and insets a tile shows pixels of its neighbours`() throws {
        let bleed = try Self.bleed(
            Self.bare, isYCbCr: true, .left, .gpu, usesInsets: false)
        #expect(bleed > 50)
    }
}
