// SPDX-License-Identifier: Apache-2.0

import GraphicsTestSupport
import MediaTestSupport
import PlayheadBuffers
import PlayheadTime
import PlayheadVideoCompositions
import Testing

@testable import PlayheadComposing

@Suite(.enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"))
struct DrawingTests {
    private typealias S = ComposingSupport

    /// Returns whether each component is within a code of an expected value.
    private func isNear(_ color: SIMD4<Int>, _ expected: SIMD4<Double>) -> Bool {
        (0..<4).allSatisfy { abs(Double(color[$0]) - expected[$0]) <= 1 }
    }

    @Test func `opacity ramps are within a code of the formula at every frame`() throws {
        var top = VideoCompositionLayerInstruction(trackID: 1)
        top.setOpacityRamp(from: 0.9, to: 0.1, timeRange: S.range(3, 17))
        top.setOpacityRamp(from: 0, to: 0.5, timeRange: S.range(20, 24))
        let composition = S.composition(
            width: 8, height: 6,
            [
                VideoCompositionInstruction(
                    timeRange: S.range(0, 30),
                    layerInstructions: [top, VideoCompositionLayerInstruction(trackID: 2)])
            ])
        let (above, below) = (SIMD4<UInt8>(251, 13, 77, 255), SIMD4<UInt8>(20, 200, 131, 255))
        let buffers = [1: S.plain(8, 6, above), 2: S.plain(8, 6, below)]
        let drawer = try S.engine.makeDrawer(for: composition)
        for frame in 0..<30 {
            let time = S.time(Int64(frame))
            let opacity =
                switch frame {
                case 0..<3: 1.0
                case 3..<17: 0.9 - 0.8 * Double(frame - 3) / 14
                case 17..<20: 0.1
                case 20..<24: 0.5 * Double(frame - 20) / 4
                default: 0.5
                }
            let expected =
                SIMD4<Double>(above) * opacity + SIMD4<Double>(below) * (1 - opacity)
            let image = try S.picture(
                of: composition, at: time, buffers: buffers, drawer: drawer)
            #expect(
                isNear(image.codes(3, 2), expected),
                "frame \(frame): \(image.codes(3, 2)) \(expected)")
        }
    }

    @Test func `eight layers over each other do not add up errors`() throws {
        let layers = (1...8).map { id in
            var layer = VideoCompositionLayerInstruction(trackID: id)
            layer.setOpacity(0.3, at: .zero)
            return layer
        }
        let composition = S.composition(
            width: 4, height: 4,
            [VideoCompositionInstruction(timeRange: S.range(0, 1), layerInstructions: layers)])
        let colors = (1...8).map { SIMD4<UInt8>(UInt8($0 * 31), UInt8(255 - $0 * 29), 77, 255) }
        let buffers = Dictionary(
            uniqueKeysWithValues: colors.enumerated().map { ($0 + 1, S.plain(4, 4, $1)) })
        var expected = SIMD4<Double>(0, 0, 0, 255)
        for color in colors.reversed() {
            expected = expected * 0.7 + SIMD4<Double>(color) * 0.3
        }
        let image = try S.picture(of: composition, at: .zero, buffers: buffers)
        #expect(isNear(image.codes(2, 2), expected), "\(image.codes(2, 2)) \(expected)")
    }

    @Test func `a translation ramp moves by the formula, with smooth edges between pixels`() throws
    {
        var layer = VideoCompositionLayerInstruction(trackID: 1)
        layer.setTransformRamp(
            from: .translation(x: 1, y: 0), to: .translation(x: 6, y: 0), timeRange: S.range(0, 20))
        let composition = S.composition(
            width: 13, height: 5,
            [VideoCompositionInstruction(timeRange: S.range(0, 20), layerInstructions: [layer])])
        let drawer = try S.engine.makeDrawer(for: composition)
        let buffers = [1: S.plain(5, 5, SIMD4(255, 255, 255, 255))]
        for frame in 0..<20 {
            let left = 1 + Double(frame) / 4
            let image = try S.picture(
                of: composition, at: S.time(Int64(frame)), buffers: buffers, drawer: drawer)
            for x in 0..<13 {
                // The part of the pixel that the layer covers.
                let covered = max(0, min(Double(x) + 1, left + 5) - max(Double(x), left))
                #expect(
                    abs(Double(image.codes(x, 2).x) - covered * 255) <= 1,
                    "frame \(frame), column \(x): \(image.codes(x, 2).x)")
            }
        }
    }

    @Test func `a crop ramp uncovers by the formula`() throws {
        var layer = VideoCompositionLayerInstruction(trackID: 1)
        layer.setCropRectangleRamp(
            from: CropRectangle(x: 0, y: 0, width: 0, height: 7),
            to: CropRectangle(x: 0, y: 0, width: 9, height: 7), timeRange: S.range(0, 9))
        let composition = S.composition(
            width: 9, height: 7,
            [VideoCompositionInstruction(timeRange: S.range(0, 10), layerInstructions: [layer])])
        let picture = TestPictures.rgba(width: 9, height: 7) { x, y in
            SIMD4(UInt8(x * 20 + 40), UInt8(y * 30), 9, 255)
        }
        let drawer = try S.engine.makeDrawer(for: composition)
        for frame in 0..<10 {
            let image = try S.picture(
                of: composition, at: S.time(Int64(frame)), buffers: [1: picture], drawer: drawer)
            for x in 0..<9 {
                for y in 0..<7 {
                    let expected: SIMD4<Int> =
                        x < frame
                        ? SIMD4(x * 20 + 40, y * 30, 9, 255) : SIMD4(0, 0, 0, 255)
                    #expect(image.codes(x, y) == expected)
                }
            }
        }
    }

    @Test func `crops stay in their place, and transforms are about the frame's corner`() throws {
        // The right half of a frame, turned by half about the origin and moved back.
        var layer = VideoCompositionLayerInstruction(trackID: 1)
        layer.setCropRectangle(CropRectangle(x: 4, y: 0, width: 4, height: 4), at: .zero)
        layer.setTransform(Transform2D(a: -1, b: 0, c: 0, d: -1, tx: 8, ty: 4), at: .zero)
        let composition = S.composition(
            width: 8, height: 4,
            [VideoCompositionInstruction(timeRange: S.range(0, 1), layerInstructions: [layer])])
        let picture = TestPictures.rgba(width: 8, height: 4) { x, y in
            SIMD4(UInt8(x * 30), UInt8(y * 60), 1, 255)
        }
        let image = try S.picture(of: composition, at: .zero, buffers: [1: picture])
        for x in 0..<8 {
            for y in 0..<4 {
                let expected: SIMD4<Int> =
                    x < 4 ? SIMD4((7 - x) * 30, (3 - y) * 60, 1, 255) : SIMD4(0, 0, 0, 255)
                #expect(image.codes(x, y) == expected, "\(x), \(y)")
            }
        }
    }

    @Test func `layers are listed from top to bottom, over the background`() throws {
        var instruction = VideoCompositionInstruction(
            timeRange: S.range(0, 1),
            layerInstructions: [1, 2].map { VideoCompositionLayerInstruction(trackID: $0) },
            backgroundColor: SIMD4(0, 0, 1, 0.5))
        let buffers = [
            1: S.plain(2, 2, SIMD4(255, 0, 0, 255)), 2: S.plain(4, 2, SIMD4(0, 255, 0, 255)),
        ]
        let composition = S.composition(width: 6, height: 2, [instruction])
        let image = try S.picture(of: composition, at: .zero, buffers: buffers)
        #expect(image.codes(0, 0) == SIMD4(255, 0, 0, 255))
        #expect(image.codes(3, 1) == SIMD4(0, 255, 0, 255))
        #expect(isNear(image.codes(5, 1), SIMD4(0, 0, 255, 127.5)))
        // A track without a frame shows what is below it.
        instruction.backgroundColor = SIMD4(0, 0, 0, 0)
        let other = try S.picture(
            of: S.composition(width: 6, height: 2, [instruction]), at: .zero,
            buffers: [2: S.plain(4, 2, SIMD4(0, 255, 0, 255))])
        #expect(other.codes(0, 0) == SIMD4(0, 255, 0, 255))
        #expect(other.codes(5, 1) == SIMD4(0, 0, 0, 0))
    }

    @Test func `frames are upright and have square pixels before they are placed`() throws {
        let stored = TestPictures.rgba(
            width: 4, height: 2,
            attachments: PixelBufferAttachments(
                color: ColorAttachments(),
                pixelAspectRatio: .square, orientation: PictureOrientation(quarterTurns: 1))
        ) { x, _ in SIMD4(UInt8(x * 60), 0, 0, 255) }
        let composition = S.composition(
            width: 3, height: 4,
            [
                VideoCompositionInstruction(
                    timeRange: S.range(0, 1),
                    layerInstructions: [VideoCompositionLayerInstruction(trackID: 1)])
            ])
        let image = try S.picture(of: composition, at: .zero, buffers: [1: stored])
        #expect((0..<4).map { image.codes(0, $0).x } == [0, 60, 120, 180])
        #expect(image.codes(2, 0) == SIMD4(0, 0, 0, 255))
    }

    private static let orientations = (0..<4).flatMap { turns in
        [false, true].map { PictureOrientation(quarterTurns: turns, isMirrored: $0) }
    }

    @Test(arguments: orientations)
    func `stored frames with their preferred transform look like upright ones`(
        orientation: PictureOrientation
    ) throws {
        let stored = TestPictures.rgba(
            width: 6, height: 4,
            attachments: PixelBufferAttachments(
                color: ColorAttachments(), pixelAspectRatio: .square, orientation: orientation)
        ) { x, y in SIMD4(UInt8(x * 40), UInt8(y * 60), 9, 255) }
        func picture(
            _ change: (inout VideoCompositionLayerInstruction) -> Void
        ) throws -> RGBAImage {
            var layer = VideoCompositionLayerInstruction(trackID: 1)
            change(&layer)
            return try S.picture(
                of: S.composition(
                    width: 7, height: 7,
                    [
                        VideoCompositionInstruction(
                            timeRange: S.range(0, 1), layerInstructions: [layer])
                    ]), at: .zero, buffers: [1: stored])
        }
        let upright = Transform2D(orientation, size: (6, 4))
        let expected = try picture { _ in }
        let turned = try picture {
            $0.appliesPreferredTransform = false
            $0.setTransform(upright, at: .zero)
        }
        #expect(turned == expected)
        // Crops are of the stored frame.
        let cropped = try picture {
            $0.appliesPreferredTransform = false
            $0.setCropRectangle(CropRectangle(x: 1, y: 0, width: 2, height: 3), at: .zero)
        }
        for y in 0..<7 {
            for x in 0..<7 {
                let isShown = (1..<3).contains(x) && y < 3
                #expect(
                    cropped.codes(x, y)
                        == (isShown ? SIMD4(x * 40, y * 60, 9, 255) : SIMD4(0, 0, 0, 255)))
            }
        }
    }

    @Test func `the render scale scales the picture and its layers`() throws {
        var layer = VideoCompositionLayerInstruction(trackID: 1)
        layer.setTransform(.translation(x: 2, y: 2), at: .zero)
        var composition = S.composition(
            width: 8, height: 8,
            [VideoCompositionInstruction(timeRange: S.range(0, 1), layerInstructions: [layer])])
        composition.renderScale = 0.5
        let image = try S.picture(
            of: composition, at: .zero, buffers: [1: S.plain(4, 4, SIMD4(255, 255, 255, 255))])
        #expect((image.width, image.height) == (4, 4))
        #expect((0..<4).map { image.codes($0, 1).x } == [0, 255, 255, 0])
    }

    @Test func `crops and transforms at odd sizes match the golden image`() throws {
        let card = TestPictures.rgba(width: 45, height: 31) { x, y in
            if x == 0 || y == 0 || x == 44 || y == 30 { return SIMD4(255, 255, 255, 255) }
            if abs(x * 31 - y * 45) < 90 { return SIMD4(0, 0, 0, 255) }
            let (right, low) = (x * 2 > 45, y * 2 > 31)
            return right
                ? (low ? SIMD4(25, 51, 230, 255) : SIMD4(25, 204, 51, 255))
                : (low ? SIMD4(230, 204, 25, 255) : SIMD4(230, 25, 25, 255))
        }
        var layers = (1...6).map { VideoCompositionLayerInstruction(trackID: $0) }
        layers[0].setCropRectangle(CropRectangle(x: 7.5, y: 3, width: 21, height: 19), at: .zero)
        layers[1].setTransform(
            Transform2D.rotation(angle: 0.4).concatenating(.translation(x: 75, y: 4)), at: .zero)
        layers[2].setTransform(
            Transform2D.scale(x: -1.3, y: 0.7).concatenating(.translation(x: 160, y: 9)),
            at: .zero)
        layers[3].setTransform(
            Transform2D(a: 1, b: 0.3, c: -0.5, d: 1.2, tx: 25, ty: 48), at: .zero)
        layers[3].setCropRectangle(CropRectangle(x: 5, y: 4, width: 35, height: 23), at: .zero)
        layers[4].setTransform(
            Transform2D.scale(x: 1.5, y: 1.5).concatenating(.translation(x: 70.3, y: 50.6)),
            at: .zero)
        layers[4].setOpacity(0.6, at: .zero)
        layers[5].setTransform(.translation(x: 140, y: 70), at: .zero)
        layers[5].setCropRectangle(
            CropRectangle(x: -10, y: 10, width: 100, height: 11), at: .zero)
        let composition = S.composition(
            width: 171, height: 113,
            [
                VideoCompositionInstruction(
                    timeRange: S.range(0, 1), layerInstructions: layers,
                    backgroundColor: SIMD4(0.35, 0.35, 0.35, 1))
            ])
        let buffers = Dictionary(uniqueKeysWithValues: (1...6).map { ($0, card) })
        let image = try S.picture(of: composition, at: .zero, buffers: buffers)
        try GoldenImage("video-composition").compare(
            TestImage(width: image.width, height: image.height, pixels: image.bytes))
    }
}
