// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadTime
import Testing

@testable import PlayheadCapturing

/// The times of a recording's samples, without files and threads.
@Suite struct RecordingTimelineTests {
    private static let format = AudioFormat.mono(sampleRate: 4800)
    private static let frame = PixelBuffer(format: .gray8, width: 2, height: 2) { _, _, _ in }

    /// A recording that is fed in the order of times, with audio in blocks of 10 ms whose samples
    /// are their numbers, and the samples that it returns.
    private struct Rig {
        var timeline: RecordingTimeline
        var frames: [Double] = []
        /// The times and the numbers of the samples in the file.
        var audio: [(time: Double, value: Float)] = []
        var nextBlock = 0

        init(hasVideo: Bool = true, limit: MediaTime = .invalid) {
            timeline = RecordingTimeline(
                hasVideo: hasVideo, audioFormat: RecordingTimelineTests.format, limit: limit)
        }

        mutating func take(_ samples: [RecordingTimeline.Sample]) {
            for sample in samples {
                switch sample {
                case .frame(_, let time): frames.append(time.seconds)
                case .audio(let buffer):
                    let start = buffer.presentationTime.seconds
                    buffer.withSamples { samples in
                        for (index, value) in samples.enumerated() {
                            audio.append((start + Double(index) / 4800, value))
                        }
                    }
                }
            }
        }

        /// Adds audio up to a time.
        mutating func hear(until end: Double) {
            while Double(nextBlock + 1) * 0.01 <= end + 1e-9 {
                let block = nextBlock
                nextBlock += 1
                take(
                    timeline.add(
                        AudioBuffer(
                            format: RecordingTimelineTests.format,
                            presentationTime: MediaTime(nanoseconds: Int64(block) * 10_000_000),
                            frameCount: 48
                        ) { samples in
                            for index in samples.indices {
                                samples[index] = Float(block * 48 + index)
                            }
                        }))
            }
        }

        /// Adds a frame, and audio that arrives with it but is `delay` later.
        mutating func see(_ time: Double, delay: Double = 0.02) {
            take(
                timeline.add(
                    RecordingTimelineTests.frame, at: MediaTime(seconds: time),
                    duration: MediaTime(value: 1, timescale: 25)))
            hear(until: time - delay)
        }
    }

    /// Expects samples that follow each other, and whose numbers are the samples of `ranges`.
    private func expect(_ rig: Rig, _ ranges: Range<Int>..., at start: Double) {
        let isSame = rig.audio.map(\.value) == ranges.flatMap { $0.map(Float.init) }
        #expect(isSame, "\(rig.audio.count) samples, expected \(ranges)")
        for (index, sample) in rig.audio.enumerated() {
            guard abs(sample.time - start - Double(index) / 4800) < 2e-6 else {
                Issue.record("sample \(index) is at \(sample.time)")
                return
            }
        }
    }

    @Test(arguments: [0.02, -0.09])
    func `audio begins with the first frame and ends with the last, early or late`(delay: Double) {
        var rig = Rig()
        rig.hear(until: 0.5)
        for number in 0..<50 { rig.see(0.5 + Double(number) / 25, delay: delay) }
        rig.take(rig.timeline.finish(at: nil))
        #expect(rig.timeline.isComplete == (delay < 0))
        rig.hear(until: 3)
        #expect(rig.timeline.isComplete)
        #expect(rig.frames.count == 50)
        expect(rig, 2400..<12_000, at: 0.5)
    }

    @Test(arguments: [0.02, -0.09])
    func `a pause leaves the same time out of audio and video`(delay: Double) {
        var rig = Rig()
        for number in 0..<25 { rig.see(Double(number) / 25, delay: delay) }
        rig.timeline.pause()
        rig.hear(until: 4)
        for number in 0..<25 { rig.see(4 + Double(number) / 25, delay: delay) }
        rig.take(rig.timeline.finish(at: nil))
        rig.hear(until: 6)
        #expect(rig.frames.count == 50)
        #expect(abs(rig.frames[49] - 49.0 / 25) < 1e-6)
        expect(rig, 0..<4800, 19_200..<24_000, at: 0)
    }

    private static let frameDuration = MediaTime(value: 1, timescale: 25)

    @Test func `the last frame of a still screen lasts until the stop, with its audio`() {
        var rig = Rig()
        for number in 0..<25 { rig.see(Double(number) / 25) }
        for time in [1.9, 2.8] { rig.see(time) }
        rig.take(
            rig.timeline.finish(
                atStop: MediaTime(value: 32, timescale: 10), frameDuration: Self.frameDuration))
        #expect(!rig.timeline.isComplete)
        rig.hear(until: 3.2)
        #expect(rig.timeline.isComplete)
        #expect(abs(rig.timeline.sessionEnd.seconds - 3.2) < 1e-6)
        #expect(abs(rig.timeline.recordedDuration.seconds - 3.2) < 1e-6)
        rig.hear(until: 5)
        expect(rig, 0..<15_360, at: 0)
    }

