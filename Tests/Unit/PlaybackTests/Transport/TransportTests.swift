// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime
import Testing
import TransportTestSupport

@testable import PlayheadPlayback

/// The transport alone, without threads, in situations that threads reach only rarely.
@Suite struct TransportTests {
    private static func time(_ milliseconds: Int64) -> MediaTime {
        MediaTime(value: milliseconds, timescale: 1000)
    }

    /// Returns the world of a video of 50 frames, two seconds long.
    private static func world(
        audioEnds: [MediaTime] = [], isRemote: Bool = false, isCurrent: Bool = true
    ) -> TransportWorld {
        var film = TransportModel.Film(
            frameCount: 50, frameDuration: MediaTime(value: 1, timescale: 25), keyframeInterval: 5)
        film.audioEnds = audioEnds
        film.isRemote = isRemote
        var world = TransportWorld(film: film, isCurrent: isCurrent)
        world.settle()
        return world
    }

    // MARK: Audio of another place

    @Test func `audio from before a seek does not count as decoded if reading fails`() {
        var world = Self.world(audioEnds: [Self.time(2000)])
        let log = TransportLog()
        world.seek(to: Self.time(300), isTolerant: false, number: 0, log)
        let generation = world.transport.seek.generation
        let error = MediaError(.damaged, subject: "film", cause: "it ends")
        world.post(.demuxerHasBegun(generation: generation))
        world.post(.readingFailed(error, generation: generation))
        world.post(.videoEnded(at: .invalid, generation: generation))
        world.post(.look)
        #expect(world.transport.seek.requested == nil)
        #expect(world.transport.playbackEnd == Self.time(300))
        #expect(log.results == Self.results(failed: 0))
    }

    @Test func `audio of another track does not tell that the playhead is within the item`() {
        var world = Self.world(audioEnds: [Self.time(4000), Self.time(2000)])
        world.seek(to: Self.time(3000), isTolerant: false, number: 0, TransportLog())
        world.settle()
        world.chooseAudio(1)
        let generation = world.transport.seek.generation
        world.post(.demuxerHasBegun(generation: generation))
        world.post(.videoEnded(at: Self.time(2000), generation: generation))
        world.post(.look)
        world.post(.setRate(-1, isImmediate: false))
        #expect(world.transport.seek.direction == .forward)
        world.settle()
        #expect(world.transport.seek.direction == .reverse)
        #expect(world.transport.seek.reversal?.time == Self.time(2000))
    }

    @Test func `audio after the end of the video ends a lack of data`() {
        var world = Self.world(audioEnds: [Self.time(4000)], isRemote: true)
        world.seek(to: Self.time(1500), isTolerant: false, number: 0, TransportLog())
        world.settle()
        world.rest(after: 49)
        world.settle()
        world.post(.declare(DeclaredStart(rate: 1, time: .invalid, hostTime: world.clock)))
        world.settle()
        // The last frame was missing, and the timeline is beyond it by now.
        world.advance(by: Self.time(660))
        world.settle()
        world.goOn()
        world.settle()
        #expect(world.time > Self.time(2100))
        world.advance(by: Self.time(300))
        world.settle()
        #expect(world.transport.start.isRunning)
        #expect(world.transport.buffering.stallCount == 0)
    }

    /// The frame at the end of reverse playback is decoded forwards after a late end action.
    @Test func `a track that is selected at an end is read once playback leaves the end`() {
        var world = Self.world(audioEnds: [Self.time(2000), Self.time(2000)])
        world.post(.setEndAction(.none))
        world.post(.setEnds(forward: nil, reverse: Self.time(1000)))
        world.seek(to: Self.time(1500), isTolerant: false, number: 0, TransportLog())
        world.settle()
        world.post(.setRate(-1, isImmediate: false))
        world.settle()
        world.advance(by: Self.time(700))
        world.settle()
        world.post(.setEndAction(.pause))
        world.settle()
        #expect(world.transport.ending.hasPlayedToEnd)
        #expect(world.transport.seek.direction == .forward)
        world.chooseAudio(1)
        world.settle()
        #expect(world.audioTrack == 0)
        world.post(.setRate(1, isImmediate: false))
        world.settle()
        #expect(world.transport.start.isRunning && world.audioTrack == 1)
    }

    @Test func `a track that is selected in reverse is decoded backwards from the playhead`() {
        var world = Self.world(audioEnds: [Self.time(2000), Self.time(2000)])
        world.seek(to: Self.time(1500), isTolerant: false, number: 0, TransportLog())
        world.settle()
        world.post(.setRate(-1, isImmediate: false))
        world.settle()
        world.advance(by: Self.time(500))
        let (time, generation) = (world.time, world.transport.seek.generation)
        world.chooseAudio(1)
        #expect(world.transport.tracks.audio?.id == 3)
        #expect(!world.transport.start.isRunning && world.time == time)
        world.settle()
        #expect(world.transport.start.isRunning && world.transport.seek.direction == .reverse)
        #expect(world.transport.seek.generation == generation + 1)
        #expect(world.transport.seek.reversal?.time == time)
        #expect(world.faults.isEmpty)
    }

