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

/// A composition in a player: backwards, seeks, steps, loops and queues, as for a file.
@Suite struct CompositionTransportTests {
    private static func at(_ frame: Int) -> MediaTime { CompositionCuts.at(frame) }

    private static func sightings(_ item: PlayerItem, _ numbers: some Sequence<Int>)
        -> [QueueRig.Sighting]
    {
        numbers.map { QueueRig.Sighting(item: ObjectIdentifier(item), frame: $0) }
    }

    /// Returns the samples of `count` frames of a video from its start, which are numbered.
    private static func samples(frames count: Int) -> [Float] {
        (0..<(count * CompositionCuts.samplesPerFrame)).map { Float($0) / Float(1 << 22) }
    }

    // MARK: - Backwards, seeks and steps

    @Test(arguments: [-1.0, -2, -0.5])
    func `backwards each frame of each cut is shown, in reverse order`(rate: Double) throws {
        let cuts = try CompositionCuts(hasSound: false)
        let rig = Rig(cuts.makeItem(), isPlaying: false)
        let count = cuts.numbers.count
        #expect(rig.seek(to: Self.at(count - 1)))
        rig.player.rate = rate
        rig.waitUntil { $0.isRunning }
        var shown: [Int] = []
        let step = Self.at(1).multiplied(by: 1, over: 3) * (1 / abs(rate))
        while rig.player.rate != 0 {
            let time = rig.item.currentTime
            _ = rig.output.waitForPixelBuffer(after: time)
            if rig.output.hasNewPixelBuffer(forItemTime: time), let frame = rig.takeFrame() {
                shown.append(frame)
            }
            rig.clock.advance(to: rig.clock.time + step)
            if rig.item.currentTime <= .zero { rig.waitUntil { $0.hasPlayedToEnd } }
        }
        if let frame = rig.takeFrame(), frame != shown.last { shown.append(frame) }
        #expect(shown == cuts.numbers.reversed())
        #expect(rig.item.statistics.droppedFrames == 0)
    }

    @Test func `backwards the samples of each cut are heard, in reverse order`() throws {
        let cuts = try CompositionCuts()
        let clock = ManualClock(time: MediaTime(value: 100, timescale: 1))
        let sink = CaptureAudioSink(clock: clock)
        let item = cuts.makeItem()
        let player = Player(playerItem: item, audioSink: sink)
        let end = Self.at(cuts.numbers.count)
        let landed = Monitor<Bool?>(nil)
        item.seek(to: end, toleranceBefore: .zero, toleranceAfter: .zero) { isDone in
            landed.change { $0 = isDone }
        }
        #expect(landed.wait { $0 })
        player.rate = -1
        item.pipeline.control.wait { $0.isRunning && $0.direction == .reverse ? true : nil }
        let start = try #require(item.timebase.hostTime(at: end))
        while !item.hasPlayedToEnd {
            sink.advance(milliseconds: 10, on: clock, playing: item)
            guard item.currentTime <= .zero else { continue }
            item.pipeline.control.wait { $0.hasPlayedToEnd ? true : nil }
        }
        let run = try #require(sink.runs.last)
        let lead = (start - MediaTime(nanoseconds: run.clockTime)).converted(toTimescale: 48_000)
        let left = stride(from: 0, to: run.samples.count, by: 2).map { run.samples[$0] }
        let heard = left.dropFirst(Int(lead.value)).prefix(cuts.samples.count)
        #expect(Array(heard) == cuts.samples.reversed())
    }

    @Test func `a reversal at a cut shows the frames on both sides`() throws {
        let cuts = try CompositionCuts(hasSound: false)
        let rig = Rig(cuts.makeItem())
        rig.advance(to: Self.at(10))
        #expect(rig.takeFrame() == cuts.numbers[10])
        rig.player.rate = -1
        rig.waitUntil { $0.isRunning && $0.direction == .reverse }
        rig.advance(to: Self.at(12))
        #expect(rig.item.currentTime == Self.at(8))
        #expect(rig.takeFrame() == cuts.numbers[8])
        rig.player.rate = 1
        rig.waitUntil { $0.isRunning && $0.direction == .forward }
        rig.advance(to: Self.at(13))
        #expect(rig.item.currentTime == Self.at(9))
        #expect(rig.takeFrame() == cuts.numbers[9])
    }

