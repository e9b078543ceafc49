// SPDX-License-Identifier: Apache-2.0

import Dispatch
import PlayheadAssets
import PlayheadAudio
import PlayheadThreads
import PlayheadTime
import Synchronization
import Testing

@testable import PlayheadPlayback

@Suite struct QueueTests {
    /// Returns the samples of consecutive items: numbers, then silence up to the item's end.
    private static func samples(_ items: [(sound: Int, total: Int)]) -> [Float] {
        items.flatMap { item in
            (0..<item.total).map { $0 < item.sound ? Float($0) / Float(1 << 22) : 0 }
        }
    }

    /// Returns the samples played, from the first item's first sample on, which is zero and so
    /// looks like silence.
    private static func heard(_ rig: QueueRig) -> [Float] { [0] + rig.heard }

    private static func sightings(_ items: [(PlayerItem, Int)]) -> [QueueRig.Sighting] {
        items.flatMap { item, count in
            (0..<count).map { QueueRig.Sighting(item: ObjectIdentifier(item), frame: $0) }
        }
    }

    @Test func `items follow each other without a gap in video or audio`() {
        let items = [PlayerItem(.numbered()), PlayerItem(.numbered()), PlayerItem(.numbered())]
        let rig = QueueRig(items)
        rig.play()
        rig.advance(milliseconds: 3200)
        let expected = Self.samples(Array(repeating: (48_000, 48_000), count: 3))
        #expect(Array(Self.heard(rig).prefix(expected.count)) == expected)
        #expect(Self.heard(rig).dropFirst(expected.count).allSatisfy { $0 == 0 })
        #expect(rig.seen == Self.sightings(items.map { ($0, 30) }))
        #expect(items.allSatisfy { $0.state.playedToEndCount == 1 })
        #expect(rig.player.currentItem == nil && rig.player.items.isEmpty)
        #expect(rig.player.rate == 1)
    }

    @Test func `a queue does not wait between items that follow without a gap`() {
        let items = [PlayerItem(.numbered()), PlayerItem(.numbered()), PlayerItem(.numbered())]
        let rig = QueueRig(items)
        rig.play()
        let heard = Monitor<[Player.TimeControlStatus]>([])
        let dispatch = DispatchQueue(label: "test")
        let token = rig.player.observe(\.timeControlStatus, on: ObservationQueue(dispatch)) {
            change in heard.change { $0.append(change.newValue) }
        }
        rig.advance(milliseconds: 2500)
        #expect(rig.wait { rig.player.currentItem === items[2] })
        dispatch.sync {}
        #expect(heard.withLock { !$0.contains(.waitingToPlayAtSpecifiedRate) })
        token.cancel()
    }

    @Test(arguments: [0.9, 1.0101, 0.35])
    func `an item ends where its longer track does`(soundSeconds: Double) {
        let media = SyntheticMedia.numbered(soundSeconds: soundSeconds)
        let items = [PlayerItem(media), PlayerItem(media)]
        let rig = QueueRig(items)
        rig.play()
        rig.advance(milliseconds: 2200)
        let sound = Int(soundSeconds * 48_000)
        let expected = Self.samples(
            Array(repeating: (sound, max(sound, 48_000)), count: 2))
        #expect(Array(Self.heard(rig).prefix(expected.count)) == expected)
        #expect(rig.seen == Self.sightings(items.map { ($0, 30) }))
    }

    @Test func `items of other lengths and frame rates, and silent ones, follow without a gap`() {
        var silent = SyntheticMedia.numbered(frames: 12, framesPerSecond: 24)
        silent.sounds = []
        let items = [
            PlayerItem(.numbered(frames: 17, framesPerSecond: 25)), PlayerItem(silent),
            PlayerItem(.numbered(frames: 60, framesPerSecond: 60)),
        ]
        let rig = QueueRig(items)
        rig.play()
        rig.advance(milliseconds: 2300)
        let expected = Self.samples([(32_640, 32_640), (0, 24_000), (48_000, 48_000)])
        #expect(Array(Self.heard(rig).prefix(expected.count)) == expected)
        // A look every 10 ms sees every frame of 16 ms.
        #expect(rig.seen == Self.sightings([(items[0], 17), (items[1], 12), (items[2], 60)]))
    }

