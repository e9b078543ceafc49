// SPDX-License-Identifier: Apache-2.0

import GraphicsTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadDisplay
import PlayheadGL
import PlayheadLayers
import PlayheadPlayback
import PlayheadThreads
import PlayheadTime
import Synchronization
import Testing

@testable import PlayheadPresentation

@Suite(
    "Freewheeling", .serialized, .enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"))
struct FreewheelTests {
    /// Counts the drawn frames, on the render thread.
    private final class CountingSurface: PresentationSurface {
        private let surface: OffscreenSurface
        let count = Atomic(0)

        init(width: Int, height: Int) throws {
            surface = try OffscreenSurface(width: width, height: height)
        }

        var context: any GLContext { surface.context }
        func nextTarget() throws(GLError) -> RenderTarget? { try surface.nextTarget() }
        func readPixels() -> RGBAImage? { surface.readPixels() }
        func present() {
            count.add(1, ordering: .relaxed)
            surface.present()
        }
    }

    /// A video on a surface in memory, on a display that advances the clock and never waits: while
    /// the presenter rests, the clock is stopped.
    private final class Stage: Sendable {
        let clock = ManualClock()
        let surface: CountingSurface
        let item: PlayerItem
        let player: Player
        let output: PlayerVideoOutput
        let presenter: Presenter

        init(_ times: SyntheticFrameTimes) throws {
            item = PlayerItem(asset: SyntheticAsset(SyntheticMedia(frameTimes: times, sounds: [])))
            player = Player(playerItem: item, audioSink: nil, masterClock: clock)
            output = PlayerVideoOutput(player: player)
            let display = SimulatedDisplay(schedule: VsyncSchedule(vsyncs: 60), driving: clock)
            surface = try CountingSurface(width: 64, height: 36)
            presenter = try Presenter(surface: surface, vsyncs: display)
            presenter.observe(output)
            presenter.scene = Scene(layers: [Layer(.video(output))])
        }

        func wait(for condition: () -> Bool) -> Bool {
            let deadline = HostClock.nanoseconds + 60_000_000_000
            let pause = Monitor(())
            while !condition() {
                if HostClock.nanoseconds > deadline { return false }
                pause.wait(nanoseconds: 1_000_000) { _ in Never?.none }
            }
            return true
        }

        /// Waits until a number of frames have been shown and the presenter rests.
        func waitForRest(shown count: Int) -> Bool {
            wait { presenter.ledger.presentedCount >= count && presenter.isResting }
        }
    }

    private static let still = SyntheticFrameTimes(
        times: [.zero, MediaTime(value: 5, timescale: 1)], end: MediaTime(value: 10, timescale: 1))

    @Test func `the display link rests half a second after the last new frame`() throws {
        let stage = try Stage(Self.still)
        defer { stage.presenter.invalidate() }
        #expect(!stage.presenter.isResting)
        stage.presenter.isPaused = false
        try #require(stage.waitForRest(shown: 1))
        let shown = try #require(stage.presenter.ledger.latestRecords(1).first)
        let rested = stage.clock.time - shown.slot + MediaTime(value: 1, timescale: 60)
        let nanosecond = MediaTime(value: 2, timescale: 1_000_000_000)
        #expect(rested + nanosecond >= Freewheel.idleDuration)
        #expect(rested <= Freewheel.idleDuration + MediaTime(value: 2, timescale: 60))
        #expect(!stage.presenter.isPaused)
    }

    @Test func `frames of a time without visibility do not count as missed`() throws {
        let stage = try Stage(
            SyntheticFrameTimes(framesPerSecond: 30, duration: MediaTime(value: 60, timescale: 1)))
        defer { stage.presenter.invalidate() }
        stage.presenter.isPaused = false
        stage.player.play()
        try #require(stage.wait { stage.presenter.ledger.presentedCount > 20 })
        stage.presenter.isPaused = true
        // Answered once the last frame has been drawn.
        _ = stage.presenter.rendererState()
        let count = stage.presenter.ledger.presentedCount
        stage.clock.advance(by: MediaTime(value: 4, timescale: 1))
        stage.presenter.isPaused = false
        try #require(stage.wait { stage.presenter.ledger.presentedCount > count })
        let first = stage.presenter.ledger.latestRecords().first { $0.index == Int64(count) }
        #expect(first?.droppedBefore == 0)
    }

    @Test func `a step, a seek, a new scene and lost contents resume drawing`() throws {
        let stage = try Stage(
            SyntheticFrameTimes(framesPerSecond: 30, duration: MediaTime(value: 2, timescale: 1)))
        defer { stage.presenter.invalidate() }
        stage.presenter.isPaused = false
        try #require(stage.waitForRest(shown: 1))
        stage.item.step(byCount: 1)
        try #require(stage.waitForRest(shown: 2))
        stage.item.seek(
            to: MediaTime(value: 1, timescale: 1), toleranceBefore: .zero, toleranceAfter: .zero)
        try #require(stage.waitForRest(shown: 3))
        #expect(
            stage.presenter.ledger.latestRecords(1).first?.itemTime
                == MediaTime(value: 1, timescale: 1))

        // Nothing new to show, but something to draw.
        var before = stage.clock.time
        stage.presenter.setNeedsDisplay()
        try #require(stage.wait { stage.clock.time > before && stage.presenter.isResting })
        before = stage.clock.time
        stage.presenter.updateScene { $0.background = .color([1, 0, 0, 1]) }
        try #require(stage.wait { stage.clock.time > before && stage.presenter.isResting })
        #expect(stage.presenter.ledger.presentedCount == 3)
        let image = try #require(stage.presenter.image())
        #expect(image.width == 64)
        #expect(stage.presenter.isResting)
    }

    @Test func `a surface of another size is drawn twice, resting or not`() throws {
        let stage = try Stage(Self.still)
        defer { stage.presenter.invalidate() }
        stage.presenter.isPaused = false
        try #require(stage.waitForRest(shown: 1))
        for _ in 1...3 {
            let before = (count: stage.surface.count.load(ordering: .relaxed), stage.clock.time)
            stage.presenter.surfaceDidResize()
            // An ordinary frame requested in between does not replace either of the two.
            stage.presenter.setNeedsDisplay()
            try #require(stage.wait { stage.clock.time > before.1 && stage.presenter.isResting })
            #expect(stage.surface.count.load(ordering: .relaxed) >= before.count + 2)
        }
        let before = (count: stage.surface.count.load(ordering: .relaxed), stage.clock.time)
        stage.presenter.setNeedsDisplay()
        try #require(stage.wait { stage.clock.time > before.1 && stage.presenter.isResting })
        #expect(stage.surface.count.load(ordering: .relaxed) == before.count + 1)
    }

    @Test func `playback resumes drawing a tenth of a second before the next frame`() throws {
        let stage = try Stage(Self.still)
        defer { stage.presenter.invalidate() }
        stage.presenter.isPaused = false
        stage.player.play()
        try #require(
            stage.wait {
                stage.player.timeControlStatus == .playing && stage.presenter.isResting
                    && stage.presenter.ledger.presentedCount >= 1
            })
        let due = try #require(stage.item.timebase.hostTime(at: MediaTime(value: 5, timescale: 1)))
        let notice = due - Freewheel.advanceInterval
        #expect(stage.clock.time < notice)
        let step = MediaTime(value: 1, timescale: 1000)
        stage.clock.advance(to: notice - step)
        #expect(stage.presenter.isResting)
        #expect(stage.clock.time == notice - step)
        stage.clock.advance(by: step)
        try #require(stage.waitForRest(shown: 2))
        let record = try #require(stage.presenter.ledger.latestRecords(1).first)
        #expect(record.itemTime == MediaTime(value: 5, timescale: 1))
        // The nearest vsync, or the next best, if the pacer's time is that far from the middle.
        let vsync = MediaTime(value: 1, timescale: 60)
        #expect(record.slot > due - vsync)
        #expect(record.slot < due + vsync)
    }

    @Test func `images taken during playback do not take frames from it`() throws {
        let stage = try Stage(
            SyntheticFrameTimes(framesPerSecond: 25, duration: MediaTime(value: 2, timescale: 1)))
        defer { stage.presenter.invalidate() }
        stage.presenter.isPaused = false
        stage.player.play()
        while !stage.item.hasPlayedToEnd { _ = stage.presenter.image() }
        try #require(stage.wait { stage.presenter.isResting })
        let times = stage.presenter.ledger.latestRecords(100).map(\.itemTime)
        #expect(times.count > 1)
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
    }

    @Test func `resuming playback resumes drawing for the first frame`() throws {
        let stage = try Stage(
            SyntheticFrameTimes(framesPerSecond: 60, duration: MediaTime(value: 1, timescale: 1)))
        defer { stage.presenter.invalidate() }
        stage.presenter.isPaused = false
        try #require(stage.waitForRest(shown: 1))
        stage.player.play()
        // Decoding may fall behind a display that never waits; the last frame still arrives.
        let last = MediaTime(value: 59, timescale: 60)
        #expect(
            stage.wait {
                stage.item.hasPlayedToEnd && stage.presenter.isResting
                    && stage.presenter.ledger.latestRecords(1).last?.itemTime == last
            })
        #expect(stage.presenter.ledger.presentedCount > 1)
    }

    @Test func `a source that cannot notify is asked at every vsync`() throws {
        let stage = try Stage(Self.still)
        defer { stage.presenter.invalidate() }
        let source = SilentSource()
        stage.presenter.scene = Scene(layers: [Layer(.video(source))])
        stage.presenter.isPaused = false
        try #require(stage.wait { source.asked.load(ordering: .relaxed) > 200 })
        #expect(!stage.presenter.isResting)
        stage.presenter.scene = Scene(layers: [Layer(.video(stage.output))])
        try #require(stage.wait { stage.presenter.isResting })
    }

    @Test(arguments: LayerAnimation.CalculationMode.allCases)
    func `an animation that begins later, or has long steps, is drawn before rest`(
        _ mode: LayerAnimation.CalculationMode
    ) throws {
        let stage = try Stage(Self.still)
        defer { stage.presenter.invalidate() }
        let begin = stage.clock.time + MediaTime(value: 2, timescale: 1)
        let duration = MediaTime(value: mode == .discrete ? 6 : 1, timescale: 1)
        var fade = LayerAnimation(
            .opacity([1, 0]), beginTime: begin, duration: duration, fillMode: .forwards)
        fade.calculationMode = mode
        var layer = Layer(.color([1, 0, 0, 1]))
        layer.animations = [fade]
        stage.presenter.scene = Scene(layers: [layer])
        stage.presenter.isPaused = false
        try #require(stage.wait { stage.presenter.isResting })
        // The clock is stopped while it rests. The coming vsync is drawn.
        #expect(stage.clock.time >= begin + duration - MediaTime(value: 2, timescale: 60))
        #expect(stage.clock.time <= begin + duration + MediaTime(value: 1, timescale: 1))
        #expect(stage.presenter.image()?[32, 18] == SIMD4(0, 0, 0, 255))
    }

    @Test func `an animation on the timeline of a paused video lets drawing rest`() throws {
        let stage = try Stage(Self.still)
        defer { stage.presenter.invalidate() }
        stage.presenter.updateScene { scene in
            scene.layers[0].animations = [
                LayerAnimation(
                    .opacity([1, 0]), beginTime: MediaTime(value: 2, timescale: 1),
                    duration: MediaTime(value: 1, timescale: 1), timeline: .item(stage.output))
            ]
        }
        stage.presenter.isPaused = false
        try #require(stage.waitForRest(shown: 1))
        #expect(stage.clock.time < MediaTime(value: 2, timescale: 1))
    }

    @Test func `pausing and resuming do not count as rest`() throws {
        let stage = try Stage(Self.still)
        defer { stage.presenter.invalidate() }
        stage.presenter.isPaused = false
        try #require(stage.waitForRest(shown: 1))
        stage.presenter.isPaused = true
        #expect(stage.presenter.isPaused)
        let before = stage.clock.time
        stage.presenter.setNeedsDisplay()
        _ = stage.presenter.image()
        #expect(stage.clock.time == before)
        stage.presenter.isPaused = false
        try #require(stage.wait { stage.clock.time > before && stage.presenter.isResting })
    }

    @Test func `rest begins half a second after the last change or start of drawing`() {
        var freewheel = Freewheel()
        func rests(at milliseconds: Int64, hasChanged: Bool = false) -> Bool {
            freewheel.rests(
                at: MediaTime(value: milliseconds, timescale: 1000), hasChanged: hasChanged)
        }
        #expect(!rests(at: 10_000))
        #expect(!rests(at: 10_499))
        #expect(!rests(at: 10_499, hasChanged: true))
        #expect(!rests(at: 10_998))
        #expect(rests(at: 10_999))
        freewheel.begin()
        #expect(!rests(at: 20_000))
        #expect(rests(at: 20_500))
    }
}

extension FrameRecord {
    fileprivate var slot: MediaTime { MediaTime(nanoseconds: slotHostTime) }
}

/// A source without frames that cannot notify of the next one.
private final class SilentSource: PixelBufferSource {
    let asked = Atomic<Int>(0)

    func itemTime(forHostTime hostTime: MediaTime) -> MediaTime {
        asked.add(1, ordering: .relaxed)
        return hostTime
    }

    func hasNewPixelBuffer(forItemTime itemTime: MediaTime) -> Bool { false }

    func copyPixelBuffer(
        forItemTime itemTime: MediaTime
    ) -> (PixelBuffer, displayTime: MediaTime)? { nil }
}
