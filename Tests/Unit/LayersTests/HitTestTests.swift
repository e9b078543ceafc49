// SPDX-License-Identifier: Apache-2.0

import Glibc
import GraphicsTestSupport
import PlayheadBuffers
import PlayheadEffects
import PlayheadLayers
import Testing

@Suite("Hit testing")
struct HitTestTests {
    private typealias S = LayerScene

    private static func path(_ scene: Scene, _ x: Double, _ y: Double) -> [Int]? {
        scene.hitTest([x, y], width: 100, height: 80)?.path
    }

    @Test func `the frontmost layer at a point is hit, by z position and order`() {
        var layers = [
            S.color(1, 0, 0, at: S.rect(10, 10, 30, 30)),
            S.color(0, 1, 0, at: S.rect(20, 20, 30, 30)),
        ]
        #expect(Self.path(Scene(layers: layers), 15, 15) == [0])
        #expect(Self.path(Scene(layers: layers), 25, 25) == [1])
        #expect(Self.path(Scene(layers: layers), 50, 50) == nil)
        layers[0].zPosition = 1
        #expect(Self.path(Scene(layers: layers), 25, 25) == [0])
        layers[0].isHidden = true
        #expect(Self.path(Scene(layers: layers), 25, 25) == [1])
        layers[1].opacity = 0
        #expect(Self.path(Scene(layers: layers), 25, 25) == nil)
    }

    @Test func `sublayers are hit before their layer, with the point in their own pixels`() throws {
        var parent = S.color(0, 0, 1, at: S.rect(20, 20, 40, 40))
        parent.sublayers = [S.color(1, 0, 0, at: S.rect(30, 30, 20, 20))]
        parent.sublayers[0].name = "inner"
        var scene = Scene(layers: [parent])
        let hit = scene.hitTest([65, 63], width: 100, height: 80)
        #expect(hit?.path == [0, 0] && hit?.layer.name == "inner" && hit?.point == [15, 13])
        #expect(Self.path(scene, 25, 25) == [0])
        scene.layers[0].masksToBounds = true
        #expect(Self.path(scene, 65, 63) == nil)
        #expect(Self.path(scene, 55, 55) == [0, 0])
        // Effects render the group's frame to an image while there are any.
        scene.layers[0].masksToBounds = false
        let effect = EffectInstance(try EffectLibrary.effect(named: "contrast"))
        scene.layers[0].effects = [effect]
        #expect(Self.path(scene, 65, 63) == nil)
        #expect(Self.path(scene, 55, 55) == [0, 0])
        effect.isEnabled = false
        #expect(Self.path(scene, 65, 63) == [0, 0])
    }

    @Test func `points outside of shapes and corners hit the layer behind`() {
        var layer = S.color(1, 0, 0, at: S.rect(0, 0, 40, 20))
        layer.cornerRadius = 10
        #expect(Self.path(Scene(layers: [layer]), 1, 1) == nil)
        #expect(Self.path(Scene(layers: [layer]), 20, 1) == [0])
        layer.cornerRadius = 0
        layer.mask = .ellipse
        #expect(Self.path(Scene(layers: [layer]), 3, 3) == nil)
        #expect(Self.path(Scene(layers: [layer]), 20, 10) == [0])
        layer.mask = .layer(S.color(1, 1, 1, at: S.rect(30, 0, 10, 20)))
        #expect(Self.path(Scene(layers: [layer]), 20, 10) == nil)
        #expect(Self.path(Scene(layers: [layer]), 35, 10) == [0])
    }

    @Test func `planes in perspective are hit where they are visible, and not behind the eye`()
        throws
    {
        var layer = S.color(1, 0, 0, at: S.rect(30, 20, 40, 40))
        layer.transform = .rotation(angle: 1, x: 0.3, y: 1, z: 0.2)
        var scene = Scene(layers: [layer])
        scene.sublayerTransform = .perspective(distance: 90)
        scene.layers[0].transform = layer.transform
        scene.layers[0].frame = .fraction(S.rect(0.3, 0.25, 0.4, 0.5))
        let middle = try #require(scene.hitTest([50, 40], width: 100, height: 80))
        #expect(abs(middle.point.x - 20) < 1e-9 && abs(middle.point.y - 20) < 1e-9)
        scene.layers[0].transform = .translation(x: 0, y: 0, z: 91)
        #expect(Self.path(scene, 50, 40) == nil)
    }

    @Test(.enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"))
    func `the hit layer is the visible one, pixel by pixel`() throws {
        var layers: [Layer] = []
        for index in 0..<5 {
            let place = Double(index)
            var layer = S.color(
                Float(index + 1) / 5, 0, 0,
                at: S.rect(10 + 12 * place, 8 + 7 * place, 34, 26))
            layer.transform = .rotation(angle: 0.4 * place, x: 0.5, y: 0.3 * place, z: 1)
            layer.zPosition = Double((index * 2) % 5)
            if index == 1 { layer.mask = .ellipse }
            if index == 3 { layer.cornerRadius = 9 }
            layers.append(layer)
        }
        var scene = Scene(layers: layers)
        scene.sublayerTransform = .perspective(distance: 200)
        let image = try S.draw(scene, width: 100, height: 80)
        var compared = 0
        var wrong: [SIMD2<Int>] = []
        for y in 1..<79 {
            for x in 1..<99 {
                // Away from edges, where a pixel is a mixture.
                let around = [image[x - 1, y], image[x + 1, y], image[x, y - 1], image[x, y + 1]]
                guard around.allSatisfy({ $0 == image[x, y] }) else { continue }
                let expected = Self.path(scene, Double(x) + 0.5, Double(y) + 0.5)
                    .map { UInt8(($0[0] + 1) * 51) }
                if image[x, y].x != expected ?? 0 { wrong.append([x, y]) }
                compared += 1
            }
        }
        #expect(compared > 6000 && wrong.isEmpty, "\(wrong)")
    }
}