    @Test func `pausing before the seam cancels the next start, and resuming declares it again`() {
        let items = [PlayerItem(.numbered()), PlayerItem(.numbered())]
        let rig = QueueRig(items)
        rig.play()
        rig.advance(milliseconds: 950)
        #expect(items[1].pipeline.declaredSuccession != nil)
        rig.player.pause()
        #expect(items[1].pipeline.declaredSuccession == nil)
        #expect(rig.wait { rig.sink.status == .paused })
        rig.clock.advance(by: MediaTime(value: 5, timescale: 1))
        #expect(items[1].currentTime == .zero)
        #expect(rig.player.currentItem === items[0])
        rig.play()
        rig.advance(milliseconds: 1200)
        #expect(rig.seen == Self.sightings(items.map { ($0, 30) }))
        let silenceFree = Self.heard(rig).filter { $0 != 0 }
        #expect(
            silenceFree == Self.samples([(48_000, 48_000), (48_000, 48_000)]).filter { $0 != 0 })
    }

    @Test
    func `a pause before the seam shows the item in which it stops`() {
        let items = [PlayerItem(.numbered()), PlayerItem(.numbered())]
        let rig = QueueRig(items)
        rig.play()
        rig.advance(milliseconds: 980)
        // A display draws the first frame of the next item, for a coming vsync.
        let coming = rig.clock.time + MediaTime(value: 60, timescale: 1000)
        var time = MediaTime.invalid
        rig.wait {
            time = rig.output.itemTime(forHostTime: coming)
            return rig.output.item === items[1]
        }
        #expect(rig.output.copyPixelBuffer(forItemTime: time) != nil)
        rig.player.pause()
        time = rig.output.itemTime(forHostTime: coming)
        #expect(rig.output.item === items[0] && rig.player.currentItem === items[0])
        #expect(rig.output.hasNewPixelBuffer(forItemTime: time))
        rig.look()
        // The position of the clock, although the first frame of the next item had been seen.
        let frame = Int((items[0].currentTime.seconds * 30).rounded(.down))
        #expect(frame >= 27 && rig.seen.last == Self.sightings([(items[0], frame + 1)]).last)
    }

    @Test func `a seek back before the seam plays that part again`() {
        let items = [PlayerItem(.numbered()), PlayerItem(.numbered())]
        let rig = QueueRig(items)
        rig.play()
        rig.advance(milliseconds: 900)
        let landed = Monitor<Bool?>(nil)
        items[0].seek(to: .zero) { done in landed.change { $0 = done } }
        #expect(landed.wait { $0 })
        rig.wait { rig.player.timeControlStatus == .playing }
        rig.advance(milliseconds: 500)
        #expect(rig.player.currentItem === items[0])
        rig.advance(milliseconds: 800)
        #expect(rig.player.currentItem === items[1])
        #expect(rig.seen.suffix(7).first?.frame ?? 0 > 0)
    }

    @Test func `a change of rate moves the seam`() {
        let items = [PlayerItem(.numbered()), PlayerItem(.numbered())]
        let rig = QueueRig(items, hasSound: false)
        rig.play()
        rig.advance(milliseconds: 900)
        rig.player.rate = 0.5
        rig.advance(milliseconds: 100)
        #expect(rig.player.currentItem === items[0])
        rig.advance(milliseconds: 100)
        #expect(rig.player.currentItem === items[1])
        #expect(rig.player.rate == 0.5 && items[1].timebase.rate == 0.5)
        #expect(items[1].currentTime == .zero)
    }

    @Test(arguments: 0..<3)
    func `an item that cannot be opened is skipped`(place: Int) {
        var items = [PlayerItem(.numbered()), PlayerItem(.numbered())]
        let good = items
        let bad = PlayerItem(.bad)
        items.insert(bad, at: place)
        let rig = QueueRig(items)
        rig.player.play()
        rig.wait { rig.player.currentItem === good[0] && rig.player.timeControlStatus == .playing }
        rig.advance(milliseconds: 2200)
        #expect(rig.wait { rig.player.state.skippedItemCount == 1 })
        #expect(bad.error == SyntheticMedia.badReason)
        #expect(rig.player.skippedItems.map(ObjectIdentifier.init) == [ObjectIdentifier(bad)])
        #expect(rig.seen == Self.sightings(good.map { ($0, 30) }))
        let expected = Self.samples([(48_000, 48_000), (48_000, 48_000)])
        #expect(Array(Self.heard(rig).prefix(expected.count)) == expected)
        #expect(rig.player.items.isEmpty)
    }

    @Test func `the only item stays when it cannot be opened, until another is inserted`() {
        let bad = PlayerItem(.bad)
        let good = PlayerItem(.numbered())
        let rig = QueueRig([bad])
        #expect(rig.wait { bad.error != nil })
        #expect(rig.player.currentItem === bad)
        rig.player.play()
        #expect(rig.player.insert(good, after: nil))
        #expect(rig.wait { rig.player.timeControlStatus == .playing })
        #expect(rig.player.currentItem === good)
        #expect(bad.error == SyntheticMedia.badReason)
    }

    @Test func `an item is inserted once, and not after a missing one`() {
        let (first, second, third) = (
            PlayerItem(.numbered()), PlayerItem(.numbered()), PlayerItem(.numbered())
        )
        let rig = QueueRig([first, first])
        #expect(rig.player.items.count == 1)
        #expect(!rig.player.canInsert(first, after: nil))
        #expect(!rig.player.insert(second, after: third))
        #expect(rig.player.insert(second, after: nil))
        #expect(rig.player.insert(third, after: first))
        let order = [first, third, second].map(ObjectIdentifier.init)
        #expect(rig.player.items.map(ObjectIdentifier.init) == order)
        rig.player.remove(third)
        #expect(!rig.player.canInsert(third, after: nil))
        #expect(rig.player.items.count == 2)
    }

    @Test func `an item inserted before the next one replaces it as the next`() {
        let items = [PlayerItem(.numbered()), PlayerItem(.numbered())]
        let between = PlayerItem(.numbered())
        let rig = QueueRig(items)
        rig.play()
        rig.advance(milliseconds: 950)
        #expect(rig.player.insert(between, after: items[0]))
        rig.advance(milliseconds: 2300)
        #expect(rig.seen == Self.sightings([items[0], between, items[1]].map { ($0, 30) }))
        let expected = Self.samples(Array(repeating: (48_000, 48_000), count: 3))
        #expect(Array(Self.heard(rig).prefix(expected.count)) == expected)
    }

    @Test func `removing the next item lets the one after it follow`() {
        let items = (0..<3).map { _ in PlayerItem(.numbered()) }
        let rig = QueueRig(items)
        rig.play()
        rig.advance(milliseconds: 950)
        rig.player.remove(items[1])
        rig.advance(milliseconds: 1300)
        #expect(rig.seen == Self.sightings([items[0], items[2]].map { ($0, 30) }))
        let expected = Self.samples(Array(repeating: (48_000, 48_000), count: 2))
        #expect(Array(Self.heard(rig).prefix(expected.count)) == expected)
    }

    @Test func `removing the current item advances to the next`() {
        let items = (0..<2).map { _ in PlayerItem(.numbered()) }
        let rig = QueueRig(items)
        rig.play()
        rig.advance(milliseconds: 400)
        rig.player.remove(items[0])
        #expect(rig.player.currentItem === items[1])
        #expect(rig.wait { rig.player.timeControlStatus == .playing })
        rig.advance(milliseconds: 1200)
        #expect(rig.seen.last == QueueRig.Sighting(item: ObjectIdentifier(items[1]), frame: 29))
        #expect(rig.player.items.isEmpty)
    }

    @Test func `advancing manually ends an item where it is`() {
        let items = (0..<2).map { _ in PlayerItem(.numbered()) }
        let rig = QueueRig(items)
        rig.play()
        rig.advance(milliseconds: 950)
        rig.player.advanceToNextItem()
        #expect(rig.player.currentItem === items[1] && rig.player.rate == 1)
        #expect(rig.wait { rig.player.timeControlStatus == .playing })
        #expect(items[1].currentTime == .zero)
        #expect(items[0].state.playedToEndCount == 0)
    }

    @Test func `an item released while it opens does not affect the others`() {
        let gate = OpeningGate()
        let first = PlayerItem(.numbered())
        let last = PlayerItem(.numbered())
        let rig = QueueRig([first])
        do {
            let item = PlayerItem(gate.before(.numbered()))
            rig.player.insert(item, after: nil)
            rig.player.insert(last, after: nil)
            rig.play()
            rig.player.remove(item)
        }
        gate.open()
        rig.advance(milliseconds: 2200)
        #expect(rig.seen == Self.sightings([first, last].map { ($0, 30) }))
    }

    @Test func `an item that is not ready in time starts as soon as it is ready`() {
        let gate = OpeningGate()
        let items = [PlayerItem(.numbered()), PlayerItem(gate.before(.numbered()))]
        let rig = QueueRig(items)
        rig.play()
        for _ in 0..<120 {
            rig.wait { items[0].pipeline.isAhead }
            rig.sink.advance(to: rig.clock.time + MediaTime(value: 10, timescale: 1000))
            rig.look()
        }
        #expect(rig.player.currentItem === items[1])
        #expect(rig.player.timeControlStatus == .waitingToPlayAtSpecifiedRate)
        gate.open()
        #expect(rig.wait { rig.player.timeControlStatus == .playing })
        rig.advance(milliseconds: 1200)
        #expect(rig.seen == Self.sightings(items.map { ($0, 30) }))
    }

    @Test func `volume and clock of the player apply to the next item`() {
        let items = (0..<2).map { _ in PlayerItem(.numbered()) }
        let rig = QueueRig(items)
        rig.player.isMuted = true
        rig.play()
        rig.advance(milliseconds: 1500)
        #expect(rig.player.currentItem === items[1])
        #expect(rig.heard.isEmpty)
        let clock = ManualClock(time: rig.clock.time)
        rig.player.masterClock = clock
        #expect(items[1].timebase.ultimateMasterClock === clock)
    }

    @Test func `an emptied queue shows nothing and plays the next insertion`() {
        let items = (0..<3).map { _ in PlayerItem(.numbered()) }
        let rig = QueueRig(Array(items.prefix(2)))
        rig.play()
        rig.advance(milliseconds: 200)
        rig.player.removeAllItems()
        #expect(rig.player.items.isEmpty && rig.wait { rig.output.item == nil })
        #expect(rig.sink.status == .ready)
        rig.player.insert(items[2], after: nil)
        #expect(rig.wait { rig.player.timeControlStatus == .playing })
    }

    @Test func `an item that has ended keeps its description`() {
        let items = [PlayerItem(.numbered()), PlayerItem(.numbered())]
        let rig = QueueRig(items)
        let reported = Monitor<PlayerItem.Status?>(nil)
        let token = items[0].observeEvents { event in
            if event == .didPlayToEndTime { reported.change { [items] in $0 = items[0].status } }
        }
        rig.play()
        rig.advance(milliseconds: 1200)
        #expect(rig.player.currentItem === items[1])
        #expect(reported.wait { $0 } == .readyToPlay)
        #expect(items[0].status == .readyToPlay && items[0].state.status == .readyToPlay)
        #expect(items[0].duration == MediaTime(value: 1, timescale: 1))
        #expect(items[0].tracks.count == 2 && items[0].seekableTimeRanges.isEmpty)
        token.cancel()
    }

    @Test func `an item that could not be opened is skipped once the queue advances`() {
        let (bad, good) = (PlayerItem(.bad), PlayerItem(.numbered()))
        let rig = QueueRig()
        rig.player.actionAtItemEnd = .pause
        rig.player.insert(bad, after: nil)
        rig.player.insert(good, after: nil)
        rig.player.play()
        #expect(rig.wait { bad.error != nil })
        #expect(rig.player.currentItem === bad)
        #expect(rig.wait { rig.player.reasonForWaitingToPlay == .noItemToPlay })
        rig.player.actionAtItemEnd = .advance
        #expect(rig.player.currentItem === good)
        #expect(rig.wait { rig.player.timeControlStatus == .playing })
    }

    @Test func `each thread that detects an unplayable item finds the next one current`() {
        let (bad, good) = (PlayerItem(.bad), PlayerItem(.numbered()))
        let rig = QueueRig()
        rig.player.actionAtItemEnd = .pause
        rig.player.insert(bad, after: nil)
        rig.player.insert(good, after: nil)
        #expect(rig.wait { bad.error != nil })
        rig.player.shared.withLock { $0.actionAtItemEnd = .advance }
        let player = rig.player
        let seen = Monitor<[PlayerItem?]>([])
        let detect: @Sendable () -> Void = {
            player.skip(bad)
            seen.change { [item = player.currentItem] in $0.append(item) }
        }
        // The current item cannot change while this runs.
        player.arranging { _ in
            DispatchQueue.global().async(execute: detect)
            #expect(rig.wait { player.skippedItems.count == 1 })
            DispatchQueue.global().async(execute: detect)
            _ = seen.wait(nanoseconds: 50_000_000) { $0.isEmpty ? nil : true }
        }
        #expect(seen.wait { $0.count == 2 ? $0 : nil }.allSatisfy { $0 === good })
        #expect(player.skippedItems.count == 1)
    }

    @Test func `a rate adjustment is neither in the player's rate nor in the next item`() {
        let items = [PlayerItem(.numbered()), PlayerItem(.numbered())]
        let rig = QueueRig(items, hasSound: false)
        items[0].rateAdjustment = 1.003
        rig.play()
        rig.advance(milliseconds: 950)
        #expect(items[0].timebase.rate == 1.003)
        #expect(items[1].pipeline.declaredSuccession != nil && items[1].timebase.rate == 1)
        rig.advance(milliseconds: 200)
        #expect(rig.player.currentItem === items[1])
        #expect(rig.player.rate == 1 && items[1].timebase.rate == 1)
        #expect(rig.seen.prefix(31) == Self.sightings([(items[0], 30), (items[1], 1)])[...])
    }

    @Test func `playing at an end with action pause does not start the next item`() {
        let items = [PlayerItem(.numbered()), PlayerItem(.numbered())]
        let rig = QueueRig(items)
        rig.player.actionAtItemEnd = .pause
        rig.play()
        rig.advance(milliseconds: 1100)
        #expect(items[0].hasPlayedToEnd && rig.player.rate == 0)
        rig.player.play()
        #expect(rig.player.rate == 0)
        rig.player.playImmediately(atRate: 1)
        #expect(rig.player.rate == 0)
        rig.player.advanceToNextItem()
        #expect(rig.player.currentItem === items[1])
        #expect(rig.player.rate == 0 && rig.player.timeControlStatus == .paused)
        rig.play()
        #expect(rig.player.rate == 1)
    }

    @Test func `resuming advances if the action was changed from pause`() {
        let items = [PlayerItem(.numbered()), PlayerItem(.numbered())]
        let rig = QueueRig(items)
        rig.player.actionAtItemEnd = .pause
        rig.play()
        rig.advance(milliseconds: 1100)
        rig.player.actionAtItemEnd = .advance
        #expect(rig.player.currentItem === items[0] && rig.player.rate == 0)
        rig.player.play()
        #expect(rig.player.currentItem === items[1] && rig.player.rate == 1)
        #expect(rig.wait { rig.player.timeControlStatus == .playing })
    }
}
