// SPDX-License-Identifier: Apache-2.0

import GraphicsTestSupport
import PlayheadBuffers
import PlayheadDisplay
import PlayheadGL
import PlayheadLayers
import PlayheadPresentation
import PlayheadThreads
import PlayheadTime
import Testing

/// Each presenter draws on a render thread of its own: the wait of one does not affect others.
@Suite(
    "Blocking swaps", .serialized,
    .enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"))
struct BlockedSurfaceTests {
    /// A surface whose swap returns when a test allows it.
    private final class BlockedSurface: PresentationSurface {
        let surface: OffscreenSurface
        let gate = Monitor((isOpen: true, isWaiting: false, count: 0))

        init() throws { surface = try OffscreenSurface(width: 16, height: 9) }

        var context: any GLContext { surface.context }
        func nextTarget() throws(GLError) -> RenderTarget? { try surface.nextTarget() }
        func readPixels() -> RGBAImage? { surface.readPixels() }
        func present() {
            gate.change { $0.isWaiting = true }
            gate.wait { $0.isOpen ? () : nil }
            gate.change { ($0.isWaiting, $0.count) = (false, $0.count + 1) }
            surface.present()
        }
    }

    private static func wait(for condition: () -> Bool) -> Bool {
        let deadline = HostClock.nanoseconds + 60_000_000_000
        let pause = Monitor(())
        while !condition() {
            if HostClock.nanoseconds > deadline { return false }
            pause.wait(nanoseconds: 1_000_000) { _ in Never?.none }
        }
        return true
    }

    @Test func `a blocked surface stalls neither other windows nor callers of its presenter`()
        throws
    {
        let surfaces = [try BlockedSurface(), try BlockedSurface()]
        let presenters = try surfaces.map {
            try Presenter(
                surface: $0, vsyncs: SimulatedDisplay(schedule: VsyncSchedule(vsyncs: 120)))
        }
        func scene(_ number: Int) -> Scene {
            Scene(layers: [Layer(.color([Float(number % 7) / 7, 0, 0, 1]))])
        }
        surfaces[0].gate.change { $0.isOpen = false }
        for presenter in presenters {
            presenter.scene = scene(1)
            presenter.isPaused = false
        }
        try #require(Self.wait { surfaces[0].gate.withLock { $0.isWaiting } })
        // The first hangs in its swap: the second continues, and the first accepts requests.
        for number in 2..<12 {
            let before = surfaces[1].gate.withLock { $0.count }
            for presenter in presenters { presenter.scene = scene(number) }
            try #require(Self.wait { surfaces[1].gate.withLock { $0.count } > before })
        }
        #expect(presenters[0].takeProblems().isEmpty)
        #expect(!presenters[0].isPaused)
        #expect(surfaces[0].gate.withLock { $0.isWaiting && $0.count == 0 })
        // When it returns, it shows the scene that was requested last.
        surfaces[0].gate.change { $0.isOpen = true }
        try #require(Self.wait { surfaces[0].gate.withLock { $0.count } >= 2 })
        #expect(
            Self.wait {
                let images = presenters.map { $0.image() }
                return images[0] != nil && images[0] == images[1]
            })
        for presenter in presenters { presenter.invalidate() }
    }

    private static func paused() throws -> (surface: BlockedSurface, presenter: Presenter) {
        let surface = try BlockedSurface()
        let display = SimulatedDisplay(schedule: VsyncSchedule(vsyncs: 120))
        return (surface, try Presenter(surface: surface, vsyncs: display))
    }

    private static func picture(_ value: UInt8) -> PixelBuffer {
        TestPictures.rgba(width: 16, height: 9) { _, _ in [value, value, value, 255] }
    }

    @Test func `nothing is drawn while paused, and the right frame on resuming`() throws {
        let (surface, presenter) = try Self.paused()
        defer { presenter.invalidate() }
        let source = StillSource()
        source.show(Self.picture(10))
        presenter.scene = Scene(layers: [Layer(.video(source))])
        presenter.isPaused = false
        try #require(Self.wait { surface.gate.withLock { $0.count } >= 1 })
        presenter.isPaused = true
        // The frame in progress may still be shown, but no later one.
        _ = presenter.image()
        let count = surface.gate.withLock { $0.count }
        let taken = source.takenCount
        for value in 20..<40 { source.show(Self.picture(UInt8(value))) }
        // Neither drawn nor uploaded, because no layer requests them.
        let uploads = presenter.rendererState()?.uploadCount
        #expect(surface.gate.withLock { $0.count } == count)
        #expect(source.takenCount == taken)
        #expect(presenter.rendererState()?.uploadCount == uploads)
        presenter.isPaused = false
        try #require(Self.wait { surface.gate.withLock { $0.count } > count })
        #expect(presenter.image()?[3, 3] == SIMD4(39, 39, 39, 255))
    }

    @Test func `a frame that a screenshot took first is shown on the surface too`() throws {
        let (surface, presenter) = try Self.paused()
        defer { presenter.invalidate() }
        let source = StillSource()
        let scene = Scene(layers: [Layer(.video(source))])
        presenter.scene = scene
        let screenshots: [(UInt8, () -> RGBAImage?)] = [
            (10, { presenter.image() }),
            (20, { presenter.image(of: scene, width: 16, height: 9) }),
        ]
        for (value, screenshot) in screenshots {
            let before = surface.gate.withLock { $0.count }
            source.show(Self.picture(value))
            presenter.setNeedsDisplay()
            presenter.isPaused = false
            try #require(Self.wait { surface.gate.withLock { $0.count } > before })
            presenter.isPaused = true
            // The frame in progress is finished once the render thread answers.
            _ = presenter.rendererState()
            let count = surface.gate.withLock { $0.count }
            source.show(Self.picture(value + 1))
            #expect(screenshot()?[3, 3] == SIMD4(value + 1, value + 1, value + 1, 255))
            #expect(surface.gate.withLock { $0.count } == count)
            presenter.isPaused = false
            try #require(Self.wait { surface.gate.withLock { $0.count } > count })
        }
    }
}