    @Test func `steps go from frame to frame across cuts, in both directions`() throws {
        let cuts = try CompositionCuts(hasSound: false)
        let rig = Rig(cuts.makeItem(), isPlaying: false)
        #expect(rig.seek(to: Self.at(3)))
        #expect(rig.takeFrame() == cuts.numbers[3])
        for index in 4..<cuts.numbers.count {
            rig.item.step(byCount: 1)
            rig.waitUntil { $0.seek == nil && $0.steps.isEmpty }
            #expect(rig.takeFrame() == cuts.numbers[index], "frame \(index)")
            #expect(rig.item.currentTime == Self.at(index))
        }
        for index in (0..<(cuts.numbers.count - 1)).reversed() {
            rig.item.step(byCount: -1)
            rig.waitUntil { $0.seek == nil && $0.steps.isEmpty }
            #expect(rig.takeFrame() == cuts.numbers[index], "frame \(index), backwards")
            #expect(rig.item.currentTime == Self.at(index))
        }
        rig.item.step(byCount: 30)
        rig.waitUntil { $0.seek == nil && $0.steps.isEmpty }
        #expect(rig.takeFrame() == cuts.numbers[30])
    }

    @Test func `after seeks that replace one another the frame of the last one is shown`() throws {
        let cuts = try CompositionCuts(hasSound: false)
        let rig = Rig(cuts.makeItem(), isPlaying: false)
        var random = SplitMix64(seed: 21)
        var last = -1
        for _ in 0..<30 {
            for _ in 0..<5 {
                let index = Int.random(in: cuts.numbers.indices, using: &random)
                rig.item.seek(
                    to: Self.at(index), toleranceBefore: .zero, toleranceAfter: .zero)
            }
            let index = Int.random(in: cuts.numbers.indices, using: &random)
            guard index != last else { continue }
            last = index
            #expect(rig.seek(to: Self.at(index)))
            #expect(rig.takeFrame() == cuts.numbers[index], "frame \(index)")
        }
    }

    @Test func `a seek while playing continues with the frames of the cuts`() throws {
        let cuts = try CompositionCuts(hasSound: false)
        let rig = Rig(cuts.makeItem())
        var random = SplitMix64(seed: 22)
        for _ in 0..<8 {
            let target = Int.random(in: 0..<(cuts.numbers.count - 12), using: &random)
            #expect(rig.seek(to: Self.at(target)))
            rig.waitUntil { $0.isRunning && $0.seek == nil }
            let start = rig.clock.time
            for index in 0..<10 {
                rig.advance(to: start + Self.at(index))
                #expect(rig.item.currentTime == Self.at(target + index))
                guard let frame = rig.takeFrame() else { continue }
                #expect(frame == cuts.numbers[target + index], "frame \(target + index)")
            }
        }
    }

    // MARK: - Loops

    @Test func `a range of a composition loops exactly to frame and sample`() throws {
        let cuts = try CompositionCuts()
        let rig = QueueRig()
        // From within a cut to within another one.
        let frames = 5..<25
        let looper = PlayerLooper(
            player: rig.player, templateItem: cuts.makeItem(),
            timeRange: MediaTimeRange(start: Self.at(5), end: Self.at(25)))
        #expect(rig.wait { looper.status == .ready })
        rig.play()
        rig.advance(milliseconds: 3300)
        let perFrame = CompositionCuts.samplesPerFrame
        let round = cuts.samples[(5 * perFrame)..<(25 * perFrame)]
        let expected = (0..<4).flatMap { _ in round }
        #expect(Array(rig.heard.prefix(expected.count)) == expected)
        let seen = rig.seen.map(\.frame)
        #expect(seen.count >= 80)
        #expect(seen == seen.indices.map { cuts.numbers[frames.lowerBound + $0 % frames.count] })
        #expect(looper.loopCount >= 4)
    }

    // MARK: - Queues

    @Test func `a composition follows a file, and a file a composition, without a gap`() throws {
        let cuts = try CompositionCuts()
        let others = try CompositionCuts([
            .init(start: 70, count: 6), .init(start: 30, count: 8), .init(start: 50, count: 11),
        ])
        let file = SyntheticMedia.numbered(frames: 25, framesPerSecond: 25)
        let items = [
            cuts.makeItem(), PlayerItem(file), others.makeItem(), cuts.makeItem(),
            PlayerItem(file),
        ]
        let rig = QueueRig(items)
        rig.play()
        let frames = [cuts.numbers.count, 25, others.numbers.count, cuts.numbers.count, 25]
        rig.advance(milliseconds: Int64(frames.reduce(0, +) * 40) + 100)
        let numbered = Self.samples(frames: 25)
        let expected = cuts.samples + numbered + others.samples + cuts.samples + numbered
        let heard = rig.heard
        #expect(Array(heard.prefix(expected.count)) == expected)
        #expect(heard.dropFirst(expected.count).allSatisfy { $0 == 0 })
        let seen = zip(
            items, [cuts.numbers, Array(0..<25), others.numbers, cuts.numbers, Array(0..<25)]
        ).flatMap(Self.sightings)
        #expect(rig.seen == seen)
        #expect(rig.player.items.isEmpty)
    }