    @Test func `the last frame lasts at least as long as frames of its device`() {
        var rig = Rig()
        for number in 0..<25 { rig.see(Double(number) / 25) }
        rig.take(
            rig.timeline.finish(
                atStop: MediaTime(value: 97, timescale: 100), frameDuration: Self.frameDuration))
        rig.hear(until: 2)
        #expect(abs(rig.timeline.sessionEnd.seconds - 1) < 1e-6)
        expect(rig, 0..<4800, at: 0)
    }

    @Test func `a pause is no part of the last frame`() {
        var rig = Rig()
        for number in 0..<25 { rig.see(Double(number) / 25) }
        rig.timeline.pause()
        rig.hear(until: 1.5)
        rig.take(
            rig.timeline.finish(
                atStop: MediaTime(value: 3, timescale: 2), frameDuration: Self.frameDuration))
        #expect(abs(rig.timeline.sessionEnd.seconds - 1) < 1e-6)
        expect(rig, 0..<4800, at: 0)
    }

    @Test(arguments: [false, true])
    func `the last frame of a device that has stopped lasts as long as the audio`(hasAudio: Bool) {
        var rig = Rig()
        for number in 0..<25 { rig.see(Double(number) / 25) }
        if hasAudio { rig.hear(until: 9.98) }
        rig.take(
            rig.timeline.finish(
                atStop: MediaTime(value: 10, timescale: 1), frameDuration: Self.frameDuration))
        let end = hasAudio ? 9.98 : 1
        #expect(abs(rig.timeline.sessionEnd.seconds - end) < 1e-6)
        if hasAudio { expect(rig, 0..<47_904, at: 0) }
    }

    @Test func `a stop does not make a recording longer than its limit`() {
        var rig = Rig(limit: MediaTime(value: 1, timescale: 1))
        for number in 0..<24 { rig.see(Double(number) / 25) }
        rig.take(
            rig.timeline.finish(
                atStop: MediaTime(value: 3, timescale: 2), frameDuration: Self.frameDuration))
        rig.hear(until: 2)
        #expect(rig.timeline.sessionEnd == MediaTime(value: 1, timescale: 1))
        expect(rig, 0..<4800, at: 0)
    }

    @Test func `a boundary cuts audio at the next file's first frame`() {
        var (first, second) = (Rig(), Rig())
        for number in 0..<25 { first.see(Double(number) / 25) }
        first.take(first.timeline.finish(at: MediaTime(value: 1, timescale: 1)))
        first.hear(until: 2)
        for number in 25..<50 { second.see(Double(number) / 25) }
        second.take(second.timeline.finish(at: nil))
        second.hear(until: 3)
        expect(first, 0..<4800, at: 0)
        expect(second, 4800..<9600, at: 1)
    }

    @Test func `the limit cuts audio to the sample`() {
        var rig = Rig(limit: MediaTime(value: 1, timescale: 1))
        for number in 0..<50 { rig.see(Double(number) / 25) }
        rig.hear(until: 3)
        #expect(rig.timeline.isComplete && rig.timeline.hasReachedLimit)
        #expect(rig.frames.count == 25)
        expect(rig, 0..<4800, at: 0)
    }

    @Test func `a microphone that stops leaves silence, and audio after it has its place`() {
        var rig = Rig()
        for number in 0..<25 { rig.see(Double(number) / 25) }
        // Blocks from 0.94 to 4 s are never heard.
        rig.nextBlock = 400
        for number in 25..<125 { rig.see(Double(number) / 25) }
        rig.take(rig.timeline.finish(at: nil))
        rig.hear(until: 6)
        #expect(rig.frames.count == 125)
        // The silence that was added never delays the rest.
        #expect(rig.audio.filter { $0.value > 0 && $0.value < 4520 }.count > 4400)
        for sample in rig.audio where sample.value >= 19_200 {
            #expect(abs(sample.time - Double(sample.value) / 4800) < 2e-6)
        }
        #expect(zip(rig.audio, rig.audio.dropFirst()).allSatisfy { $0.time < $1.time })
    }

    @Test func `audio goes on while a camera delivers nothing`() {
        var rig = Rig()
        for number in 0..<25 { rig.see(Double(number) / 25) }
        rig.hear(until: 10)
        #expect(rig.audio.count > 8 * 4800)
        rig.see(10)
        rig.take(rig.timeline.finish(at: nil))
        rig.hear(until: 11)
        expect(rig, 0..<48_192, at: 0)
    }

    @Test func `audio alone starts at its first sample, and a pause leaves blocks out`() {
        var rig = Rig(hasVideo: false)
        rig.nextBlock = 50
        rig.hear(until: 1)
        rig.timeline.pause()
        rig.nextBlock = 200
        rig.hear(until: 2.5)
        rig.take(rig.timeline.finish(at: nil))
        #expect(rig.timeline.isComplete)
        #expect(abs(rig.timeline.recordedDuration.seconds - 1) < 1e-6)
        expect(rig, 2400..<4800, 9600..<12_000, at: 0.5)
    }
}
