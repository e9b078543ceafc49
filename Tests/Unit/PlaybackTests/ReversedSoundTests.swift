// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport
import PlayheadAssets
import PlayheadAudio
import PlayheadBuffers
import PlayheadStretching
import PlayheadThreads
import PlayheadTime
import RealTimeTestSupport
import Testing

@testable import PlayheadPlayback

/// Reverse playback with an audio device that records samples and their times.
@Suite struct ReversedSoundTests {
    private static let rate = 48_000
    private static let duration = MediaTime(value: 4, timescale: 1)

    /// A video of four seconds whose samples are their own numbers.
    private static let media = SyntheticMedia(
        frameTimes: SyntheticFrameTimes(framesPerSecond: 30, duration: duration),
        sounds: [SyntheticSound(.sampleNumbers, duration: duration)])

    private struct Rig {
        let clock = ManualClock(time: MediaTime(value: 100, timescale: 1))
        let sink: CaptureAudioSink
        let item: PlayerItem
        let player: Player

        /// Creates a rig at a time of the item.
        init(_ media: SyntheticMedia = ReversedSoundTests.media, at time: MediaTime) {
            item = PlayerItem(asset: SyntheticAsset(media))
            sink = CaptureAudioSink(clock: clock)
            player = Player(
                playerItem: item,
                audioSink: GuardedSink(sink) { Issue.record("\($0.description)") })
            seek(to: time)
        }

        func seek(to time: MediaTime) {
            let landed = Monitor<Bool?>(nil)
            item.seek(to: time, toleranceBefore: .zero, toleranceAfter: .zero) { isDone in
                landed.change { $0 = isDone }
            }
            #expect(landed.wait { $0 })
        }

        func play(rate: Double) {
            let direction = PlaybackDirection(rate: rate)
            player.rate = rate
            item.pipeline.control.wait { $0.isRunning && $0.direction == direction ? true : nil }
        }

        func advance(milliseconds: Int64) {
            sink.advance(milliseconds: milliseconds, on: clock, playing: item)
        }

        /// Advances until playback has ended.
        func playToEnd() {
            while !item.hasPlayedToEnd {
                advance(milliseconds: 10)
                guard item.currentTime <= item.pipeline.reverseEnd else { continue }
                item.pipeline.control.wait { $0.hasPlayedToEnd ? true : nil }
            }
        }

        /// The left channel of what was last heard, from a time of the item on.
        func heard(since time: MediaTime) -> [Float] {
            guard let run = sink.runs.last, let start = item.timebase.hostTime(at: time) else {
                return []
            }
            let lead = (start - MediaTime(nanoseconds: run.clockTime))
                .converted(toTimescale: Int32(ReversedSoundTests.rate)).value
            let samples = stride(from: 0, to: run.samples.count, by: 2).map { run.samples[$0] }
            #expect(samples.prefix(Int(lead)).allSatisfy { $0 == 0 })
            return Array(samples.dropFirst(Int(lead)))
        }

        /// The numbers of the samples that were heard in each run, without silence around them.
        var numbers: [[Int]] {
            sink.runs.map { run in
                let left = stride(from: 0, to: run.samples.count, by: 2).map { run.samples[$0] }
                let sound = left.drop { $0 == 0 }
                let end = sound.lastIndex { $0 != 0 }.map { $0 + 1 } ?? sound.startIndex
                return sound[..<end].map(ReversedSoundTests.number)
            }
        }

        var currentFrame: Int {
            Int(item.currentTime.converted(toTimescale: Int32(ReversedSoundTests.rate)).value)
        }
    }

    private static func number(_ sample: Float) -> Int { Int((sample * Float(1 << 22)).rounded()) }

    private static func seconds(_ seconds: Double) -> MediaTime {
        MediaTime(seconds: seconds, preferredTimescale: 1000)
    }

    @Test func `at -1 the samples are heard in reverse order, each at its time`() {
        let start = Self.seconds(3)
        let rig = Rig(at: start)
        rig.play(rate: -1)
        rig.advance(milliseconds: 2500)
        let heard = rig.heard(since: start).map(Self.number)
        #expect(heard.count >= 120_000)
        #expect(Array(heard.prefix(120_000)) == (24_000..<144_000).reversed())
        let statistics = rig.item.pipeline.control.withLock { $0.renderer?.statistics }
        #expect(statistics?.underruns == 0 && statistics?.skippedFrames == 0)
    }

    @Test func `audio ends with the first sample, at the beginning of the item`() {
        let rig = Rig(at: Self.seconds(1))
        rig.play(rate: -1)
        rig.playToEnd()
        #expect(rig.item.currentTime == .zero)
        // Sample 0 has the value of silence.
        #expect(rig.numbers.last == (1..<48_000).reversed())
    }

    @Test func `audio plays from the end of the item to its beginning`() {
        let rig = Rig(at: Self.duration)
        rig.play(rate: -1)
        rig.playToEnd()
        #expect(rig.numbers.last == (1..<192_000).reversed())
    }

