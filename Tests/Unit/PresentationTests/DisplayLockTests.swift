// SPDX-License-Identifier: Apache-2.0

import GraphicsTestSupport
import PlayheadAssets
import PlayheadDisplay
import PlayheadGL
import PlayheadLayers
import PlayheadPlayback
import PlayheadPresentation
import PlayheadThreads
import PlayheadTime
import Testing

@Suite(
    "Display lock", .serialized,
    .enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"))
struct DisplayLockTests {
    /// Plays 20 seconds; returns the number of vsyncs for which each frame was shown, except the
    /// first and the last few, by the counts of their vsyncs.
    private static func steps(locks: Bool) throws -> (steps: [Int64], rate: Double) {
        // Slips every fourth second on 60 Hz.
        let times = SyntheticFrameTimes(
            framesPerSecond: 59, duration: MediaTime(value: 20, timescale: 1))
        let item = PlayerItem(
            asset: SyntheticAsset(SyntheticMedia(frameTimes: times, sounds: [])))
        let output = PlayerItemVideoOutput()
        item.add(output)
        let clock = ManualClock()
        let player = Player(playerItem: item, audioSink: nil, masterClock: clock)
        // A frame and slightly longer: 0.42 % off.
        let period = MediaTime(value: 1_000_000_000 / 59 * 10042 / 10000, timescale: 1_000_000_000)
        let ledger = FrameLedger(capacity: 2000)
        let surface = try OffscreenSurface(width: 32, height: 18)
        try surface.context.makeCurrent()
        defer { surface.context.clearCurrent() }
        let presenter = FramePresenter(surface: surface, ledger: ledger)
        presenter.locksToDisplay = locks
        let scene = Scene(layers: [Layer(.video(output))])
        let pause = Monitor(())
        let deadline = HostClock.nanoseconds + 300_000_000_000
        var rate = 1.0
        var sequence: Int64 = 0
        func tick() throws {
            let now = clock.time
            _ = try presenter.present(
                scene, of: item, through: output,
                at: DisplayTick(
                    timestamp: now, targetTimestamp: now + period, duration: period,
                    sequence: sequence, source: .simulated))
            sequence += 1
            clock.advance(by: period)
        }
        while item.status != .readyToPlay, HostClock.nanoseconds < deadline {
            pause.wait(nanoseconds: 1_000_000) { _ in Never?.none }
        }
        player.play()
        while player.timeControlStatus != .playing, HostClock.nanoseconds < deadline {
            pause.wait(nanoseconds: 1_000_000) { _ in Never?.none }
        }
        while !item.hasPlayedToEnd, HostClock.nanoseconds < deadline {
            // Waits for the frame that is due, while the clock is stopped.
            while output.isAwaitingPixelBuffer(
                forItemTime: item.timebase.time + MediaTime(value: 1, timescale: 30)),
                !item.hasPlayedToEnd, HostClock.nanoseconds < deadline
            {
                pause.wait(nanoseconds: 1_000_000) { _ in Never?.none }
            }
            try tick()
            if item.timebase.rate != 0 { rate = item.timebase.rate }
        }
        let records = ledger.latestRecords()
        let steps = zip(records, records.dropFirst()).map { $1.sequence - $0.sequence }
        return (Array(steps.dropFirst(90).dropLast(3)), rate)
    }

    @Test func `locked to the display, every frame is shown for one vsync`() throws {
        let (steps, rate) = try Self.steps(locks: true)
        #expect(steps.count > 1000)
        #expect(steps.allSatisfy { $0 == 1 })
        #expect(abs(rate - 1 / 1.0042) < 2e-4, "\(rate)")
    }
}
