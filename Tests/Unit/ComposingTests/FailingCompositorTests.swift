// SPDX-License-Identifier: Apache-2.0

import Glibc
import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadEditing
import PlayheadThreads
import PlayheadTime
import PlayheadVideoCompositions
import Synchronization
import Testing

@testable import PlayheadPlayback

/// Players whose compositor throws, blocks, or does not end its requests.
@Suite struct FailingCompositorTests {
    /// Draws the number of the picture as a grey, unless a closure does something else first.
    private class Numbering: VideoCompositing, @unchecked Sendable {
        // Unchecked: subclasses have no state.

        /// Added to each number.
        var offset: Int { 0 }
        /// Returns false if it has ended the request, or will.
        let mayDraw: @Sendable (Int, VideoCompositionRequest) -> Bool

        required init(
            _ mayDraw: @escaping @Sendable (Int, VideoCompositionRequest) -> Bool
        ) {
            self.mayDraw = mayDraw
        }

        func renderContextChanged(_ context: VideoCompositionRenderContext) {}

        func startRequest(_ request: VideoCompositionRequest) {
            let number = Int((request.compositionTime.seconds * 10).rounded())
            guard mayDraw(number, request) else { return }
            let size = request.renderContext.size
            let grey = UInt8(100 + offset + number)
            request.finish(
                with: PixelBuffer(format: .rgba, width: size.width, height: size.height) {
                    _, bytes, _ in
                    bytes.initializeMemory(as: UInt8.self, repeating: grey)
                })
        }
    }

    /// Another compositor. One of the same type as that of the former composition is not exchanged.
    private final class LaterNumbering: Numbering, @unchecked Sendable {
        // Unchecked: there is no further state.

        override var offset: Int { 50 }
    }

    private struct Refusal: Error, CustomStringConvertible {
        var description = "no picture today"
    }

    /// An item of 20 pictures, and a player that a manual clock moves.
    private struct Playback {
        let clock = ManualClock()
        let item: PlayerItem
        let output = PlayerItemVideoOutput()
        let player: Player

        init(
            _ mayDraw: @escaping @Sendable (Int, VideoCompositionRequest) -> Bool
        ) async throws {
            let asset = SyntheticAsset(SyntheticMedia(sounds: []))
            item = PlayerItem(asset: asset)
            item.videoComposition = try await composition(of: asset, mayDraw)
            item.add(output)
            player = Player(playerItem: item, audioSink: nil, masterClock: clock)
        }

        /// The number of the picture that is shown.
        var number: Int? {
            output.copyPixelBuffer(forItemTime: item.currentTime).map { buffer, _ in
                Int(buffer.planes[0].baseAddress.load(as: UInt8.self)) - 100
            }
        }

        func wait(for number: Int) throws {
            try eventually("picture \(number)") { self.number == number }
        }

        func play(to number: Int) {
            clock.advance(to: FailingCompositorTests.time(number))
            item.pipeline.post(.look)
        }
    }

    private static func time(_ number: Int) -> MediaTime {
        MediaTime(value: Int64(number) * 100 + 1, timescale: 1000)
    }

    private static func composition(
        of asset: Asset, by type: Numbering.Type = Numbering.self,
        _ mayDraw: @escaping @Sendable (Int, VideoCompositionRequest) -> Bool
    ) async throws -> VideoComposition {
        var composition = try await VideoComposition(propertiesOf: asset)
        composition.frameDuration = MediaTime(value: 1, timescale: 10)
        composition.sourceTrackIDForFrameTiming = nil
        composition.makeCompositor = { type.init(mayDraw) }
        return composition
    }

    @Test(arguments: [[5, 6, 7], [5, 7, 9]])
    func `the picture before one that fails stays, and the failure is reported once`(
        failures: [Int]
    ) async throws {
        let playback = try await Playback { number, request in
            guard failures.contains(number) else { return true }
            request.finish(throwing: Refusal())
            return false
        }
        let reports = Mutex<[MediaError]>([])
        let token = playback.item.observeEvents { event in
            guard case .newErrorLogEntry(let error) = event else { return }
            reports.withLock { $0.append(error) }
        }
        try playback.wait(for: 0)
        playback.player.play()
        playback.item.pipeline.control.wait { $0.isRunning ? true : nil }
        for number in 1..<20 {
            playback.play(to: number)
            let shown = (0...number).last { !failures.contains($0) } ?? 0
            try playback.wait(for: shown)
        }
        #expect(playback.item.error == nil)
        #expect(playback.item.statistics.decodingErrors == failures.count)
        let events = playback.item.errorLog?.events ?? []
        #expect(events.count == 1)
        #expect(events.first?.error.cause.contains("at 0.500000 s") == true)
        try eventually("a report") { reports.withLock { !$0.isEmpty } }
        #expect(reports.withLock { $0 } == events.map(\.error))
        token.cancel()
    }