    @Test func `audio without video is reversed too`() {
        let media = SyntheticMedia(
            frameTimes: nil, sounds: [SyntheticSound(.sampleNumbers, duration: Self.duration)])
        let rig = Rig(media, at: Self.seconds(2))
        rig.play(rate: -1)
        rig.playToEnd()
        #expect(rig.numbers.last == (1..<96_000).reversed())
    }

    @Test func `a change of direction continues at the playhead, without samples of the other one`()
        throws
    {
        let rig = Rig(at: Self.seconds(1))
        rig.play(rate: 1)
        rig.advance(milliseconds: 500)
        var turns = [48_000]
        for rate in [-1.0, 1, -1] {
            turns.append(rig.currentFrame)
            rig.play(rate: rate)
            rig.advance(milliseconds: 400)
        }
        let runs = rig.numbers.filter { !$0.isEmpty }
        try #require(runs.count == 4)
        for (index, numbers) in runs.enumerated() {
            let isForward = index.isMultiple(of: 2)
            let first = try #require(numbers.first)
            #expect(abs(first - (isForward ? turns[index] : turns[index] - 1)) <= 1)
            let step = isForward ? 1 : -1
            #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $1 == $0 + step })
            guard index < 3 else { continue }
            // What the device had taken and not played is dropped.
            let last = try #require(numbers.last)
            #expect(abs(last - (isForward ? turns[index + 1] - 1 : turns[index + 1])) <= 1)
        }
    }

