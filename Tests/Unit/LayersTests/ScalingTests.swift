// SPDX-License-Identifier: Apache-2.0

import GraphicsTestSupport
import PlayheadBuffers
import PlayheadGL
import PlayheadLayers
import PlayheadTextures
import PlayheadTime
import Testing

@Suite("Scaling filters", .enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"))
struct ScalingTests {
    private static func draw(
        _ picture: PixelBuffer, width: Int, height: Int, _ filter: ScalingFilter,
        linearLight: Bool = false, change: (inout Layer) -> Void = { _ in }
    ) throws -> RGBAImage {
        var layer = Layer(.image(picture), gravity: .resize)
        layer.magnificationFilter = filter
        layer.minificationFilter = filter
        layer.scalesInLinearLight = linearLight
        change(&layer)
        return try GraphicsTest.withContext { context in
            let target = try GLFramebuffer(width: width, height: height, context: context)
            let renderer = VideoRenderer(context: context, conversion: .gpu)
            let report = renderer.render(
                Scene(layers: [layer]), hostTime: .zero, into: RenderTarget(target))
            #expect(report.problems.isEmpty && GLState.takeError() == nil)
            return target.image()
        }
    }

    private static let weighing: [ScalingFilter] = [.bicubic, .mitchell, .lanczos]

    /// Returns rings that become finer with the distance from the top left corner: x and y in
    /// cycles of 1/256 per sample.
    private static func zonePlate(_ x: Double, _ y: Double) -> Double {
        0.5 + 0.5 * (Double.pi * (x * x + y * y) / 256).cosine
    }

    /// Returns the root mean square difference of a reduced zone plate from grey where it is too
    /// fine for the new size, and from itself where it is coarse.
    private static func errors(_ filter: ScalingFilter) throws -> (fine: Double, coarse: Double) {
        let picture = TestPictures.rgba(width: 256, height: 256) { x, y in
            let value = zonePlate(Double(x) + 0.5, Double(y) + 0.5)
            return SIMD4(SIMD3(repeating: UInt8((value * 255).rounded())), 255)
        }
        let image = try draw(picture, width: 64, height: 64, filter)
        GraphicsTest.save(image, as: "zone-plate-\(filter.rawValue)")
        var (fine, coarse) = (0.0, 0.0)
        var (fineCount, coarseCount) = (0.0, 0.0)
        for y in 0..<64 {
            for x in 0..<64 {
                let (u, v) = ((Double(x) + 0.5) * 4, (Double(y) + 0.5) * 4)
                let value = Double(image[x, y].x) / 255
                // The new size resolves up to 32 of those cycles; the old one up to 128.
                if max(u, v) > 60, max(u, v) < 120 {
                    fine += (value - 0.5) * (value - 0.5)
                    fineCount += 1
                } else if max(u, v) < 10 {
                    let difference = value - zonePlate(u, v)
                    coarse += difference * difference
                    coarseCount += 1
                }
            }
        }
        return ((fine / fineCount).squareRoot(), (coarse / coarseCount).squareRoot())
    }

    @Test(arguments: weighing)
    func `detail too fine for a smaller size becomes grey, without moiré`(filter: ScalingFilter)
        throws
    {
        let errors = try Self.errors(filter)
        #expect(errors.fine < 0.02, "off by \(errors.fine)")
        #expect(errors.coarse < 0.05, "off by \(errors.coarse)")
    }

    @Test func `sampling four of sixteen texels shows moiré, which the filters avoid`() throws {
        #expect(try Self.errors(.linear).fine > 0.1)
    }

    @Test(arguments: weighing)
    func `an image of one colour keeps it at any size`(filter: ScalingFilter) throws {
        let color = SIMD4<UInt8>(200, 100, 3, 255)
        let picture = TestPictures.rgba(width: 20, height: 14) { _, _ in color }
        for (width, height) in [(7, 5), (20, 3), (50, 33), (3, 40)] {
            for linearLight in [false, true] {
                let image = try Self.draw(
                    picture, width: width, height: height, filter, linearLight: linearLight)
                for y in 0..<height {
                    for x in 0..<width {
                        for channel in 0..<4 {
                            #expect(
                                abs(Int(image[x, y][channel]) - Int(color[channel])) <= 1,
                                "\(width) x \(height)")
                        }
                    }
                }
            }
        }
    }

    @Test
    func `black and white average to the middle number, and in linear light to half the light`()
        throws
    {
        let picture = TestPictures.rgba(width: 64, height: 64) { x, y in
            (x + y) % 2 == 0 ? [255, 255, 255, 255] : [0, 0, 0, 255]
        }
        let plain = try Self.draw(picture, width: 16, height: 16, .mitchell)
        #expect(abs(Int(plain[8, 8].x) - 128) <= 2)
        let light = try Self.draw(picture, width: 16, height: 16, .mitchell, linearLight: true)
        // 0.5 ^ (1 / 2.4) of 255.
        #expect(abs(Int(light[8, 8].x) - 191) <= 2)
    }

    @Test(arguments: [ScalingFilter.bicubic, .mitchell])
    func `a ramp stays a ramp when it is enlarged`(filter: ScalingFilter) throws {
        let picture = TestPictures.rgba(width: 32, height: 8) { x, _ in
            SIMD4(SIMD3(repeating: UInt8(x * 8)), 255)
        }
        let image = try Self.draw(picture, width: 96, height: 24, filter)
        for x in 12..<84 {
            let expected = ((Double(x) + 0.5) / 3 - 0.5) * 8
            #expect(abs(Double(image[x, 12].x) - expected) < 1.1, "column \(x)")
        }
    }

    @Test(arguments: weighing)
    func `rotated, clipped or letterboxed layers are where plain filters draw them`(
        filter: ScalingFilter
    ) throws {
        for turns in 0..<4 {
            for isMirrored in [false, true] {
                let picture = TestPictures.rgba(
                    width: 40, height: 24,
                    attachments: PixelBufferAttachments(
                        orientation: PictureOrientation(
                            quarterTurns: turns, isMirrored: isMirrored))
                ) { x, y in [UInt8(x * 6), UInt8(y * 10), 128, 255] }
                func change(_ layer: inout Layer) {
                    layer.gravity = .resizeAspect
                    layer.contentsRect = LayerRect(x: 0.25, y: 0.1, width: 0.5, height: 0.7)
                }
                let plain = try Self.draw(picture, width: 61, height: 47, .linear, change: change)
                let other = try Self.draw(picture, width: 61, height: 47, filter, change: change)
                var worst = 0
                for (left, right) in zip(plain.bytes, other.bytes) {
                    worst = max(worst, abs(Int(left) - Int(right)))
                }
                #expect(worst <= 6, "\(turns) turns: off by \(worst)")
            }
        }
    }

    @Test(arguments: weighing)
    func `transparent colours do not bleed into opaque ones`(filter: ScalingFilter) throws {
        // Opaque white beside transparent green.
        let picture = TestPictures.rgba(width: 32, height: 32) { x, _ in
            x < 16 ? [255, 255, 255, 255] : [0, 255, 0, 0]
        }
        let image = try Self.draw(picture, width: 13, height: 13, filter)
        for x in 0..<13 {
            let pixel = image[x, 6]
            #expect(abs(Int(pixel.x) - Int(pixel.y)) <= 1, "column \(x): \(pixel)")
        }
    }
}
