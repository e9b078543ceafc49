// SPDX-License-Identifier: Apache-2.0

import GraphicsTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadDisplay
import PlayheadGL
import PlayheadLayers
import PlayheadPlayback
import PlayheadPresentation
import PlayheadThreads
import PlayheadTime
import Synchronization
import Testing

@Suite(
    "Presentation after a context loss", .serialized,
    .enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"))
struct ContextLossTests {
    /// A surface that fails to recreate its context for a while, or leaves that to its owner.
    private final class FailingSurface: PresentationSurface {
        let surface: OffscreenSurface
        let failures: Mutex<Int>
        let isOwners: Bool
        /// Called within `remakeContext`.
        let remakeHandler = Mutex<(@Sendable () -> Void)?>(nil)

        init(failures: Int = 0, isOwners: Bool = false) throws {
            surface = try OffscreenSurface(width: 64, height: 36)
            self.failures = Mutex(failures)
            self.isOwners = isOwners
        }

        var context: any GLContext { surface.context }
        func nextTarget() throws(GLError) -> RenderTarget? { try surface.nextTarget() }
        func present() { surface.present() }
        func readPixels() -> RGBAImage? { surface.readPixels() }
        func remakeContext() throws(GLError) -> Bool {
            remakeHandler.withLock { $0 }?()
            if isOwners { return false }
            let fails = failures.withLock { failures in
                failures -= 1
                return failures >= 0
            }
            if fails { throw .unavailable(reason: "the driver is not back yet") }
            return try surface.remakeContext()
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

    private static func presenter(
        _ surface: any PresentationSurface, _ clock: ManualClock
    ) throws -> (Presenter, PlayerItem, Player) {
        let times = SyntheticFrameTimes(
            framesPerSecond: 30, duration: MediaTime(value: 4, timescale: 1))
        let item = PlayerItem(asset: SyntheticAsset(SyntheticMedia(frameTimes: times, sounds: [])))
        let player = Player(playerItem: item, audioSink: nil, masterClock: clock)
        let output = PlayerVideoOutput(player: player)
        let presenter = try Presenter(
            surface: surface,
            vsyncs: SimulatedDisplay(schedule: VsyncSchedule(vsyncs: 60), driving: clock))
        presenter.observe(output)
        presenter.scene = Scene(layers: [Layer(.video(output))])
        return (presenter, item, player)
    }

    @Test(arguments: [0, 2])
    func `playback continues in a new context after every loss`(failures: Int) throws {
        let surface = try FailingSurface(failures: failures)
        let (presenter, item, player) = try Self.presenter(surface, ManualClock())
        defer { presenter.invalidate() }
        presenter.isPaused = false
        try #require(Self.wait { presenter.ledger.presentedCount >= 1 && presenter.isResting })
        let first = try #require(presenter.image())
        player.play()
        for count in 1...3 {
            let shown = presenter.ledger.presentedCount
            surface.context.loss.simulate()
            try #require(Self.wait { presenter.contextLossCount == count || item.hasPlayedToEnd })
            try #require(
                Self.wait { presenter.ledger.presentedCount > shown + 5 || item.hasPlayedToEnd })
        }
        let end = MediaTime(value: 119, timescale: 30)
        try #require(
            Self.wait {
                presenter.ledger.latestRecords(1).first?.itemTime == end && presenter.isResting
            })
        let last = try #require(presenter.image())
        #expect(last != first)
        // Frames decoded before a loss count once.
        #expect(presenter.ledger.statistics.decoded <= item.frameCounts.decoded)
        // At rest, a requested image is drawn in the new context.
        surface.context.loss.simulate()
        #expect(presenter.image() == last)
        let reported = presenter.takeProblems()
        #expect(reported.count == (failures == 0 ? 0 : 1), "\(reported)")
    }

    @Test func `an image requested before a new context has drawn shows the last scene`() throws {
        let surface = try FailingSurface()
        let (presenter, _, player) = try Self.presenter(surface, ManualClock())
        defer {
            surface.remakeHandler.withLock { $0 = nil }
            presenter.invalidate()
            withExtendedLifetime(player) {}
        }
        presenter.isPaused = false
        try #require(Self.wait { presenter.ledger.presentedCount >= 1 && presenter.isResting })
        let first = try #require(presenter.image())
        // The context is lost within the last tick.
        surface.remakeHandler.withLock { $0 = { presenter.isPaused = true } }
        surface.context.loss.simulate()
        presenter.setNeedsDisplay()
        try #require(Self.wait { presenter.isPaused })
        #expect(presenter.image() == first)
        #expect(presenter.contextLossCount == 1)
    }

    @Test func `if the surface's owner must make the context, it is notified once`() throws {
        let surface = try FailingSurface(isOwners: true)
        let (presenter, _, _) = try Self.presenter(surface, ManualClock())
        defer { presenter.invalidate() }
        let reported = Monitor(0)
        presenter.onContextLoss { reported.change { $0 += 1 } }
        surface.context.loss.simulate()
        presenter.isPaused = false
        try #require(Self.wait { reported.withLock { $0 } == 1 })
        #expect(presenter.contextLossCount == 1)
        presenter.setNeedsDisplay()
        #expect(presenter.image() == nil)
        #expect(reported.withLock { $0 } == 1)
    }
}
