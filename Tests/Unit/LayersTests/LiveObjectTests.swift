// SPDX-License-Identifier: Apache-2.0

import GraphicsTestSupport
import PlayheadBuffers
import PlayheadGL
import PlayheadLayers
import PlayheadTextures
import PlayheadTime
import Testing

@Suite("Live objects", .enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"))
struct LiveObjectTests {
    private static func counts(_ context: HeadlessContext) -> [Int] {
        GLDeletionQueue.Kind.allCases.map { context.deletionQueue.liveCount($0) }
    }

    @Test func `repeated drawing creates no objects, and a released renderer leaves none`()
        throws
    {
        try GraphicsTest.withContext { context in
            #expect(Self.counts(context).allSatisfy { $0 == 0 })
            var settled: [Int] = []
            try autoreleasing {
                let target = try GLFramebuffer(width: 32, height: 32, context: context)
                let renderer = VideoRenderer(context: context)
                let source = StillSource()
                var layer = Layer(.video(source))
                layer.minificationFilter = .lanczos
                for frame in 0..<40 {
                    source.show(
                        TestPictures.yuv420p(width: 64, height: 64) { _, _ in
                            SIMD3(repeating: Double(frame) / 40)
                        })
                    let scene = Scene(background: .checkerboard(), layers: [layer])
                    let report = renderer.render(
                        scene, hostTime: .zero, into: RenderTarget(target))
                    #expect(report.problems.isEmpty)
                    if frame == 9 { settled = Self.counts(context) }
                }
                #expect(Self.counts(context) == settled)
                #expect(settled.reduce(0, +) > 5)
            }
            context.deletionQueue.drain()
            #expect(Self.counts(context).allSatisfy { $0 == 0 }, "\(Self.counts(context))")
        }
    }

    private func autoreleasing(_ body: () throws -> Void) rethrows { try body() }
}
