// SPDX-License-Identifier: Apache-2.0

import Dispatch
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
        /// The frames that each item is to show, at multiples of 1/25 s.
        private var models: [ObjectIdentifier: [Int]] = [:]
        /// The frames of the last item that was passed on.
        private(set) var numbers: [Int]
        private(set) var shown: Int?
        private(set) var wrong: [String] = []
        private(set) var steps = 0

        init(_ cuts: CompositionCuts, hasSound: Bool = true) {
            numbers = cuts.numbers
            let item = cuts.makeItem()
            models[ObjectIdentifier(item)] = numbers
            rig = QueueRig([item], hasSound: hasSound)
        }

        var player: QueuePlayer { rig.player }

        /// Continues with what a composition contains now, after the same edit of the frames.
        @discardableResult
        func update(_ composition: Composition, _ edit: (inout [Int]) -> Void = { _ in })
            -> PlayerItem
        {
            edit(&numbers)
            let item =
                player.currentItem.map {
                    PlayerItem(asset: composition.makeAsset(), copying: $0)
                } ?? PlayerItem(asset: composition.makeAsset())
            models[ObjectIdentifier(item)] = numbers
            player.continueCurrentItem(with: item)
            return item
        }

        /// Plays until an item has taken over; how long that takes depends on the machine.
        func advance(until item: PlayerItem) {
            for _ in 0..<700 where player.currentItem !== item { advance(milliseconds: 10) }
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
            guard let numbers = rig.output.item.flatMap({ models[ObjectIdentifier($0)] }),
                numbers.indices.contains(index)
            else { return }
            if shown != numbers[index] {
                wrong.append(
                    "\(shown.map(String.init) ?? "nothing") at \(time.seconds), "
                        + "not \(numbers[index])")
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

    @Test(arguments: [Player.ActionAtItemEnd.pause, .advance])
    func `edits elsewhere change neither a frame nor a sample of what plays`(
        action: Player.ActionAtItemEnd
    ) throws {
        let cuts = try cuts()
        let rig = EditRig(cuts)
        rig.player.actionAtItemEnd = action
        rig.rig.play()
        rig.advance(milliseconds: 200)
        var random = SplitMix64(seed: 31)
        for round in 0..<50 {
            // The last cut is scaled, cut and lengthened.
            let start = Int.random(in: 222...230, using: &random)
            let range = MediaTimeRange(start: Self.at(start), duration: Self.at(20))
            switch round % 3 {
            case 0: try cuts.composition.scaleTimeRange(range, toDuration: Self.at(25))
            case 1: try cuts.composition.insertEmptyTimeRange(range)
            default: try cuts.composition.removeTimeRange(range)
            }
            let item = rig.update(cuts.composition)
            rig.advance(until: item)
            rig.advance(milliseconds: 20)
            #expect(rig.player.currentItem === item, "round \(round)")
            // The last cut is what the edits concern. Preparing the next one takes 3 s at most.
            guard rig.player.currentTime < Self.at(140) else { break }
        }
        rig.advance(milliseconds: 200)
        #expect(rig.wrong.isEmpty, "\(rig.wrong.prefix(3)), \(rig.wrong.count) of \(rig.steps)")
        let heard = rig.rig.heard
        #expect(heard.count > 60_000)
        let difference = zip(heard, cuts.samples).enumerated().first { $1.0 != $1.1 }
        #expect(difference == nil, "at \(difference?.offset ?? 0) of \(heard.count)")
        #expect(rig.player.rate == 1 && rig.player.timeControlStatus == .playing)
    }

    @Test func `an edit of what comes is seen and heard at its time`() throws {
        let cuts = try cuts()
        let rig = EditRig(cuts)
        rig.rig.play()
        rig.advance(milliseconds: 1000)
        // What comes in three seconds is left out.
        let cut = 100..<125
        try cuts.composition.removeTimeRange(
            MediaTimeRange(start: Self.at(cut.lowerBound), end: Self.at(cut.upperBound)))
        let item = rig.update(cuts.composition) { $0.removeSubrange(cut) }
        rig.advance(until: item)
        rig.advance(milliseconds: 5000 - rig.player.currentTime.converted(toTimescale: 1000).value)
        #expect(rig.player.currentItem === item)
        #expect(rig.wrong.isEmpty, "\(rig.wrong.prefix(3)), \(rig.wrong.count) of \(rig.steps)")
        let perFrame = CompositionCuts.samplesPerFrame
        var samples = cuts.samples
        samples.removeSubrange((cut.lowerBound * perFrame)..<(cut.upperBound * perFrame))
        let heard = rig.rig.heard
        #expect(heard.count > 190_000 && heard == Array(samples.prefix(heard.count)))
    }

    /// Removes frames before the playhead, so that everything from the playhead on moves.
    private static let removed = 2..<7

    private func removeEarlierFrames(of cuts: CompositionCuts, _ rig: EditRig) throws -> PlayerItem
    {
        let removed = Self.removed
        try cuts.composition.removeTimeRange(
            MediaTimeRange(start: Self.at(removed.lowerBound), duration: Self.at(removed.count)))
        return rig.update(cuts.composition) { $0.removeSubrange(removed) }
    }

    @Test func `the frames of an edit are shown before its audio, which follows at one sample`()
        throws
    {
        let cuts = try cuts()
        let rig = EditRig(cuts)
        rig.rig.play()
        rig.advance(milliseconds: 1000)
        let edit = rig.player.currentTime
        let item = try removeEarlierFrames(of: cuts, rig)
        var seen: MediaTime?
        for _ in 0..<100 where rig.player.currentItem !== item {
            rig.advance(milliseconds: 10)
            guard rig.rig.output.item === item else { continue }
            if seen == nil { seen = rig.player.currentTime }
            // The timelines of both items agree.
            let difference = item.currentTime - rig.player.currentTime
            #expect(difference.magnitude < VideoFrame.timeTolerance)
        }
        // The first preparation is expected to take 20 ms. The device has taken 40 ms of audio.
        #expect(try #require(seen) - edit <= MediaTime(value: 30, timescale: 1000))
        rig.advance(milliseconds: 500)
        let takeover = edit + MediaTime(value: 80, timescale: 1000)
        let seam = Int(
            takeover.converted(toTimescale: 48_000, method: .roundTowardPositiveInfinity).value)
        let perFrame = CompositionCuts.samplesPerFrame
        var edited = cuts.samples
        edited.removeSubrange(
            (Self.removed.lowerBound * perFrame)..<(Self.removed.upperBound * perFrame))
        let heard = rig.rig.heard
        #expect(heard.count > seam + 20_000)
        #expect(heard.prefix(seam) == cuts.samples.prefix(seam))
        #expect(heard.dropFirst(seam) == edited.prefix(heard.count).dropFirst(seam))
        #expect(rig.wrong.isEmpty, "\(rig.wrong.prefix(3)), \(rig.wrong.count) of \(rig.steps)")
        #expect(item.statistics.droppedFrames == 0)
    }

    @Test func `a boundary between the first frame and the first sample is passed once`() throws {
        let cuts = try cuts()
        let rig = EditRig(cuts)
        rig.rig.play()
        rig.advance(milliseconds: 1000)
        let edit = rig.player.currentTime
        let dispatch = DispatchQueue(label: "test")
        let count = Monitor(0)
        let token = rig.player.addBoundaryTimeObserver(
            forTimes: [35, 55, 300].map { edit + MediaTime(value: $0, timescale: 1000) },
            on: ObservationQueue(dispatch)
        ) { count.change { $0 += 1 } }
        let item = try removeEarlierFrames(of: cuts, rig)
        rig.advance(until: item)
        #expect(rig.player.currentItem === item)
        rig.advance(milliseconds: 400)
        item.timebase.waitForNotifications()
        dispatch.sync {}
        #expect(count.withLock { $0 } == 3)
        token.cancel()
    }

    @Test func `a change of the rate before the audio of an edit follows applies to its frames`()
        throws
    {
        let cuts = try cuts()
        let rig = EditRig(cuts)
        rig.rig.play()
        rig.advance(milliseconds: 1000)
        let item = try removeEarlierFrames(of: cuts, rig)
        for _ in 0..<100 where rig.rig.output.item !== item { rig.advance(milliseconds: 10) }
        #expect(rig.player.currentItem !== item)
        for rate in [2, 0.5] {
            rig.player.rate = rate
            rig.rig.wait { rig.player.isAhead }
            rig.look()
            #expect(rig.rig.output.item === item)
            let difference = item.currentTime - rig.player.currentTime
            #expect(difference.magnitude < VideoFrame.timeTolerance)
        }
        rig.advance(until: item)
        #expect(rig.player.currentItem === item && rig.player.rate == 0.5)
        rig.advance(milliseconds: 1000)
        #expect(rig.wrong.isEmpty, "\(rig.wrong.prefix(3)), \(rig.wrong.count) of \(rig.steps)")
    }

    /// Other threads arrange the items again at any time, for example when a frame arrives.
    @Test(arguments: [false, true])
    func `a pause before the audio of an edit follows keeps its frame`(isArranging: Bool) throws {
        let cuts = try cuts()
        let rig = EditRig(cuts)
        rig.rig.play()
        rig.advance(milliseconds: 1000)
        let item = try removeEarlierFrames(of: cuts, rig)
        for _ in 0..<100 where rig.rig.output.item !== item { rig.advance(milliseconds: 10) }
        rig.advance(milliseconds: 10)
        #expect(rig.player.currentItem !== item)
        let time = rig.player.currentTime
        let arranging = Monitor(isArranging)
        let thread =
            isArranging
            ? WorkerThread(name: "arranging") { [player = rig.player] in
                while arranging.withLock({ $0 }) { player.arrange() }
            } : nil
        rig.player.pause()
        var isShown = true
        rig.rig.wait {
            rig.look()
            isShown = isShown && rig.rig.output.item === item
            return rig.player.currentItem === item && rig.player.isAhead
        }
        arranging.change { $0 = false }
        thread?.join()
        #expect(isShown)
        #expect(rig.player.currentTime == time && rig.player.rate == 0)
        rig.rig.play()
        rig.advance(milliseconds: 1000)
        #expect(rig.wrong.isEmpty, "\(rig.wrong.prefix(3)), \(rig.wrong.count) of \(rig.steps)")
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
        let item = rig.update(cuts.composition) { $0.removeSubrange(3..<8) }
        rig.rig.wait { rig.player.currentItem === item && rig.player.isAhead }
        rig.look()
        #expect(rig.wrong.isEmpty, "\(rig.wrong)")
        #expect(rig.player.currentTime == time && rig.player.rate == 0)
        rig.rig.play()
        rig.advance(milliseconds: 1000)
        #expect(rig.wrong.isEmpty, "\(rig.wrong)")
    }

    @Test func `an edit that removes the paused frame and all that follow leaves the last frame`()
        throws
    {
        let cuts = try cuts(hasSound: false)
        let rig = EditRig(cuts, hasSound: false)
        rig.rig.play()
        rig.advance(milliseconds: 1000)
        rig.player.pause()
        rig.rig.wait { rig.player.isAhead }
        let removed = 10..<cuts.numbers.count
        try cuts.composition.removeTimeRange(
            MediaTimeRange(start: Self.at(removed.lowerBound), end: Self.at(removed.upperBound)))
        let item = rig.update(cuts.composition) { $0.removeSubrange(removed) }
        let hasMoved = rig.rig.wait {
            rig.player.currentItem === item && rig.player.currentTime == Self.at(10)
                && rig.player.isAhead
        }
        #expect(hasMoved)
        rig.look()
        #expect(rig.shown == rig.numbers.last)
        #expect(rig.player.rate == 0)
    }

    @Test func `a pause or a seek before the moment of an edit loses neither`() throws {
        let cuts = try cuts()
        let rig = EditRig(cuts)
        rig.rig.play()
        rig.advance(milliseconds: 600)
        for round in 0..<6 {
            try cuts.composition.removeTimeRange(
                MediaTimeRange(start: Self.at(4), duration: Self.at(1)))
            let item = rig.update(cuts.composition) { $0.remove(at: 4) }
            // The moment has been declared and is not reached.
            rig.rig.wait { rig.player.isAhead }
            #expect(rig.player.currentItem !== item)
            if round.isMultiple(of: 2) {
                rig.player.pause()
                rig.rig.wait { rig.player.currentItem === item && rig.player.isAhead }
                rig.look()
                rig.rig.play()
            } else {
                let landed = Monitor<Bool?>(nil)
                let target = Self.at(60 + 10 * round)
                rig.player.currentItem?.seek(
                    to: target, toleranceBefore: .zero, toleranceAfter: .zero
                ) { done in landed.change { $0 = done } }
                #expect(landed.wait { $0 })
                rig.rig.wait { rig.player.timeControlStatus == .playing }
                rig.advance(until: item)
                #expect(rig.player.currentTime >= target)
            }
            #expect(rig.player.currentItem === item, "round \(round)")
            rig.advance(milliseconds: 400)
        }
        #expect(rig.wrong.isEmpty, "\(rig.wrong.prefix(3)), \(rig.wrong.count) of \(rig.steps)")
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
            last = rig.update(cuts.composition) { $0.remove(at: 100 - index) }
        }
        if let last { rig.advance(until: last) }
        rig.advance(milliseconds: 1000)
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
        let item = rig.update(cuts.composition) { $0.removeSubrange(20..<50) }
        rig.rig.wait { rig.player.currentItem === item && rig.player.isAhead }
        rig.rig.wait { rig.player.timeControlStatus == .playing }
        let first = rig.player.currentTime
        #expect(first < Self.at(142))
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
        let item = rig.update(cuts.composition) { $0 += added.numbers }
        rig.rig.wait { rig.player.currentItem === item && rig.player.isAhead }
        rig.advance(milliseconds: 500)
        #expect(rig.player.rate == 1)
        #expect(rig.player.currentTime > Self.at(30))
        #expect(rig.wrong.isEmpty, "\(rig.wrong.prefix(3)), \(rig.wrong.count) of \(rig.steps)")
    }

    @Test func `what follows in a queue follows the edited composition`() throws {
        let cuts = try CompositionCuts([.init(start: 10, count: 80)])
        let added = try CompositionCuts([.init(start: 50, count: 10)])
        let rig = QueueRig([
            cuts.makeItem(), PlayerItem(.numbered(frames: 25, framesPerSecond: 25)),
        ])
        rig.play()
        rig.advance(milliseconds: 200)
        try cuts.composition.insertTimeRange(
            MediaTimeRange(start: .zero, duration: Self.at(10)), of: added.composition,
            at: .invalid)
        let item = PlayerItem(
            asset: cuts.composition.makeAsset(), copying: try #require(rig.player.currentItem))
        rig.player.continueCurrentItem(with: item)
        for _ in 0..<250 where rig.player.currentItem !== item { rig.advance(milliseconds: 10) }
        #expect(rig.player.items.count == 2 && rig.player.currentItem === item)
        // 90 frames, and a second of the next item.
        let rest = MediaTime(value: 47, timescale: 10) - rig.player.currentTime
        rig.advance(milliseconds: rest.converted(toTimescale: 1000).value)
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
        rig.player.currentItem?.setLoop(from: .zero, to: Self.at(50), count: -1)
        rig.rig.play()
        rig.advance(milliseconds: 2200)
        let item = rig.update(cuts.composition)
        rig.advance(until: item)
        #expect(rig.player.currentItem === item)
        rig.advance(milliseconds: 2500)
        #expect(rig.wrong.isEmpty, "\(rig.wrong.prefix(3)), \(rig.wrong.count) of \(rig.steps)")
        #expect(rig.player.currentTime < Self.at(51))
        #expect(item.loopProgress.done >= 1)
    }
}
