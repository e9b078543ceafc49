// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport
import PlayheadAssets
import PlayheadAudio
import PlayheadBuffers
import PlayheadCompositions
import PlayheadThreads
import PlayheadTime
import Testing

@testable import PlayheadPlayback

/// A composition that is edited while it plays: the player continues with a snapshot of it.
@Suite struct ReplacingTests {
    private static func at(_ frame: Int) -> MediaTime { CompositionCuts.at(frame) }

    /// A queue whose picture is compared with a model at every step of the clock.
    private final class EditRig {
        let rig: QueueRig
        /// The frames that are to be shown, at multiples of 1/25 s.
        var numbers: [Int]
        private(set) var shown: Int?
        private(set) var wrong: [String] = []
        private(set) var steps = 0

        init(_ cuts: CompositionCuts, hasSound: Bool = true) {
            numbers = cuts.numbers
            rig = QueueRig([cuts.makeItem()], hasSound: hasSound)
        }

        var player: QueuePlayer { rig.player }

        /// Continues with what a composition contains now.
        @discardableResult
        func update(_ composition: Composition) -> PlayerItem {
            let item =
                player.currentItem.map {
                    PlayerItem(asset: composition.makeAsset(), copying: $0)
                } ?? PlayerItem(asset: composition.makeAsset())
            player.continueCurrentItem(with: item)
            return item
        }

        /// Looks at the picture of this moment.
        func look() {
            let time = rig.output.itemTime(forHostTime: rig.clock.time)
            if let (picture, _) = rig.output.copyPixelBuffer(forItemTime: time) {
                shown = FrameNumberStrip.read(from: picture)
            }
            let index = Int(
                (time + VideoFrame.timeTolerance).converted(
                    toTimescale: 25, method: .roundTowardNegativeInfinity
                ).value)
            steps += 1
            guard numbers.indices.contains(index) else { return }
            if shown != numbers[index] {
                wrong.append(
                    "\(shown.map(String.init) ?? "nothing") at \(time.seconds), "
                        + "not \(numbers[index])"
                )
            }
        }

        func advance(milliseconds: Int64) {
            for _ in 0..<(milliseconds / 10) {
                rig.wait { player.isAhead }
                look()
                rig.sink.advance(to: rig.clock.time + MediaTime(value: 10, timescale: 1000))
            }
            rig.wait { player.isAhead }
            look()
        }
    }

    /// Returns a composition of several seconds, with cuts.
    private func cuts(hasSound: Bool = true) throws -> CompositionCuts {
        try CompositionCuts(
            [
                .init(start: 10, count: 60), .init(start: 5, count: 70),
                .init(start: 1, count: 90), .init(start: 40, count: 50),
            ], hasSound: hasSound)
    }

    @Test func `an edit of what comes is seen and heard at its time`() throws {
        let cuts = try cuts()
        let rig = EditRig(cuts)
        rig.rig.play()
        rig.advance(milliseconds: 1000)
        // What comes in a fifth of a second is left out.
        let cut = 30..<55
        try cuts.composition.removeTimeRange(
            MediaTimeRange(start: Self.at(cut.lowerBound), end: Self.at(cut.upperBound)))
        rig.numbers.removeSubrange(cut)
        rig.update(cuts.composition)
        rig.advance(milliseconds: 3000)
        #expect(rig.wrong.isEmpty, "\(rig.wrong.prefix(3)), \(rig.wrong.count) of \(rig.steps)")
        let perFrame = CompositionCuts.samplesPerFrame
        var samples = cuts.samples
        samples.removeSubrange((30 * perFrame)..<(55 * perFrame))
        let heard = rig.rig.heard
        #expect(heard.count > 190_000 && heard == Array(samples.prefix(heard.count)))
    }

    @Test func `while paused the frame changes at once, and the time stays`() throws {
        let cuts = try cuts(hasSound: false)
        let rig = EditRig(cuts, hasSound: false)
        rig.rig.play()
        rig.advance(milliseconds: 800)
        rig.player.pause()
        rig.rig.wait { rig.player.isAhead }
        let time = rig.player.currentTime
        try cuts.composition.removeTimeRange(
            MediaTimeRange(start: Self.at(3), duration: Self.at(5)))
        rig.numbers.removeSubrange(3..<8)
        let item = rig.update(cuts.composition)
        rig.rig.wait { rig.player.currentItem === item && rig.player.isAhead }
        rig.look()
        #expect(rig.wrong.isEmpty, "\(rig.wrong)")
        #expect(rig.player.currentTime == time && rig.player.rate == 0)
        rig.rig.play()
        rig.advance(milliseconds: 1000)
        #expect(rig.wrong.isEmpty, "\(rig.wrong)")
    }

    @Test func `of edits that follow quickly the last one remains`() throws {
        let cuts = try cuts()
        let rig = EditRig(cuts)
        rig.rig.play()
        rig.advance(milliseconds: 400)
        var last: PlayerItem?
        for index in 0..<40 {
            try cuts.composition.removeTimeRange(
                MediaTimeRange(start: Self.at(100 - index), duration: Self.at(1)))
            rig.numbers.remove(at: 100 - index)
            last = rig.update(cuts.composition)
        }
        rig.advance(milliseconds: 4000)
        #expect(rig.player.currentItem === last)
        #expect(rig.wrong.isEmpty, "\(rig.wrong.prefix(3)), \(rig.wrong.count) of \(rig.steps)")
    }

