// SPDX-License-Identifier: Apache-2.0

import GraphicsTestSupport
import PlayheadBuffers
import PlayheadEffects
import PlayheadGL
import PlayheadLayers
import PlayheadTime
import Testing

@Suite("Chroma key", .enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"))
struct ChromaKeyTests {
    private static func draw(
        _ picture: PixelBuffer, background: Scene.Background, view: Int32 = 0, mixing: Int32 = 0
    ) throws -> RGBAImage {
        let key = EffectInstance(try EffectLibrary.effect(named: "chroma_key"))
        try key.set(.long(view), for: "view")
        try key.set(.long(mixing), for: "mixing")
        return try draw(picture, background: background, effects: [key])
    }

    private static func draw(
        _ picture: PixelBuffer, background: Scene.Background, effects: [EffectInstance]
    ) throws -> RGBAImage {
        try GraphicsTest.withContext { context in
            let renderer = VideoRenderer(context: context)
            let framebuffer = try GLFramebuffer(
                width: picture.width, height: picture.height, context: context)
            let scene = Scene(
                background: background, layers: [Layer(.image(picture), effects: effects)])
            let report = renderer.render(scene, hostTime: .zero, into: RenderTarget(framebuffer))
            #expect(report.problems.isEmpty)
            return framebuffer.image()
        }
    }

    @Test func `the matte of a green-screen shot is that of its foreground`() throws {
        let image = try Self.draw(
            TestPictures.greenScreen(), background: .black, view: 1)
        GraphicsTest.save(image, as: "chroma-key-matte")
        var sum = 0.0
        var wrong = 0
        for y in 0..<image.height {
            for x in 0..<image.width {
                let (alpha, _) = TestPictures.greenScreenForeground(
                    x: Double(x) + 0.5, y: Double(y) + 0.5)
                let difference = abs(Double(image[x, y].x) / 255 - alpha)
                sum += difference
                // Away from edges the result is unambiguous.
                if (alpha == 0 || alpha == 1) && difference > 0.5 { wrong += 1 }
            }
        }
        let mean = sum / Double(image.width * image.height)
        #expect(mean < 0.02, "mean difference \(mean)")
        #expect(wrong < 400, "\(wrong) pixels are on the wrong side")
    }

    @Test func `over a background, the backing is gone and nothing is green`() throws {
        let picture = TestPictures.greenScreen()
        GraphicsTest.save(
            try Self.draw(picture, background: .checkerboard()), as: "chroma-key-checkerboard")
        let image = try Self.draw(picture, background: .color([0.5, 0.1, 0.4, 1]))
        GraphicsTest.save(image, as: "chroma-key-composite")
        // The corners of the shot contain only the unevenly lit screen.
        for (x, y) in [(2, 2), (637, 2), (2, 357), (250, 30)] {
            let pixel = SIMD4<Int>(truncatingIfNeeded: image[x, y])
            #expect(abs(pixel.x - 128) < 6 && abs(pixel.y - 26) < 6 && abs(pixel.z - 102) < 6)
        }
        // The disc and the grey bar are unchanged.
        let disc = image[160, 160]
        #expect(disc.x > 190 && disc.y > 140 && disc.y < 175)
        let grey = SIMD4<Int>(truncatingIfNeeded: image[400, 200])
        #expect(
            abs(grey.x - grey.y) < 8 && abs(grey.y - grey.z) < 8 && abs(grey.x - 133) < 12,
            "\(grey)")
        var worst = 0
        for y in 0..<image.height {
            for x in 0..<image.width {
                let pixel = image[x, y]
                worst = max(worst, Int(pixel.y) - max(Int(pixel.x), Int(pixel.z)))
            }
        }
        #expect(worst < 16, "a pixel is greener by \(worst)")
    }

    @Test func `an image without chroma planes is keyed by its colours`() throws {
        let picture = TestPictures.rgba(width: 4, height: 2) { x, _ in
            x < 2 ? [0, 176, 64, 255] : [200, 200, 200, 255]
        }
        let image = try Self.draw(picture, background: .color([0, 0, 1, 1]))
        #expect(image[0, 0] == [0, 0, 255, 255])
        #expect(image[3, 1] == [200, 200, 200, 255])
    }

    /// Mean absolute errors of alpha and of colour multiplied by it.
    private struct Errors: CustomStringConvertible {
        var alpha = 0.0
        var color = 0.0
        var description: String {
            "alpha \((alpha * 1e4).rounded() / 1e4), colour \((color * 1e4).rounded() / 1e4)"
        }

        mutating func add(_ other: Errors, _ share: Double) {
            alpha += other.alpha * share
            color += other.color * share
        }

        static func of(
            _ scene: KeyingScene, _ found: (Int) -> (alpha: Double, color: SIMD3<Double>)
        ) -> Errors {
            var errors = Errors()
            for index in scene.alpha.indices {
                let (alpha, color) = found(index)
                let difference = color - scene.color[index]
                errors.alpha += abs(alpha - scene.alpha[index])
                errors.color += (abs(difference.x) + abs(difference.y) + abs(difference.z)) / 3
            }
            errors.alpha /= Double(scene.alpha.count)
            errors.color /= Double(scene.alpha.count)
            return errors
        }
    }

    /// Returns mean errors over all subjects: of this effect with its defaults, of the distance key
    /// with its own, and of the distance key with the one setting that is best for them.
    private static func compare(
        gamma: Double
    ) throws -> (ours: Errors, distanceKey: Errors, tunedDistanceKey: Errors) {
        let settings = [DistanceKey.defaults] + DistanceKey.grid
        let share = 1 / Double(KeyingScene.subjects.count)
        var ours = Errors()
        var others = [Errors](repeating: Errors(), count: settings.count)
        for (name, subject) in KeyingScene.subjects {
            let scene = KeyingScene(subject: subject, gamma: gamma)
            let keyed = try draw(scene.picture, background: .color([0, 0, 0, 0]))
            GraphicsTest.save(keyed, as: "chroma-key-\(name)")
            ours.add(
                .of(scene) { index in
                    let pixel =
                        SIMD4<Double>(
                            keyed[index % KeyingScene.width, index / KeyingScene.width]) / 255
                    return (pixel.w, [pixel.x, pixel.y, pixel.z])
                }, share)
            // The same shot, decoded the same way.
            let plain = try draw(scene.picture, background: .black, effects: [])
            let shot = scene.alpha.indices.map { index in
                let pixel =
                    SIMD4<Double>(
                        plain[index % KeyingScene.width, index / KeyingScene.width]) / 255
                return SIMD3(pixel.x, pixel.y, pixel.z)
            }
            let distances = DistanceKey.distances(
                shot, width: KeyingScene.width, height: KeyingScene.height)
            for (index, key) in settings.enumerated() {
                others[index].add(
                    .of(scene) { key.key(shot[$0], distance: distances[$0]) }, share)
            }
        }
        let tuned = others.min { $0.alpha < $1.alpha } ?? others[0]
        return (ours, others[0], tuned)
    }

    @Test func `light that was added in a camera is separated far better than by colour distance`()
        throws
    {
        let (ours, distanceKey, tuned) = try Self.compare(gamma: 2.2)
        let report: Comment = "\(ours); distance key \(distanceKey), tuned \(tuned)"
        #expect(ours.alpha < 0.0195 && ours.color < 0.009, report)
        #expect(
            ours.alpha < 0.5 * distanceKey.alpha && ours.color < 0.5 * distanceKey.color, report)
        #expect(ours.alpha < 0.65 * tuned.alpha && ours.color < 0.7 * tuned.color, report)
    }

    @Test func `signals that were mixed by a drawing program are separated better too`() throws {
        let (ours, distanceKey, tuned) = try Self.compare(gamma: 1)
        let report: Comment = "\(ours); distance key \(distanceKey), tuned \(tuned)"
        #expect(ours.alpha < 0.0185 && ours.color < 0.01, report)
        #expect(
            ours.alpha < 0.6 * distanceKey.alpha && ours.color < 0.6 * distanceKey.color, report)
        #expect(ours.alpha < 0.8 * tuned.alpha && ours.color < 0.75 * tuned.color, report)
    }

    @Test(arguments: [1, 2.2])
    func `edges are estimated nearly as well as with known colours`(gamma: Double) throws {
        var (stated, known, mistaken) = (Errors(), Errors(), Errors())
        for (_, subject) in KeyingScene.subjects {
            let scene = KeyingScene(subject: subject, gamma: gamma)
            func errors(_ mixing: Int32) throws -> Errors {
                let keyed = try Self.draw(
                    scene.picture, background: .color([0, 0, 0, 0]), mixing: mixing)
                return .of(scene) { index in
                    let place = (index % KeyingScene.width, index / KeyingScene.width)
                    let pixel = SIMD4<Double>(keyed[place.0, place.1]) / 255
                    return (pixel.w, [pixel.x, pixel.y, pixel.z])
                }
            }
            stated.add(try errors(0), 1)
            known.add(try errors(gamma == 1 ? 2 : 1), 1)
            mistaken.add(try errors(gamma == 1 ? 1 : 2), 1)
        }
        #expect(stated.color < 1.15 * known.color, "stated \(stated), known \(known)")
        #expect(stated.color < 0.85 * mistaken.color, "stated \(stated), mistaken \(mistaken)")
    }

    @Test func `opaque dark and yellow spots stay opaque in every mode`() throws {
        let colors: [SIMD3<Double>] = [
            [0.9, 0.85, 0.1], [0.05, 0.05, 0.05], [0.5, 0.42, 0.08], [0.9, 0.1, 0.1],
            [0.6, 0.1, 0.6], [0.95, 0.95, 0.9], [0.15, 0.13, 0.1], [0.1, 0.2, 0.8],
            [0.45, 0.3, 0.2],
        ]
        let scene = KeyingScene(gamma: 1) { x, y in
            colors[(Int(x) / 10 + Int(y) / 10) % colors.count]
        }
        func keyed(_ mixing: Int32) throws -> RGBAImage {
            try Self.draw(scene.picture, background: .color([0, 0, 0, 0]), mixing: mixing)
        }
        let (light, signals, stated) = (try keyed(1), try keyed(2), try keyed(0))
        GraphicsTest.save(stated, as: "chroma-key-spots")
        var (count, changed) = (0, 0)
        for y in 0..<KeyingScene.height {
            for x in 0..<KeyingScene.width where light[x, y].w == 255 {
                count += 1
                for other in [signals[x, y], stated[x, y]] {
                    let way =
                        SIMD4<Int>(truncatingIfNeeded: other)
                        &- SIMD4<Int>(truncatingIfNeeded: light[x, y])
                    if way.max() > 1 || way.min() < -1 { changed += 1 }
                }
            }
        }
        #expect(count > 4000)
        #expect(changed == 0)
    }

    @Test(arguments: [1, 2.2])
    func `yellow beside red stays yellow`(gamma: Double) throws {
        let yellow = SIMD3(1, 0.69, 0.23)
        func distance(_ x: Double, _ y: Double) -> Double {
            ((x - 110) * (x - 110) + (y - 120) * (y - 120)).squareRoot()
        }
        let scene = KeyingScene(gamma: gamma) { x, y in
            distance(x, y) < 36 || x > 250 ? SIMD3(0.96, 0.33, 0.24) : yellow
        }
        let keyed = try Self.draw(scene.picture, background: .color([0, 0, 0, 0]))
        GraphicsTest.save(keyed, as: "chroma-key-yellow-\(gamma)")
        var (count, far) = (0, 0)
        for y in 0..<KeyingScene.height {
            for x in 0..<KeyingScene.width {
                let (way, index) = (distance(Double(x), Double(y)), y * KeyingScene.width + x)
                guard (40.0..<48).contains(way) || (240..<246).contains(x),
                    scene.alpha[index] == 1
                else { continue }
                count += 1
                let pixel = SIMD4<Double>(keyed[x, y]) / 255
                let off = SIMD3(pixel.x, pixel.y, pixel.z) - yellow
                if max(abs(off.x), abs(off.y), abs(off.z)) > 0.15 { far += 1 }
            }
        }
        #expect(count > 1000)
        #expect(far * 20 < count, "\(far) of \(count) have changed colour")
    }
}