    // MARK: - Ranges without media

    @Test func `audio that ends before the video is followed by silence to the end`() throws {
        let cuts = try CompositionCuts()
        let count = cuts.numbers.count
        let audio = try #require(cuts.composition.mutableTracks.first { $0.mediaType == .audio })
        let half = 24
        try audio.removeTimeRange(
            MediaTimeRange(start: Self.at(half), duration: Self.at(count - half)))
        let (item, next) = (cuts.makeItem(), PlayerItem(.numbered()))
        let rig = QueueRig([item, next])
        rig.play()
        rig.advance(milliseconds: Int64(count * 40 + 1000))
        let perFrame = CompositionCuts.samplesPerFrame
        let silence = [Float](repeating: 0, count: (count - half) * perFrame)
        let expected = cuts.samples[..<(half * perFrame)] + silence
        let heard = rig.heard
        #expect(Array(heard.prefix(expected.count)) == Array(expected))
        #expect(Array(heard.dropFirst(expected.count).prefix(47_000)).last != 0)
        #expect(rig.seen.filter { $0.item == ObjectIdentifier(item) }.map(\.frame) == cuts.numbers)
    }

    /// A composition whose tracks have a second without media.
    enum Gap: Sendable, CaseIterable {
        case inAudio, atTheStartOfAudio, inBoth
    }

    @Test(arguments: Gap.allCases)
    func `a range without media plays as silence, and playback does not wait`(gap: Gap) throws {
        let cuts = try CompositionCuts()
        let count = cuts.numbers.count
        let perFrame = CompositionCuts.samplesPerFrame
        let place = gap == .atTheStartOfAudio ? 0 : 20
        let range = MediaTimeRange(start: Self.at(place), duration: Self.at(25))
        let silence = [Float](repeating: 0, count: 25 * perFrame)
        if gap == .inBoth {
            try cuts.composition.insertEmptyTimeRange(range)
        } else {
            let audio = try #require(
                cuts.composition.mutableTracks.first { $0.mediaType == .audio })
            try audio.insertEmptyTimeRange(range)
        }
        let heardFirst = cuts.samples[..<(place * perFrame)]
        let expected = heardFirst + silence + cuts.samples[(place * perFrame)...]
        let item = cuts.makeItem()
        let rig = QueueRig([item])
        rig.play()
        let start = rig.clock.time
        rig.advance(milliseconds: Int64((count + 25) * 40) + 100)
        let heard = rig.heard
        let audible = gap == .atTheStartOfAudio ? expected[(25 * perFrame)...] : expected
        #expect(Array(heard.prefix(audible.count)) == Array(audible))
        #expect(rig.seen.map(\.frame) == cuts.numbers)
        #expect(item.state.playedToEndCount == 1)
        // The timeline was not held: the item ended when its duration had passed.
        #expect(
            rig.clock.time - start
                == MediaTime(value: Int64((count + 25) * 40 + 100), timescale: 1000))
        #expect(rig.player.items.isEmpty)
    }

    @Test func `video without media for a while continues at its time`() throws {
        let cuts = try CompositionCuts()
        let video = try #require(cuts.composition.mutableTracks.first { $0.mediaType == .video })
        // Removed and replaced by nothing: what follows keeps its time.
        let range = MediaTimeRange(start: Self.at(12), duration: Self.at(10))
        try video.removeTimeRange(range)
        try video.insertEmptyTimeRange(range)
        let item = cuts.makeItem()
        let rig = QueueRig([item])
        rig.play()
        rig.advance(milliseconds: Int64(cuts.numbers.count * 40) + 100)
        #expect(Array(rig.heard.prefix(cuts.samples.count)) == cuts.samples)
        #expect(
            rig.seen.map(\.frame) == Array(cuts.numbers[..<12]) + Array(cuts.numbers[22...]))
    }
}
