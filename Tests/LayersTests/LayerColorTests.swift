// SPDX-License-Identifier: Apache-2.0

import GraphicsTestSupport
import PlayheadBuffers
import PlayheadGL
import PlayheadHeadless
import PlayheadLayers
import PlayheadTextures
import PlayheadTime
import Testing

/// That layers drawn the general way come out as those drawn as one quad do.
@Suite(
    "Colour and filters of layers in trees",
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

    @Test("masked, grouped and cut, a film has the colours of the target's space")
    func spaces() throws {
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

    @Test("a masked layer is filtered as one without a mask is")
    func filters() throws {
        // Of a size at which no pixel lies between two samples, where `nearest` may take either.
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
