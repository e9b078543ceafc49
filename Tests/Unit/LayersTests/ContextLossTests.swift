// SPDX-License-Identifier: Apache-2.0

import GraphicsTestSupport
import PlayheadBuffers
import PlayheadEffects
import PlayheadGL
import PlayheadLayers
import PlayheadTextures
import PlayheadThreads
import PlayheadTime
import Synchronization
import Testing

/// A context that is lost at every point of a frame: from there on OpenGL calls have no effect, and
/// their results are empty.
@Suite("Context loss", .enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"))
struct ContextLossTests {
    private typealias S = LayerScene

    /// Returns a video with effects, masked, in a group that blends, filtered, and stills: nearly
    /// everything that creates objects.
    private static func scene(_ source: StillSource) throws -> Scene {
        var film = Layer(
            .video(source), frame: .pixels(S.rect(2, 3, 20, 15)),
            effects: [EffectInstance(try EffectLibrary.effect(named: "chroma_key"))])
        film.cornerRadius = 4
        var sharp = Layer(.video(source), frame: .pixels(S.rect(24, 2, 30, 20)))
        sharp.minificationFilter = .lanczos
        sharp.magnificationFilter = .lanczos
        var group = Layer(sublayers: [S.color(1, 0, 0, 0.5, at: S.rect(5, 5, 40, 9))])
        group.opacity = 0.5
        group.blendMode = .difference
        group.mask = .layer(S.color(1, 1, 1, 1, at: S.rect(0, 0, 30, 30)))
        return Scene(background: .checkerboard(), layers: [film, sharp, group])
    }

    private static func frame(_ number: Int) -> PixelBuffer {
        TestPictures.yuv420p(width: 32, height: 24) { x, y in
            [Double(x) / 32, Double(y) / 24, Double(number) / 4]
        }
    }

    /// A source during whose request the context is lost.
    private final class TrapSource: PixelBufferSource {
        let source: StillSource
        let trap = LockedHandler<Void>()

        init(_ source: StillSource) { self.source = source }
        func itemTime(forHostTime hostTime: MediaTime) -> MediaTime { hostTime }
        func hasNewPixelBuffer(forItemTime itemTime: MediaTime) -> Bool { true }
        func copyPixelBuffer(
            forItemTime itemTime: MediaTime
        ) -> (PixelBuffer, displayTime: MediaTime)? {
            trap()
            return source.copyPixelBuffer(forItemTime: itemTime)
        }
    }

    private static func lose(_ context: HeadlessContext) {
        context.loss.simulate()
        context.clearCurrent()
    }

    @Test func `a loss at any point of a frame is reported, and the next frame is complete`() throws
    {
        try GraphicsTest.withContext { context in
            let source = StillSource(Self.frame(1))
            let scene = try Self.scene(source)
            func draw(_ renderer: VideoRenderer) throws -> (RenderReport, GLFramebuffer) {
                let target = try GLFramebuffer(width: 64, height: 32, context: context)
                let report = renderer.render(scene, hostTime: .zero, into: RenderTarget(target))
                return (report, target)
            }
            // libepoxy looks a function up at its first call, and cannot do so without a context:
            // the functions that report shader errors are called here.
            for (vertex, fragment) in [
                ("", "wrong"), ("void main() {}", "out vec4 o; void main() {}"),
            ] {
                _ = try? GLProgram(
                    vertex: "#version 330\n" + vertex, fragment: "#version 330\n" + fragment,
                    fragmentOutput: "o", label: "wrong", context: context)
            }
            // The image, and the number of objects that it requires.
            let made = Counter()
            context.deletionQueue.onMake { made.add() }
            let (report, target) = try draw(VideoRenderer(context: context))
            context.deletionQueue.onMake(nil)
            #expect(report.problems.isEmpty)
            let expected = target.image()
            #expect(made.count > 20)

            for object in 1...made.count {
                let count = Counter()
                context.deletionQueue.onMake { [unowned context] in
                    if count.add() == object { Self.lose(context) }
                }
                if let (report, _) = try? draw(VideoRenderer(context: context)) {
                    #expect(report.isContextLost, "object \(object)")
                    #expect(report.problems.isEmpty && !report.wasDrawn)
                }
                #expect(context.loss.isLost)
                try context.remake()
                let (again, target) = try draw(VideoRenderer(context: context))
                #expect(again.problems.isEmpty && !again.isContextLost)
                #expect(target.image() == expected, "object \(object)")
            }
        }
    }

    @Test(arguments: [true, false])
    func `a loss during a request to a source, or between frames, is reported`(whileAsked: Bool)
        throws
    {
        try GraphicsTest.withContext { context in
            let still = StillSource(Self.frame(0))
            let source = TrapSource(still)
            let scene = Scene(layers: [Layer(.video(source), gravity: .resize)])
            var target = try GLFramebuffer(width: 32, height: 24, context: context)
            var renderer = VideoRenderer(context: context, conversion: .gpu)
            func render() -> RenderReport {
                renderer.render(scene, hostTime: .zero, into: RenderTarget(target))
            }
            #expect(render().wasDrawn)
            still.show(Self.frame(2))
            if whileAsked {
                source.trap.set { [unowned context] _ in Self.lose(context) }
            } else {
                context.loss.simulate()
            }
            let report = render()
            #expect(report.isContextLost && !report.wasDrawn && report.problems.isEmpty)
            #expect(render().isContextLost)
            source.trap.set(nil)
            try context.remake()
            target = try GLFramebuffer(width: 32, height: 24, context: context)
            renderer = VideoRenderer(context: context, conversion: .gpu)
            // The frame that the source has already returned is requested again.
            #expect(render().wasDrawn)
            let pixel = target.image()[16, 12]
            #expect(abs(Int(pixel.z) - 128) < 4, "\(pixel)")
        }
    }

    private final class Counter: Sendable {
        private let value = Atomic(0)
        var count: Int { value.load(ordering: .relaxed) }
        @discardableResult func add() -> Int { value.add(1, ordering: .relaxed).newValue }
    }
}