    @Test func `a pause neither loses nor repeats a sample`() throws {
        let rig = Rig(at: Self.seconds(3))
        rig.play(rate: -1)
        rig.advance(milliseconds: 500)
        rig.player.pause()
        rig.advance(milliseconds: 200)
        rig.play(rate: -1)
        rig.advance(milliseconds: 500)
        let numbers = rig.numbers.filter { !$0.isEmpty }
        try #require(numbers.count == 2)
        #expect(abs(numbers[0][numbers[0].count - 1] - numbers[1][0] - 1) <= 1)
        for run in numbers { #expect(zip(run, run.dropFirst()).allSatisfy { $1 == $0 - 1 }) }
    }

    @Test func `after a seek, audio continues backwards at the target`() throws {
        let rig = Rig(at: Self.seconds(3))
        rig.play(rate: -1)
        rig.advance(milliseconds: 300)
        rig.seek(to: Self.seconds(2))
        rig.item.pipeline.control.wait { $0.isRunning && $0.direction == .reverse ? true : nil }
        rig.advance(milliseconds: 300)
        let numbers = try #require(rig.numbers.last)
        #expect(numbers.first == 95_999)
        #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $1 == $0 - 1 })
    }

    @Test func `a set end in reverse is exact to the sample`() {
        let rig = Rig(at: Self.seconds(2))
        rig.item.reversePlaybackEndTime = MediaTime(value: 60_123, timescale: 48_000)
        rig.play(rate: -1)
        rig.playToEnd()
        #expect(rig.numbers.last == (60_123..<96_000).reversed())
    }

    @Test func `a loop in reverse repeats its range`() throws {
        let rig = Rig(at: Self.seconds(1.5))
        rig.item.setLoop(from: Self.seconds(1), to: Self.seconds(1.5), count: 2)
        rig.play(rate: -1)
        for round in 1...2 {
            while rig.item.loopProgress.done < round { rig.advance(milliseconds: 10) }
            rig.item.pipeline.control.wait {
                $0.isRunning && $0.direction == .reverse && $0.seek == nil ? true : nil
            }
        }
        rig.advance(milliseconds: 200)
        let runs = rig.numbers.filter { !$0.isEmpty }
        try #require(runs.count == 3)
        for numbers in runs {
            #expect(numbers.first == 71_999)
            #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $1 == $0 - 1 })
        }
        #expect(runs[0].last == 48_000 && runs[1].last == 48_000)
    }

    @Test(arguments: [-0.25, -0.5, -1.5, -2, -4])
    func `audio is heard at the rates at which it is heard forwards`(rate: Double) {
        var media = Self.media
        media.sounds = [SyntheticSound(.tone(440), duration: Self.duration)]
        let rig = Rig(media, at: Self.seconds(3.5))
        rig.play(rate: rate)
        rig.advance(milliseconds: 600)
        let heard = rig.heard(since: Self.seconds(3.5)).prefix(24_000).dropFirst(2400)
        let peak = heard.map(abs).max() ?? 0
        #expect(peak > 0.45 && peak < 0.55)
        // The pitch is kept.
        let rises = zip(heard, heard.dropFirst()).filter { $0 < 0 && $1 >= 0 }.count
        #expect(abs(rises - 440 * heard.count / Self.rate) <= 6)
    }

    @Test func `beyond the rates of the algorithm there is silence, and audio returns`() throws {
        let rig = Rig(at: Self.duration)
        rig.play(rate: -8)
        rig.advance(milliseconds: 200)
        #expect(rig.sink.samples.allSatisfy { $0 == 0 })
        rig.player.rate = -1
        rig.advance(milliseconds: 300)
        let numbers = try #require(rig.numbers.last)
        #expect(!numbers.isEmpty)
        #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $1 == $0 - 1 })
    }

    @Test(arguments: [-0.125, -5, -8, -16])
    func `at a rate without audio, none is read, and audio returns at the playhead`(
        rate: Double
    ) throws {
        let openingCount = Monitor(0)
        var media = SyntheticMedia(
            frameTimes: nil, sounds: [SyntheticSound(.sampleNumbers, duration: Self.duration)])
        media.faults.willOpen = { _ in openingCount.change { $0 += 1 } }
        let rig = Rig(media, at: Self.duration)
        rig.play(rate: rate)
        try eventually("everything to be decoded") { rig.player.isAhead }
        rig.advance(milliseconds: 100)
        #expect(rig.sink.samples.allSatisfy { $0 == 0 })
        #expect(openingCount.withLock { $0 } == 1)
        let turn = rig.currentFrame
        rig.player.rate = -1
        rig.advance(milliseconds: 300)
        #expect(openingCount.withLock { $0 } == 2)
        let numbers = try #require(rig.numbers.last)
        // The device had already taken silence.
        let taken = rig.sink.latency.converted(toTimescale: Int32(Self.rate)).value
        #expect(abs((numbers.first ?? 0) - (turn - 1 - Int(taken))) <= 1)
        #expect(numbers.count > 9600)
        #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $1 == $0 - 1 })
    }

    @Test func `another treatment of pitch lets a rate be heard that was silent`() throws {
        var media = Self.media
        media.sounds = [SyntheticSound(.tone(440), duration: Self.duration)]
        let rig = Rig(media, at: Self.duration)
        rig.play(rate: -8)
        rig.advance(milliseconds: 100)
        #expect(rig.sink.samples.allSatisfy { $0 == 0 })
        rig.item.audioTimePitchAlgorithm = .varispeed
        rig.advance(milliseconds: 100)
        #expect(rig.sink.samples.contains { abs($0) > 0.1 })
    }

    @Test func `at a rate without audio, audio that ends before the video is kept`() throws {
        let duration = Self.seconds(10)
        let media = SyntheticMedia(
            frameTimes: SyntheticFrameTimes(framesPerSecond: 30, duration: duration),
            sounds: [SyntheticSound(.sampleNumbers, duration: Self.seconds(6))])
        let rig = Rig(media, at: duration)
        rig.play(rate: -8)
        rig.advance(milliseconds: 300)
        rig.player.rate = -1
        rig.advance(milliseconds: 2000)
        let numbers = try #require(rig.numbers.last)
        #expect(numbers.first == 287_999)
        #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $1 == $0 - 1 })
    }

    @Test func `the volume of a mix is that of each sample's time`() throws {
        let time = Self.seconds(2)
        var parameters = AudioMixInputParameters()
        parameters.setVolumeRamp(
            from: 1, to: 0, timeRange: MediaTimeRange(start: Self.seconds(1), end: time))
        parameters.taps = [AudioLevelMeterTap(), AudioAnalyzerTap()]
        var media = Self.media
        media.sounds = [SyntheticSound(.tone(440), duration: Self.duration)]
        let rig = Rig(media, at: time)
        rig.item.audioMix = AudioMix(inputParameters: [parameters])
        rig.play(rate: -1)
        rig.advance(milliseconds: 1500)
        let sound = try #require(media.sounds.first)
        for (index, sample) in rig.heard(since: time).prefix(72_000).enumerated() {
            let frame = 95_999 - index
            let volume = min(1, 1 - (Float(frame) / 48_000 - 1))
            let expected = sound.sample(at: frame, sampleRate: Self.rate) * volume
            guard abs(sample - expected) > 1e-4 else { continue }
            Issue.record("frame \(frame): \(sample), not \(expected)")
            break
        }
    }

    @Test func `a start that is declared in reverse is exact`() {
        let rig = Rig(at: .zero)
        let start = rig.clock.time + Self.seconds(0.25)
        rig.player.setRate(-1, time: Self.seconds(1.5), atHostTime: start)
        rig.item.pipeline.control.wait { $0.hasVideo && $0.direction == .reverse ? true : nil }
        rig.advance(milliseconds: 750)
        let heard = rig.heard(since: Self.seconds(1.5)).map(Self.number)
        #expect(Array(heard.prefix(24_000)) == (48_000..<72_000).reversed())
    }

    @Test func `if the audio cannot be opened again, the video plays in silence`() {
        var media = Self.media
        let track = media.trackID(ofSound: 0)
        let count = Monitor<Int>(0)
        media.faults.willMakeDecoder = { id throws(MediaError) in
            let isFirst = count.change { count -> Bool in
                if id == track { count += 1 }
                return id != track || count == 1
            }
            guard isFirst else {
                throw MediaError(.unsupportedCodec, subject: "film", cause: "no second decoder")
            }
        }
        let rig = Rig(media, at: Self.seconds(2))
        rig.play(rate: -1)
        rig.advance(milliseconds: 500)
        #expect(rig.sink.samples.allSatisfy { $0 == 0 })
        #expect(rig.item.currentTime < Self.seconds(2))
        #expect(rig.item.lastDecodingError?.code == .unsupportedCodec)
    }
}