    /// The queue holds pictures of the first composition, before and after the one that fails.
    @Test(arguments: [3, 5])
    func `after an exchange, a picture that fails leaves none of the former composition`(
        visible: Int
    ) async throws {
        let playback = try await Playback { _, _ in true }
        try playback.wait(for: 0)
        playback.player.play()
        playback.item.pipeline.control.wait { $0.isRunning ? true : nil }
        playback.play(to: visible)
        try playback.wait(for: visible)
        try eventually("pictures beyond the one that fails") {
            playback.item.pipeline.frames.contents.frames.count > 6 - visible
        }
        playback.item.videoComposition = try await Self.composition(
            of: playback.item.asset, by: LaterNumbering.self
        ) { number, request in
            guard number == 5 else { return true }
            request.finish(throwing: Refusal())
            return false
        }
        playback.item.pipeline.composing.wait { $0.isDrawing ? nil : true }
        for number in visible..<20 {
            playback.play(to: number)
            let shown = number == 5 ? (visible == 5 ? 5 : 54) : 50 + number
            try playback.wait(for: shown)
        }
        #expect(playback.item.error == nil)
        #expect(playback.item.errorLog?.events.count == 1)
    }

    @Test func `seeks to pictures that fail land, and show the one before`() async throws {
        let playback = try await Playback { number, request in
            guard number == 5 || number == 6 else { return true }
            request.finish(throwing: Refusal())
            return false
        }
        try playback.wait(for: 0)
        for (target, shown) in [(6, 4), (9, 9), (5, 4), (2, 2)] {
            #expect(
                await playback.item.seek(
                    to: Self.time(target), toleranceBefore: .zero, toleranceAfter: .zero))
            #expect(playback.number == shown, "\(target)")
        }
    }

    @Test func `a seek lands when a compositor that blocks has drawn its picture`() async throws {
        let isBlocked = Monitor(true)
        let playback = try await Playback { number, _ in
            if number == 7 { isBlocked.wait { $0 ? nil : true } }
            return true
        }
        try playback.wait(for: 0)
        let landed = Monitor<[Bool]>([])
        // The call does not wait. A later seek ends an earlier one, whose picture is not drawn.
        for _ in 0..<2 {
            playback.item.seek(
                to: Self.time(7), toleranceBefore: .zero, toleranceAfter: .zero
            ) { finished in landed.change { $0.append(finished) } }
        }
        #expect(landed.wait { $0.isEmpty ? nil : $0 } == [false])
        #expect(playback.number == 0)
        isBlocked.change { $0 = false }
        #expect(landed.wait { $0.count < 2 ? nil : $0 } == [false, true])
        #expect(playback.number == 7)
    }

    /// A request that is never ended fails after ten seconds.
    @Test func `a seek to a picture that never comes ends, and the one before stays`() async throws
    {
        let kept = Mutex<[VideoCompositionRequest]>([])
        let playback = try await Playback { number, request in
            guard number >= 7 else { return true }
            kept.withLock { $0.append(request) }
            return false
        }
        try playback.wait(for: 0)
        await playback.item.seek(
            to: Self.time(8), toleranceBefore: .zero, toleranceAfter: .zero)
        #expect(playback.item.error == nil)
        let events = playback.item.errorLog?.events ?? []
        #expect(events.first?.error.cause.contains("has not ended the request in 10.0") == true)
        #expect(events.count <= 2)
        #expect(kept.withLock { $0.count } == 1)
    }

    /// The compositor blocks its thread, or keeps the request and returns.
    @Test(arguments: [true, false])
    func `an item is released while a picture is being composed`(isBlocking: Bool) async throws {
        let started = Monitor(false)
        let mayEnd = Monitor(false)
        let kept = Mutex<[VideoCompositionRequest]>([])
        var playback: Playback? = try await Playback { number, request in
            guard number == 7 else { return true }
            started.change { $0 = true }
            if isBlocking { mayEnd.wait { $0 ? true : nil } }
            kept.withLock { $0.append(request) }
            return false
        }
        try playback?.wait(for: 0)
        playback?.item.seek(
            to: Self.time(7), toleranceBefore: .zero, toleranceAfter: .zero, completion: nil)
        started.wait { $0 ? true : nil }
        weak let pipeline = playback?.item.pipeline
        playback?.player.replaceCurrentItem(with: nil)
        playback = nil
        // The threads of the item end too, although the compositor does not end the request.
        try eventually("the end of the item's threads", within: .seconds(8)) { pipeline == nil }
        mayEnd.change { $0 = true }
    }

    private static func endProcess(isBlocking: Bool) async throws {
        let started = Monitor(false)
        let playback = try await Playback { number, _ in
            guard number == 2 else { return true }
            started.change { $0 = true }
            while isBlocking { sleep(1000) }
            return false
        }
        started.wait { $0 ? true : nil }
        withExtendedLifetime(playback) { exit(7) }
    }

    @Test func `a process ends while a compositor blocks`() async {
        await #expect(processExitsWith: .exitCode(7)) {
            try await FailingCompositorTests.endProcess(isBlocking: true)
        }
    }

    @Test func `a process ends while a request is not ended`() async {
        await #expect(processExitsWith: .exitCode(7)) {
            try await FailingCompositorTests.endProcess(isBlocking: false)
        }
    }
}