    // MARK: Holding

    /// Returns a world that holds at 0.8 s because nothing more has arrived.
    private static func holdingWorld() -> TransportWorld {
        var world = Self.world(isRemote: true)
        world.rest(after: 20)
        world.post(.setRate(1, isImmediate: false))
        world.settle()
        for _ in 0..<9 {
            world.advance(by: Self.time(100))
            world.settle()
        }
        return world
    }

    @Test func `a seek ends a hold at once`() {
        var world = Self.holdingWorld()
        #expect(world.transport.isPlaying && !world.transport.start.isRunning)
        world.seek(to: Self.time(200), isTolerant: false, number: 0, TransportLog())
        #expect(!world.transport.isPlaying)
    }

    @Test func `past its end a timeline neither holds nor stalls`() {
        var world = Self.world(isRemote: true)
        world.post(.setEndAction(.none))
        world.post(.setEnds(forward: Self.time(200), reverse: nil))
        world.seek(to: Self.time(400), isTolerant: false, number: 0, TransportLog())
        world.settle()
        world.rest(after: 20)
        world.post(.setRate(1, isImmediate: false))
        world.settle()
        #expect(world.transport.ending.hasPlayedToEnd)
        for _ in 0..<9 {
            world.advance(by: Self.time(100))
            world.settle()
        }
        #expect(world.transport.start.isRunning && world.time == Self.time(1300))
        #expect(world.transport.buffering.stallCount == 0)
    }

    // MARK: Live streams

    private static func window(_ start: Int64, _ end: Int64) -> LiveWindow {
        LiveWindow(
            range: MediaTimeRange(start: time(start), end: time(end)),
            recommendedOffset: time(300))
    }

    @Test func `only requested playback returns to the window of a live stream`() {
        var world = Self.world()
        world.post(.live(Self.window(0, 2000)))
        world.post(.live(Self.window(500, 2000)))
        world.settle()
        #expect(world.time == .zero && world.transport.seek.requested == nil)
        let jumps = world.transport.seek.jumpCount
        world.post(.setRate(1, isImmediate: false))
        #expect(world.transport.seek.requested?.target == Self.time(500))
        world.settle()
        #expect(world.transport.start.isRunning && world.time == Self.time(500))
        #expect(world.transport.seek.jumpCount == jumps + 1)
        // While it plays, the loaded media is played.
        world.post(.live(Self.window(1000, 2000)))
        world.settle()
        #expect(world.transport.start.isRunning && world.time == Self.time(500))
    }

    @Test(arguments: [false, true])
    func `a stall of a live stream keeps the distance from the live edge if asked to`(
        preserves: Bool
    ) {
        var world = Self.world(isRemote: true)
        world.post(.setPreservesLiveOffset(preserves))
        world.rest(after: 20)
        world.post(.setRate(1, isImmediate: false))
        world.settle()
        world.advance(by: Self.time(100))
        // The live edge is one second ahead.
        world.post(.live(Self.window(0, 1100)))
        world.settle()
        for _ in 0..<12 {
            world.advance(by: Self.time(100))
            world.settle()
        }
        #expect(world.transport.buffering.dryness?.isStall == true)
        #expect(world.time == Self.time(800))
        world.post(.live(Self.window(0, 2500)))
        world.goOn()
        world.settle()
        #expect(world.transport.start.isRunning)
        #expect(world.time == Self.time(preserves ? 1500 : 800))
    }

    /// The clock of the server is faster or slower by 200 ppm.
    @Test(arguments: [1.0002, 0.9998])
    func `audio and video of a low-latency stream keep their distance for half an hour`(
        clock: Double
    ) {
        func microseconds(_ seconds: Double) -> MediaTime {
            MediaTime(value: Int64((seconds * 1e6).rounded()), timescale: 1_000_000)
        }
        let (part, offset) = (MediaTime(value: 1, timescale: 3), Self.time(1000))
        let (first, count) = (15, 5400)
        // Two frames are a part.
        var film = TransportModel.Film(
            frameCount: (first + count + 1) * 2, frameDuration: part * 0.5, keyframeInterval: 2)
        film.audioEnds = [film.videoEnd]
        film.isRemote = true
        var world = TransportWorld(film: film, isCurrent: true)
        func publish(_ parts: Int) {
            var window = LiveWindow(
                range: MediaTimeRange(start: .zero, end: part * Int32(parts)),
                recommendedOffset: offset)
            window.partTarget = part
            world.arrive(upTo: parts * 2)
            world.post(.live(window))
            world.settle()
        }
        world.post(.setPreservesLiveOffset(true))
        publish(first)
        let start = world.loadedEnd - offset - part
        world.seek(to: start, isTolerant: false, number: 0, TransportLog())
        world.settle()
        world.post(.setRate(1, isImmediate: false))
        world.settle()
        let begin = world.clock
        var rates: Set<Double> = []
        for number in 1...count {
            let due = begin + microseconds(Double(number) / 3 / clock)
            while world.clock < due {
                world.advance(by: min(due - world.clock, Self.time(100)))
                world.settle()
            }
            publish(first + number)
            rates.insert(world.rate)
            let distance = (world.loadedEnd - world.time - offset).seconds
            #expect(distance < part.seconds + 0.021, "part \(number)")
            // A playhead that comes closer does not wait until it has to.
            #expect(distance > -0.05, "part \(number)")
        }
        #expect(world.transport.buffering.stallCount == 0)
        #expect(world.audioReached > world.time)
        #expect(rates == (clock > 1 ? [1, 1.005] : [1]))
        #expect(world.faults == [])
    }

