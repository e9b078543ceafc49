// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport
import Playhead
import Testing

// The code of the articles in Sources/Playhead/Playhead.docc, sorted by their names; a test
// compares the two.

private struct Articles {
    // document begins
    func play(_ path: String) async throws -> Player {
        let player = Player(asset: URLAsset(path))
        player.play()
        if let item = player.currentItem {
            try await item.waitUntilReady()
            print("\(item.duration.seconds) s, \(item.tracks.count) tracks")
        }
        return player
    }
    // document ends

    // document begins
    func scene(of output: PlayerItemVideoOutput, grade: EffectInstance) -> Scene {
        let whole = Layer(.video(output), gravity: .resizeAspect, effects: [grade])
        var loupe = Layer(
            .video(output), frame: .fraction(LayerRect(x: 0.7, y: 0.05, width: 0.25, height: 0.25)),
            contentsRect: LayerRect(x: 0.4, y: 0.4, width: 0.1, height: 0.1))
        loupe.cornerRadius = 12
        return Scene(layers: [whole, loupe])
    }
    // document ends

    // document begins
    func frame(of output: PlayerItemVideoOutput, at tick: DisplayTick) -> PixelBuffer? {
        let time = output.itemTime(forHostTime: tick.targetTimestamp)
        guard output.hasNewPixelBuffer(forItemTime: time) else { return nil }
        return output.copyPixelBuffer(forItemTime: time)?.0
    }
    // document ends

    // document begins
    /// The objects that draw. Only the link's thread uses them, hence unchecked.
    final class Drawer: @unchecked Sendable {
        let scene: Scene
        var (own, context): (HeadlessContext?, GLHostContext?)
        var (framebuffer, renderer): (GLFramebuffer?, VideoRenderer?)

        init(_ scene: Scene) { self.scene = scene }

        func setUp() throws {
            own = try HeadlessContext()  // stands for your context: make it current here
            let context = try GLHostContext()
            framebuffer = try GLFramebuffer(width: 1280, height: 720, context: context)
            renderer = VideoRenderer(context: context)
            self.context = context
        }

        func draw(_ tick: DisplayTick) {
            guard let renderer, let framebuffer else { return }
            _ = renderer.render(
                scene, hostTime: tick.targetTimestamp, into: RenderTarget(framebuffer))
        }

        func tearDown() {
            (framebuffer, renderer) = (nil, nil)
            context?.deleteDropped()
            (context, own) = (nil, nil)
        }
    }

    func start(_ drawer: Drawer, at source: any VsyncSource) throws -> DisplayLink {
        let link = DisplayLink(source: source) { tick in drawer.draw(tick) }
        try link.performAndWait { try drawer.setUp() }
        link.isPaused = false
        return link
    }

    func end(_ link: DisplayLink, of drawer: Drawer) {
        link.performAndWait { drawer.tearDown() }
        link.invalidate()
    }
    // document ends

    // document begins
    func showFrame(_ number: Int64, of item: PlayerItem) async -> Bool {
        let time = MediaTime(value: number, timescale: 25)
        return await item.seek(to: time, toleranceBefore: .zero, toleranceAfter: .zero)
    }
    // document ends

    // document begins
    func goLive(_ item: PlayerItem) {
        item.seek(to: .positiveInfinity, completion: nil)
    }
    // document ends
}

/// The code of the articles, run.
@Suite @MainActor struct ArticlesTests {
    private func center(of drawer: Articles.Drawer, on link: DisplayLink) -> SIMD4<UInt8>? {
        link.performAndWait { drawer.framebuffer?.image()[640, 360] } ?? nil
    }

    @Test func `a link draws with objects that live on its thread, and releases them there`()
        async throws
    {
        let drawer = Articles.Drawer(Scene(layers: [Layer(.color([0, 1, 0, 1]))]))
        let display = SimulatedDisplay(schedule: VsyncSchedule(vsyncs: 60))
        let link = try Articles().start(drawer, at: display)
        let green = SIMD4<UInt8>(0, 255, 0, 255)
        let isDrawn = await eventually { center(of: drawer, on: link) == green }
        #expect(isDrawn)
        Articles().end(link, of: drawer)
        #expect(drawer.renderer == nil && drawer.context == nil && drawer.own == nil)
    }
}
