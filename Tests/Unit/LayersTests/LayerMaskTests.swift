// SPDX-License-Identifier: Apache-2.0

import Glibc
import GraphicsTestSupport
import PlayheadBuffers
import PlayheadLayers
import Testing

@Suite("Layer masks", .enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"))
struct LayerMaskTests {
    private typealias S = LayerScene

    /// Returns the coverage of a pixel by a shape, sampled at 256 points.
    private static func share(_ x: Int, _ y: Int, _ contains: (Double, Double) -> Bool) -> Double {
        var count = 0
        for row in 0..<16 {
            for column in 0..<16
            where contains(
                Double(x) + (Double(column) + 0.5) / 16, Double(y) + (Double(row) + 0.5) / 16)
            {
                count += 1
            }
        }
        return Double(count) / 256
    }

    private static func isInEllipse(_ x: Double, _ y: Double, _ rect: LayerRect) -> Bool {
        let (u, v) = (
            (x - rect.x - rect.width / 2) / (rect.width / 2),
            (y - rect.y - rect.height / 2) / (rect.height / 2)
        )
        return u * u + v * v < 1
    }

    private static func isRounded(
        _ x: Double, _ y: Double, _ rect: LayerRect, _ radius: Double
    ) -> Bool {
        guard rect.contains([x, y]) else { return false }
        let u = abs(x - rect.x - rect.width / 2) - rect.width / 2 + radius
        let v = abs(y - rect.y - rect.height / 2) - rect.height / 2 + radius
        return u <= 0 || v <= 0 || u * u + v * v < radius * radius
    }

    @Test func `round corners cover edge pixels in proportion, of a colour and of an image`() throws
    {
        let picture = TestPictures.rgba(width: 5, height: 5) { _, _ in [255, 255, 255, 255] }
        for layer in [S.color(1, 1, 1), Layer(.image(picture), gravity: .resize)] {
            var layer = layer
            layer.frame = .pixels(S.rect(3, 2, 25, 17))
            for radius in [2.5, 6, 100] {
                layer.cornerRadius = radius
                let image = try S.draw(Scene(layers: [layer]), width: 31, height: 23)
                S.expect(image, within: 24, "\(radius)") { x, y in
                    let share = Self.share(x, y) {
                        Self.isRounded($0, $1, S.rect(3, 2, 25, 17), min(radius, 8.5))
                    }
                    return [share, share, share, 1]
                }
            }
        }
    }

    @Test func `an elliptical mask covers edge pixels in proportion`() throws {
        var layer = S.color(1, 1, 1, at: S.rect(1, 2, 29, 19))
        layer.mask = .ellipse
        let image = try S.draw(Scene(layers: [layer]), width: 33, height: 23)
        S.expect(image, within: 20) { x, y in
            let share = Self.share(x, y) { Self.isInEllipse($0, $1, S.rect(1, 2, 29, 19)) }
            return [share, share, share, 1]
        }
    }

    @Test func `a rounded rectangle masks that part of the frame`() throws {
        var layer = S.color(1, 1, 1, at: S.rect(0, 0, 32, 20))
        layer.mask = .roundedRectangle(S.rect(0.25, 0.25, 0.5, 0.5), cornerRadius: 4)
        let image = try S.draw(Scene(layers: [layer]), width: 33, height: 23)
        S.expect(image, within: 24) { x, y in
            let share = Self.share(x, y) { Self.isRounded($0, $1, S.rect(8, 5, 16, 10), 4) }
            return [share, share, share, 1]
        }
    }

    @Test func `a loupe shows the same video enlarged in a circle, uploaded once`() throws {
        let picture = TestPictures.rgba(width: 32, height: 32) { x, y in
            (x + y) % 2 == 0 ? [255, 255, 255, 255] : [0, 0, 0, 255]
        }
        let source = StillSource(picture)
        var loupe = Layer(
            .video(source), frame: .pixels(S.rect(8, 8, 16, 16)),
            contentsRect: S.rect(0.5, 0.5, 0.125, 0.125))
        loupe.mask = .ellipse
        let image = try S.draw(
            Scene(layers: [Layer(.video(source)), loupe]), width: 32, height: 32)
        #expect(source.takenCount == 1)
        // Outside is the video itself; inside, each of its pixels is four wide.
        for y in 0..<32 {
            for x in 0..<32 {
                let far = hypot(Double(x) - 15.5, Double(y) - 15.5)
                if far > 9.2 {
                    #expect(image[x, y].x == ((x + y) % 2 == 0 ? 255 : 0))
                } else if far < 6.5, (x - 8) % 4 == 1 || (x - 8) % 4 == 2,
                    (y - 8) % 4 == 1 || (y - 8) % 4 == 2
                {
                    let white = ((x - 8) / 4 + (y - 8) / 4) % 2 == 0
                    #expect(white == (image[x, y].x > 127), "\(x), \(y)")
                }
            }
        }
    }

    @Test func `a layer as a mask keeps the part that it covers`() throws {
        let fade = TestPictures.rgba(width: 8, height: 1) { x, _ in [9, 9, 9, UInt8(x * 36)] }
        var masked = S.color(1, 0.5, 0, at: S.rect(2, 1, 8, 3))
        masked.mask = .layer(Layer(.image(fade), gravity: .resize))
        masked.opacity = 0.5
        for depth in 0..<2 {
            let layers = depth == 0 ? [masked] : [Layer(sublayers: [masked])]
            let image = try S.draw(Scene(layers: layers), width: 13, height: 5)
            S.expect(image, within: 2) { x, y in
                guard x >= 2, x < 10, y >= 1, y < 4 else { return [0, 0, 0, 1] }
                let alpha = Double((x - 2) * 36) / 255 / 2
                return [alpha, alpha / 2, 0, 1]
            }
        }
    }

    @Test func `masks rotate with their layer`() throws {
        var layer = S.color(1, 1, 1, at: S.rect(10, 6, 12, 20))
        layer.mask = .ellipse
        layer.transform = .rotation(angle: .pi / 2)
        let image = try S.draw(Scene(layers: [layer]), width: 33, height: 31)
        S.expect(image, within: 20) { x, y in
            let share = Self.share(x, y) { Self.isInEllipse($0, $1, S.rect(6, 10, 20, 12)) }
            return [share, share, share, 1]
        }
    }
}
