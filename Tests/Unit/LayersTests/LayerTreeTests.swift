// SPDX-License-Identifier: Apache-2.0

import Glibc
import GraphicsTestSupport
import PlayheadBuffers
import PlayheadEffects
import PlayheadLayers
import PlayheadTime
import Testing

@Suite("Layer trees", .enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"))
struct LayerTreeTests {
    private typealias S = LayerScene

    @Test func `a layer rotated by quarter turns covers the rotated pixels`() throws {
        for quarter in 0..<4 {
            var layer = S.color(1, 0, 0, at: S.rect(4, 8, 12, 6))
            layer.anchorPoint = [0, 0]
            layer.transform = .rotation(angle: .pi / 2 * Double(quarter))
            layer.frame = .pixels(S.rect(16, 16, 12, 6))
            let image = try S.draw(Scene(layers: [layer]), width: 33, height: 35)
            // Clockwise about its top left corner, which is at 16, 16.
            let covered = [
                S.rect(16, 16, 12, 6), S.rect(10, 16, 6, 12), S.rect(4, 10, 12, 6),
                S.rect(16, 4, 6, 12),
            ][quarter]
            S.expect(image, "\(quarter)") { x, y in
                covered.contains([Double(x) + 0.5, Double(y) + 0.5])
                    ? [1, 0, 0, 1] : [0, 0, 0, 1]
            }
        }
    }

    @Test(arguments: [false, true])
    func `edges between pixels cover them in proportion`(isTopRowFirst: Bool) throws {
        var layer = S.color(1, 1, 1, at: S.rect(3, 2, 5, 4))
        layer.transform = .translation(x: 0.25, y: 0.5)
        let image = try S.draw(
            Scene(layers: [layer]), width: 13, height: 9, isTopRowFirst: isTopRowFirst)
        func share(_ pixel: Int, _ low: Double, _ high: Double) -> Double {
            max(0, min(Double(pixel) + 1, high) - max(Double(pixel), low))
        }
        S.expect(image) { x, y in
            let covered = share(x, 3.25, 8.25) * share(y, 2.5, 6.5)
            return [covered, covered, covered, 1]
        }
    }

    @Test func `a rotated layer covers its area, and no more at its edges`() throws {
        for degrees in [10.0, 30, 45, 72] {
            var layer = S.color(1, 1, 1, at: S.rect(20, 22, 24, 16))
            layer.transform = .rotation(angle: degrees * .pi / 180)
            let image = try S.draw(Scene(layers: [layer]), width: 64, height: 61)
            var sum = 0.0
            for y in 0..<image.height {
                for x in 0..<image.width { sum += Double(image[x, y].x) / 255 }
            }
            #expect(abs(sum - 24 * 16) < 3, "\(degrees): \(sum)")
        }
    }

    @Test func `a perspective draws points where the formula maps them`() throws {
        // A checkerboard on a plane rotated about the vertical axis.
        let board = TestPictures.rgba(width: 64, height: 64) { x, y in
            (x / 8 + y / 8) % 2 == 0 ? [255, 255, 255, 255] : [0, 0, 0, 255]
        }
        var layer = Layer(.image(board), frame: .pixels(S.rect(16, 16, 64, 64)))
        let angle = Double.pi / 5
        layer.transform = .rotation(angle: angle, x: 0, y: 1, z: 0)
        var scene = Scene(layers: [layer])
        scene.sublayerTransform = .perspective(distance: 120)
        let image = try S.draw(scene, width: 97, height: 95)
        // The inverse: a pixel's ray intersects the plane. The layer's centre is at 48, 48, the
        // eye's axis at 48.5, 47.5.
        var (checked, wrong) = (0, 0)
        for y in 0..<95 {
            for x in 0..<97 {
                let (sx, sy) = (Double(x) + 0.5 - 48.5, Double(y) + 0.5 - 47.5)
                // Point (u, v) of the plane: (u cos, v, -u sin) + (-0.5, 0.5, 0), seen from 120:
                // x' = X / (1 - Z / 120).
                // sx (1 + u sin / 120) = u cos - 0.5
                let u = (sx + 0.5) / (cos(angle) - sx * sin(angle) / 120)
                let v = sy * (1 + u * sin(angle) / 120) - 0.5
                let (px, py) = (u + 32, v + 32)
                guard px > 1, py > 1, px < 63, py < 63 else {
                    if px < -1 || py < -1 || px > 65 || py > 65, image[x, y].x != 0 { wrong += 1 }
                    continue
                }
                // Only well within a field: edges are mixtures.
                let (fx, fy) = (
                    px.truncatingRemainder(dividingBy: 8), py.truncatingRemainder(dividingBy: 8)
                )
                guard fx > 1.5, fx < 6.5, fy > 1.5, fy < 6.5 else { continue }
                checked += 1
                let white = (Int(px) / 8 + Int(py) / 8) % 2 == 0
                if abs(Int(image[x, y].x) - (white ? 255 : 0)) > 12 { wrong += 1 }
            }
        }
        #expect(checked > 600)
        #expect(wrong == 0, "of \(checked)")
    }

    @Test func `points behind the eye are invisible, and a layer across it is clipped`() throws {
        var layer = S.color(1, 0, 0)
        layer.transform = .translation(x: 0, y: 0, z: 500)
        var scene = Scene(layers: [layer])
        scene.sublayerTransform = .perspective(distance: 100)
        let image = try S.draw(scene, width: 17, height: 16)
        S.expect(image) { _, _ in [0, 0, 0, 1] }
        scene.layers[0].transform = .rotation(angle: 1.55, x: 1, y: 0, z: 0)
        scene.layers[0].frame = .pixels(S.rect(-2000, -2000, 4017, 4016))
        _ = try S.draw(scene, width: 17, height: 16)
    }

    @Test func `z positions order siblings, and ties keep their order`() throws {
        var (red, green, blue) = (S.color(1, 0, 0), S.color(0, 1, 0), S.color(0, 0, 1))
        red.zPosition = 1
        let image = try S.draw(Scene(layers: [red, green, blue]), width: 2, height: 2)
        #expect(image[0, 0] == [255, 0, 0, 255])
        (red.zPosition, green.zPosition, blue.zPosition) = (0, 0, -1)
        let other = try S.draw(Scene(layers: [red, green, blue]), width: 2, height: 2)
        #expect(other[0, 0] == [0, 255, 0, 255])
    }

    @Test func `a group fades as one image; layers alone fade through one another`() throws {
        let pair = [
            S.color(1, 0, 0, at: S.rect(0, 0, 6, 7)), S.color(0, 1, 0, at: S.rect(3, 0, 6, 7)),
        ]
        var group = Layer(sublayers: pair)
        group.opacity = 0.5
        let image = try S.draw(Scene(layers: [group]), width: 9, height: 7)
        S.expect(image) { x, _ in x < 3 ? [0.5, 0, 0, 1] : [0, 0.5, 0, 1] }
        var faded = pair
        for index in faded.indices { faded[index].opacity = 0.5 }
        let apart = try S.draw(Scene(layers: [Layer(sublayers: faded)]), width: 9, height: 7)
        S.expect(apart) { x, _ in
            x < 3 ? [0.5, 0, 0, 1] : x < 6 ? [0.25, 0.5, 0, 1] : [0, 0.5, 0, 1]
        }
    }

    @Test func `sublayers are positioned in their layer, and clipped on request`() throws {
        var parent = S.color(0, 0, 1, at: S.rect(5, 3, 8, 8))
        parent.sublayers = [
            S.color(1, 0, 0, at: S.rect(4, 4, 8, 2)),
            Layer(.color([0, 1, 0, 1]), frame: .fraction(S.rect(0, 0, 0.5, 0.25))),
        ]
        func expected(_ x: Int, _ y: Int, isCut: Bool) -> SIMD4<Double> {
            let (x, y) = (Double(x) - 5 + 0.5, Double(y) - 3 + 0.5)
            let inside = S.rect(0, 0, 8, 8).contains([x, y])
            if S.rect(0, 0, 4, 2).contains([x, y]) { return [0, 1, 0, 1] }
            if S.rect(4, 4, 8, 2).contains([x, y]), inside || !isCut { return [1, 0, 0, 1] }
            return inside ? [0, 0, 1, 1] : [0, 0, 0, 1]
        }
        var image = try S.draw(Scene(layers: [parent]), width: 21, height: 15)
        S.expect(image) { expected($0, $1, isCut: false) }
        parent.masksToBounds = true
        image = try S.draw(Scene(layers: [parent]), width: 21, height: 15)
        S.expect(image) { expected($0, $1, isCut: true) }
        // Rotated by half a turn about its centre, with its contents.
        parent.transform = .rotation(angle: .pi)
        image = try S.draw(Scene(layers: [parent]), width: 21, height: 15)
        S.expect(image) { expected(17 - $0, 13 - $1, isCut: true) }
    }

    @Test func `the round corners of a group equal those of a layer, however it is drawn`() throws {
        var layer = S.color(1, 0.5, 0, at: S.rect(2, 3, 20, 15))
        layer.cornerRadius = 7
        let same = EffectInstance(
            try ISFImporter.effect(
                text: """
                    /*{ "INPUTS": [ { "NAME": "inputImage", "TYPE": "image" } ] }*/
                    void main() { gl_FragColor = IMG_THIS_PIXEL(inputImage); }
                    """, path: "same.fs"))
        var groups = [layer, layer, layer]
        for index in groups.indices { groups[index].sublayers = [Layer(.none)] }
        groups[0].masksToBounds = true
        groups[1].mask = .layer(S.color(1, 1, 1))
        groups[2].effects = [same]
        let expected = try S.draw(Scene(layers: [layer]), width: 24, height: 21)
        for (index, group) in groups.enumerated() {
            let image = try S.draw(Scene(layers: [group]), width: 24, height: 21)
            S.expect(image, "\(index)") { x, y in
                SIMD4<Double>(SIMD4<Int>(truncatingIfNeeded: expected[x, y])) / 255
            }
        }
    }

    @Test func `the edges of a clipped, rotated group equal those of a layer`() throws {
        var layer = S.color(1, 0.5, 0, at: S.rect(4, 3, 16, 15))
        layer.transform = .rotation(angle: 0.3)
        var group = layer
        group.sublayers = [Layer(.none)]
        group.masksToBounds = true
        let expected = try S.draw(Scene(layers: [layer]), width: 24, height: 21)
        let image = try S.draw(Scene(layers: [group]), width: 24, height: 21)
        S.expect(image) { x, y in
            SIMD4<Double>(SIMD4<Int>(truncatingIfNeeded: expected[x, y])) / 255
        }
    }

    @Test func `effects of a group get its layers as one image`() throws {
        let negative = EffectInstance(
            try ISFImporter.effect(
                text: """
                    /*{ "INPUTS": [ { "NAME": "inputImage", "TYPE": "image" } ] }*/
                    void main() {
                        vec4 c = IMG_THIS_PIXEL(inputImage);
                        gl_FragColor = vec4(1.0 - c.rgb, c.a);
                    }
                    """, path: "negative.fs"))
        var group = Layer(
            frame: .pixels(S.rect(2, 1, 6, 5)),
            sublayers: [
                S.color(1, 0, 0, at: S.rect(0, 0, 4, 5)), S.color(0, 1, 0, at: S.rect(2, 0, 2, 5)),
            ])
        group.effects = [negative]
        let image = try S.draw(Scene(layers: [group]), width: 11, height: 7)
        S.expect(image) { x, y in
            guard y >= 1, y < 6 else { return [0, 0, 0, 1] }
            return x >= 2 && x < 4 ? [0, 1, 1, 1] : x >= 4 && x < 6 ? [1, 0, 1, 1] : [0, 0, 0, 1]
        }
    }

    @Test func `gravities that keep the content's size position it accordingly`() throws {
        let small = TestPictures.rgba(width: 3, height: 2) { _, _ in [255, 0, 0, 255] }
        let places: [(LayerGravity, Double, Double)] = [
            (.center, 3, 3), (.top, 3, 0), (.bottom, 3, 5), (.left, 0, 3), (.right, 6, 3),
            (.topLeft, 0, 0), (.topRight, 6, 0), (.bottomLeft, 0, 5), (.bottomRight, 6, 5),
        ]
        for (gravity, x, y) in places {
            let image = try S.draw(
                Scene(layers: [Layer(.image(small), gravity: gravity)]), width: 9, height: 7)
            S.expect(image, "\(gravity)") { column, row in
                S.rect(x, y, 3, 2).contains([Double(column) + 0.5, Double(row) + 0.5])
                    ? [1, 0, 0, 1] : [0, 0, 0, 1]
            }
        }
        // The excess is cut off, on the side opposite to the gravity.
        let large = TestPictures.rgba(width: 6, height: 2) { x, _ in [UInt8(40 * x), 0, 0, 255] }
        for (gravity, first) in [(LayerGravity.left, 0), (.center, 2), (.right, 4)] {
            let image = try S.draw(
                Scene(layers: [Layer(.image(large), gravity: gravity)]), width: 2, height: 2)
            #expect(image[0, 0].x == UInt8(40 * first), "\(gravity)")
        }
    }

    @Test func `a thousand parts of one video are at their places, by CPU and shader`() throws {
        let picture = TestPictures.rgba(width: 80, height: 50) { x, y in
            [UInt8(x * 3), UInt8(y * 5), UInt8((x * y) % 256), 255]
        }
        let source = StillSource(picture)
        let layers = (0..<1000).map { piece in
            let (x, y) = (Double(piece % 40) * 2, Double(piece / 40) * 2)
            return Layer(
                .video(source), frame: .pixels(S.rect(78 - x, 48 - y, 2, 2)),
                contentsRect: S.rect(x / 80, y / 50, 2.0 / 80, 2.0 / 50))
        }
        for conversion in PictureConversion.allCases {
            let image = try S.draw(
                Scene(layers: layers), width: 80, height: 50, conversion: conversion)
            S.expect(image, "\(conversion)") { x, y in
                let (column, row) = (78 - x / 2 * 2 + x % 2, 48 - y / 2 * 2 + y % 2)
                return [
                    Double(column * 3) / 255, Double(row * 5) / 255,
                    Double((column * row) % 256) / 255, 1,
                ]
            }
        }
        #expect(source.takenCount == 2)
    }

    @Test func `layers that are drawn together keep their order`() throws {
        // Alternating kinds, each overlapping the previous one: only the original order is right.
        let picture = TestPictures.rgba(width: 1, height: 1) { _, _ in [0, 0, 255, 255] }
        var layers: [Layer] = []
        for index in 0..<12 {
            let rect = S.rect(Double(index), 0, 4, 3)
            layers.append(
                index % 2 == 0
                    ? S.color(Float(index) / 12, 1, 0, at: rect)
                    : Layer(.image(picture), frame: .pixels(rect), gravity: .resize))
        }
        let image = try S.draw(Scene(layers: layers), width: 15, height: 3)
        S.expect(image) { x, _ in
            let top = min(x, 11)
            return top % 2 == 0 ? [Double(top) / 12, 1, 0, 1] : [0, 0, 1, 1]
        }
    }
}
