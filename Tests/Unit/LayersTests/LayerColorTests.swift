// SPDX-License-Identifier: Apache-2.0

import GraphicsTestSupport
import PlayheadBuffers
import PlayheadEffects
import PlayheadGL
import PlayheadLayers
import PlayheadTextures
import PlayheadTime
import Testing

/// Layers drawn the general way equal those drawn as one quad.
@Suite(
    "Colours and filters in layer trees",
    .enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"))
struct LayerColorTests {
    private typealias S = LayerScene

    private static func values(
        _ scene: Scene, format: GLTextureFormat, in space: ColorSpace
    ) throws -> [SIMD4<Float>] {
        try GraphicsTest.withSharedContext { context in
            let renderer = VideoRenderer(context: context, conversion: .gpu)
            let framebuffer = try GLFramebuffer(
                format: format, width: 24, height: 18, context: context)
            let report = renderer.render(
                scene, hostTime: .zero, into: RenderTarget(framebuffer, colorSpace: space))
            #expect(report.problems.isEmpty && GLState.takeError() == nil)
            return framebuffer.values()
        }
    }

    private static func worst(_ one: [SIMD4<Float>], _ other: [SIMD4<Float>]) -> Float {
        zip(one, other).map { max(($0 - $1).max(), ($1 - $0).max()) }.max() ?? 1
    }

    private static let picture = TestPictures.yuv420p(width: 16, height: 12) { x, y in
        [Double(x) / 15, Double(y) / 11, 0.3]
    }

    @Test func `a masked, grouped or clipped video has the target's colours`() throws {
        let spaces: [(ColorSpace, GLTextureFormat)] = [
            (.bt709, .rgba8), (.pq, .rgba16Float), (.linear, .rgba16Float),
        ]
        for (space, format) in spaces {
            for layer in [Layer(.image(Self.picture)), S.color(0.8, 0.4, 0.1)] {
                let plain = try Self.values(Scene(layers: [layer]), format: format, in: space)
                var masked = layer
                masked.mask = .roundedRectangle(.unit, cornerRadius: 0)
                var group = Layer(sublayers: [layer])
                group.masksToBounds = true
                var within = Layer(sublayers: [layer])
                within.mask = .layer(S.color(1, 1, 1))
                for other in [masked, group, within] {
                    let values = try Self.values(
                        Scene(layers: [other]), format: format, in: space)
                    #expect(Self.worst(plain, values) < 0.012, "\(space)")
                }
            }
        }
    }

    @Test func `ten bits are dithered to eight behind effects, masks and groups, too`() throws {
        // Eight blocks of greys a quarter of a level of 8 bits apart.
        let buffer = PixelBuffer(format: .yuv420p10, width: 64, height: 8) { plane, bytes, stride in
            let (width, height) = plane == 0 ? (64, 8) : (32, 4)
            for y in 0..<height {
                for x in 0..<width {
                    bytes.storeBytes(
                        of: plane == 0 ? UInt16(400 + x / 8) : 512,
                        toByteOffset: y * stride + x * 2, as: UInt16.self)
                }
            }
        }
        let plain = Layer(.image(buffer), gravity: .resize)
        var filtered = plain
        filtered.effects = [
            EffectInstance(
                try ISFImporter.effect(
                    text: """
                        /*{ "INPUTS": [ { "NAME": "inputImage", "TYPE": "image" } ] }*/
                        void main() { gl_FragColor = IMG_THIS_PIXEL(inputImage); }
                        """, path: "same.fs"))
        ]
        var masked = plain
        masked.mask = .roundedRectangle(.unit, cornerRadius: 0)
        var group = Layer(sublayers: [plain])
        group.masksToBounds = true
        for (name, layer) in [
            ("plain", plain), ("filtered", filtered), ("masked", masked), ("grouped", group),
        ] {
            let image = try S.draw(Scene(layers: [layer]), width: 64, height: 8)
            let means = (0..<8).map { block in
                var sum = 0
                for pixel in 0..<64 {
                    let place = pixel / 8 * 64 + block * 8 + pixel % 8
                    sum += Int(image.bytes[place * 4 + 1])
                }
                return Double(sum) / 64
            }
            // Limited range: 876 levels of 10 bits to 255.
            for (mean, next) in zip(means, means.dropFirst()) {
                let step = next - mean
                #expect(abs(step - 255.0 / 876) < 0.13, "\(name): \(means)")
            }
        }
    }

    @Test func `a masked layer is filtered like one without a mask`() throws {
        // At this size no pixel lies between two samples, where `nearest` may take either.
        let picture = TestPictures.yuv420p(width: 15, height: 11) { x, y in
            [Double(x) / 15, Double(y) / 11, 0.3]
        }
        for filter in ScalingFilter.allCases {
            var layer = Layer(.image(picture), gravity: .resize)
            layer.magnificationFilter = filter
            layer.minificationFilter = filter
            let plain = try Self.values(Scene(layers: [layer]), format: .rgba8, in: .bt709)
            layer.mask = .roundedRectangle(.unit, cornerRadius: 0)
            let masked = try Self.values(Scene(layers: [layer]), format: .rgba8, in: .bt709)
            #expect(Self.worst(plain, masked) < 0.012, "\(filter)")
        }
    }
}