    @Test func `a live stream that ends has a duration`() throws {
        var world = Self.world()
        var window = Self.window(500, 1700)
        window.hasEnded = true
        world.post(.live(window))
        let description = try #require(world.transport.tracks.description)
        #expect(description.startTime == Self.time(500))
        #expect(description.duration == Self.time(1200))
    }

    // MARK: Queues

    @Test func `a declared start that lies beyond the end ends in the same step`() {
        var world = Self.world(isCurrent: false)
        world.post(.setEnds(forward: Self.time(100), reverse: nil))
        world.settle()
        world.follow(world.clock - Self.time(200), rate: 1, remaining: Self.time(-200))
        #expect(world.transport.ending.hasPlayedToEnd && !world.transport.start.isRunning)
        #expect(world.time == Self.time(100))
    }

    @Test func `an item that takes over runs beside the other one until its audio is heard`() {
        var world = Self.world(isCurrent: false)
        world.follow(
            world.clock + Self.time(300), rate: 1, remaining: Self.time(300),
            itemTime: Self.time(500))
        #expect(world.time == Self.time(200))
        #expect(world.transport.start.audioStart == Self.time(500))
        world.advance(by: Self.time(100))
        // The other item is played at another rate, and reaches the takeover earlier.
        world.follow(
            world.clock + Self.time(100), rate: 2, remaining: Self.time(100),
            itemTime: Self.time(500))
        #expect(world.time == Self.time(300))
        world.advance(by: Self.time(100))
        #expect(world.time == Self.time(500))
        // The other item is paused.
        world.follow(nil, rate: 0, remaining: .invalid)
        #expect(!world.transport.start.isRunning && world.time == .zero)
        world.settle()
        // An item that does not take over is heard from its first frame on.
        world.follow(world.clock + Self.time(100), rate: 1, remaining: Self.time(100))
        #expect(!world.transport.start.audioStart.isNumeric)
    }

    @Test func `an item with a declared start keeps it when another audio track is chosen`() {
        var world = Self.world(
            audioEnds: [Self.time(2000), Self.time(2000)], isCurrent: false)
        world.follow(world.clock + Self.time(500), rate: 1, remaining: Self.time(500))
        world.chooseAudio(1)
        world.settle()
        #expect(world.transport.ending.succession != nil)
        #expect(world.transport.start.desiredRate == 1 && world.transport.start.isRunning)
        world.advance(by: Self.time(700))
        #expect(world.time == Self.time(200))
    }

    // MARK: Ends

    @Test func `a later action at the end shows the frame there`() {
        var world = Self.world()
        world.post(.setEndAction(.none))
        world.post(.setEnds(forward: Self.time(200), reverse: nil))
        world.seek(to: Self.time(400), isTolerant: false, number: 0, TransportLog())
        world.settle()
        world.post(.setRate(1, isImmediate: false))
        world.settle()
        world.advance(by: Self.time(1000))
        world.settle()
        world.post(.setEndAction(.pause))
        world.settle()
        #expect(world.transport.ending.hasPlayedToEnd && world.time == Self.time(400))
        #expect(world.frameStart(at: world.time) == Self.time(400))
    }

    @Test func `an end moved ahead of a running timeline is reached again`() {
        var world = Self.world()
        world.post(.setEndAction(.none))
        world.post(.setEnds(forward: Self.time(200), reverse: nil))
        world.post(.setRate(1, isImmediate: false))
        world.settle()
        world.advance(by: Self.time(400))
        world.settle()
        #expect(world.transport.ending.hasPlayedToEnd)
        world.post(.setEnds(forward: Self.time(800), reverse: nil))
        #expect(!world.transport.ending.hasPlayedToEnd)
        world.advance(by: Self.time(600))
        world.settle()
        #expect(world.transport.ending.count == 2)
    }

    @Test func `playback turns back from an end that it passed with nothing decoded there`() {
        var world = Self.world(isRemote: true)
        world.post(.setEndAction(.none))
        world.post(.setEnds(forward: Self.time(200), reverse: nil))
        world.seek(to: Self.time(400), isTolerant: false, number: 0, TransportLog())
        world.settle()
        world.rest(after: 20)
        world.post(.setRate(1, isImmediate: false))
        world.settle()
        for _ in 0..<9 {
            world.advance(by: Self.time(100))
            world.settle()
        }
        world.post(.setRate(-1, isImmediate: false))
        world.settle()
        #expect(world.transport.seek.direction == .reverse && world.transport.start.isRunning)
        #expect(world.time == Self.time(400))
    }

    private static func results(failed number: Int) -> TransportResults {
        var results = TransportResults()
        results.note(number, false)
        return results
    }
}