    @Test func `backwards an edit is taken over, and the direction stays`() throws {
        let cuts = try cuts(hasSound: false)
        let rig = EditRig(cuts, hasSound: false)
        let landed = Monitor<Bool?>(nil)
        rig.player.currentItem?.seek(
            to: Self.at(150), toleranceBefore: .zero, toleranceAfter: .zero
        ) { done in landed.change { $0 = done } }
        #expect(landed.wait { $0 })
        rig.player.rate = -1
        rig.rig.wait { rig.player.timeControlStatus == .playing }
        rig.advance(milliseconds: 400)
        try cuts.composition.removeTimeRange(
            MediaTimeRange(start: Self.at(20), duration: Self.at(30)))
        let item = rig.update(cuts.composition)
        rig.rig.wait { rig.player.currentItem === item && rig.player.isAhead }
        rig.rig.wait { rig.player.timeControlStatus == .playing }
        rig.numbers.removeSubrange(20..<50)
        let first = rig.player.currentTime
        #expect(first < Self.at(142) && first > Self.at(130))
        rig.advance(milliseconds: 1000)
        #expect(rig.player.rate == -1 && rig.player.currentTime < first)
        #expect(
            rig.shown
                == rig.numbers[
                    Int(
                        rig.player.currentTime.converted(
                            toTimescale: 25, method: .roundTowardNegativeInfinity
                        ).value)])
    }

    @Test func `a composition that is lengthened just before its end plays on`() throws {
        let cuts = try CompositionCuts([.init(start: 10, count: 25)])
        let added = try CompositionCuts([.init(start: 50, count: 25)])
        let rig = EditRig(cuts)
        rig.player.actionAtItemEnd = .pause
        rig.rig.play()
        rig.advance(milliseconds: 980)
        try cuts.composition.insertTimeRange(
            MediaTimeRange(start: .zero, duration: Self.at(25)), of: added.composition,
            at: .invalid)
        rig.numbers += added.numbers
        let item = rig.update(cuts.composition)
        rig.rig.wait { rig.player.currentItem === item && rig.player.isAhead }
        rig.advance(milliseconds: 500)
        #expect(rig.player.rate == 1)
        #expect(rig.player.currentTime > Self.at(30))
        #expect(rig.wrong.isEmpty, "\(rig.wrong.prefix(3)), \(rig.wrong.count) of \(rig.steps)")
    }

    @Test func `what follows in a queue follows the edited composition`() throws {
        let cuts = try CompositionCuts([.init(start: 10, count: 25)])
        let added = try CompositionCuts([.init(start: 50, count: 10)])
        let rig = QueueRig([
            cuts.makeItem(), PlayerItem(.numbered(frames: 25, framesPerSecond: 25)),
        ])
        rig.play()
        rig.advance(milliseconds: 500)
        try cuts.composition.insertTimeRange(
            MediaTimeRange(start: .zero, duration: Self.at(10)), of: added.composition,
            at: .invalid)
        let item = PlayerItem(
            asset: cuts.composition.makeAsset(), copying: try #require(rig.player.currentItem))
        rig.player.continueCurrentItem(with: item)
        rig.advance(milliseconds: 300)
        #expect(rig.player.items.count == 2 && rig.player.currentItem === item)
        rig.advance(milliseconds: 1700)
        let numbered = (0..<48_000).map { Float($0) / Float(1 << 22) }
        let expected = cuts.samples + added.samples + numbered
        #expect(Array(rig.heard.prefix(expected.count)) == expected)
        #expect(rig.player.items.isEmpty)
    }

    @Test func `a snapshot that cannot be opened becomes the current item, with its error`() throws
    {
        let cuts = try cuts()
        let rig = EditRig(cuts)
        rig.rig.play()
        rig.advance(milliseconds: 200)
        let item = rig.update(MutableComposition())
        #expect(rig.rig.wait { rig.player.currentItem === item })
        #expect(item.error?.code == .noPlayableTracks)
    }

    @Test func `another item that is set meanwhile is the one that plays`() throws {
        let cuts = try cuts()
        let rig = EditRig(cuts)
        rig.rig.play()
        rig.advance(milliseconds: 200)
        for isDeclared in [false, true] {
            rig.update(cuts.composition)
            if isDeclared { rig.rig.wait { rig.player.isAhead } }
            let other = cuts.makeItem()
            rig.player.replaceCurrentItem(with: other)
            #expect(rig.rig.wait { rig.player.timeControlStatus == .playing })
            rig.advance(milliseconds: 300)
            #expect(rig.player.currentItem === other)
        }
        rig.player.replaceCurrentItem(with: nil)
        let item = rig.update(cuts.composition)
        #expect(rig.player.currentItem === item)
    }

    @Test func `an item in a loop of its own keeps its rounds until the edit takes over`() throws {
        let cuts = try cuts(hasSound: false)
        let rig = EditRig(cuts, hasSound: false)
        rig.player.currentItem?.setLoop(from: .zero, to: Self.at(10), count: -1)
        rig.rig.play()
        rig.advance(milliseconds: 500)
        let item = rig.update(cuts.composition)
        rig.advance(milliseconds: 500)
        #expect(rig.player.currentItem === item)
        #expect(rig.wrong.isEmpty, "\(rig.wrong.prefix(3)), \(rig.wrong.count) of \(rig.steps)")
        #expect(rig.player.currentTime < Self.at(11))
    }
}
