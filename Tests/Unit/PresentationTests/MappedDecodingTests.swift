// SPDX-License-Identifier: Apache-2.0

import GraphicsTestSupport
import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadDisplay
import PlayheadGL
import PlayheadLayers
import PlayheadPlayback
import PlayheadTextures
import PlayheadThreads
import PlayheadTime
import Testing

@testable import PlayheadPresentation

@Suite(
    "Decoding into mapped memory", .serialized,
    .enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"))
struct MappedDecodingTests {
    private static func wait(for condition: () -> Bool) -> Bool {
        let deadline = HostClock.nanoseconds + 60_000_000_000
        let pause = Monitor(())
        while !condition() {
            if HostClock.nanoseconds > deadline { return false }
            pause.wait(nanoseconds: 1_000_000) { _ in Never?.none }
        }
        return true
    }

    /// Plays a video on a surface in memory to its end.
    private static func play(
        _ upload: PictureUpload, losing: Bool = false
    ) throws -> (image: RGBAImage, state: RendererState, records: [FrameRecord]) {
        let times = SyntheticFrameTimes(
            framesPerSecond: 30, duration: MediaTime(value: 2, timescale: 1))
        var media = SyntheticMedia(frameTimes: times, sounds: [])
        // Frames for the memory of another context are not read before that exists.
        let gate = SourceGate(packets: losing ? 30 : .max)
        media.faults.willReadPacket = { number in gate.pass(number) }
        let item = PlayerItem(asset: SyntheticAsset(media))
        let clock = ManualClock()
        let player = Player(playerItem: item, audioSink: nil, masterClock: clock)
        let output = PlayerVideoOutput(player: player)
        let surface = try OffscreenSurface(width: 320, height: 180)
        let presenter = try Presenter(
            surface: surface,
            vsyncs: SimulatedDisplay(schedule: VsyncSchedule(vsyncs: 60), driving: clock),
            upload: upload)
        presenter.setMeasuresGPU(true)
        presenter.observe(output)
        presenter.scene = Scene(layers: [Layer(.video(output))])
        presenter.isPaused = false
        try #require(wait { presenter.ledger.presentedCount >= 1 })
        #expect(item.pixelBufferPool != nil)
        player.play()
        if losing {
            // More of them may be dropped than shown: decoders and displays are not synchronised.
            try #require(wait { presenter.ledger.presentedCount >= 2 })
            let lost = item.pixelBufferPool
            surface.context.loss.simulate()
            try #require(wait { item.pixelBufferPool.map { $0 !== lost } ?? false })
            gate.open()
        }
        let end = MediaTime(value: 59, timescale: 30)
        try #require(
            wait {
                presenter.ledger.latestRecords(1).first?.itemTime == end && presenter.isResting
            })
        let image = try #require(presenter.image())
        let state = try #require(presenter.rendererState())
        presenter.invalidate()
        // Decoders may still write there.
        #expect(item.pixelBufferPool == nil)
        player.replaceCurrentItem(with: nil)
        return (image, state, presenter.ledger.latestRecords())
    }

    @Test func `frames decoded into mapped memory are shown without a copy, also after a loss`()
        throws
    {
        let (expected, direct, _) = try Self.play(.direct)
        #expect(direct.upload == .direct && direct.mappedByteCount == 0)
        let hasStorage = try GraphicsTest.withContext { $0.capabilities.hasBufferStorage }
        try #require(hasStorage)
        for losing in [false, true] {
            let (image, state, records) = try Self.play(.mapped, losing: losing)
            #expect(image == expected)
            #expect(state.upload == .mapped)
            #expect(state.mappedByteCount > 0 && state.byteCount > state.mappedByteCount)
            #expect(records.allSatisfy { $0.decodedHostTime == nil }, "no real time")
            #expect(records.contains { $0.gpuDrawDuration != nil })
        }
    }

    @Test func `the conversion of colours is described`() throws {
        let (_, state, _) = try Self.play(.direct)
        #expect(state.colorPath.contains("numbers kept to bt709/"), "\(state.colorPath)")
        #expect(state.colorPath.hasSuffix("8 bits, by a shader"))
        #expect(state.objectCounts[.texture, default: 0] > 0)
    }
}
