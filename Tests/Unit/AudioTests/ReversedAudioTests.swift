// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadStretching
import PlayheadTime
import Testing

@testable import PlayheadAudio

/// A renderer on a manual clock that plays two seconds of audio backwards.
private final class Rig {
    static let rate = 48_000
    static let count = 96_000
    let clock = ManualClock()
    let sink: CaptureAudioSink
    let timebase: Timebase
    let renderer: AudioRenderer
    /// Returns the sample of a frame.
    private let sound: (Int) -> Float
    /// The frame before which everything has been enqueued.
    private var next = Rig.count

    init(_ sound: @escaping (Int) -> Float = Rig.number) {
        self.sound = sound
        sink = CaptureAudioSink(format: .mono(sampleRate: Self.rate), clock: clock)
        timebase = Timebase(masterClock: clock)
        renderer = AudioRenderer(
            sink: sink, timebase: timebase, bufferSeconds: 1, stopwatch: StoppedClock())
        renderer.flush(isReversed: true)
    }

    /// The sample that shows the number of a frame; it is exact, and never 0.
    static func number(_ frame: Int) -> Float { Float(frame + 1) / Float(1 << 22) }

    static func time(ofFrame frame: Int) -> MediaTime {
        MediaTime(value: Int64(frame), timescale: Int32(rate))
    }

    private func fill() {
        while next > 0 {
            let (end, length) = (next, min(1000, next))
            let buffer = AudioBuffer(
                format: renderer.format, presentationTime: -Self.time(ofFrame: end),
                frameCount: length
            ) { samples in
                for index in samples.indices { samples[index] = sound(end - 1 - index) }
            }
            let taken = renderer.enqueue(buffer)
            next -= taken
            if taken < length { return }
        }
        renderer.markEndOfStream()
    }

    /// Plays from a frame on, starting now.
    func play(from frame: Int = Rig.count, rate: Double = -1) {
        fill()
        renderer.resume()
        timebase.setRate(
            rate, time: Self.time(ofFrame: frame), atMasterTime: clock.time, holdingUntilThen: true)
    }

    func run(milliseconds: Int) {
        let end = clock.time + MixRig.time(milliseconds)
        while clock.time < end {
            fill()
            sink.advance(to: clock.time + MixRig.time(10))
        }
    }
}

/// Audio at negative rates.
@Suite struct ReversedAudioTests {
    @Test func `at -1 every sample is delivered once, the last one first`() {
        let rig = Rig()
        rig.play()
        rig.run(milliseconds: 2100)
        let heard = rig.sink.samples
        #expect(heard.prefix(Rig.count) == (0..<Rig.count).reversed().map(Rig.number)[...])
        #expect(heard.dropFirst(Rig.count).allSatisfy { $0 == 0 })
        let statistics = rig.renderer.statistics
        #expect(statistics.underruns == 0 && statistics.skippedFrames == 0)
        #expect(statistics.underrunFrames == 0)
        #expect(statistics.lastStartItemTime == Rig.time(ofFrame: Rig.count))
        #expect(rig.renderer.hasDeliveredEndOfStream)
    }

    @Test func `buffered times are item times`() {
        let rig = Rig()
        #expect(rig.renderer.bufferedTimeRange == .zero)
        #expect(rig.renderer.lead(at: Rig.time(ofFrame: Rig.count)) == .negativeInfinity)
        rig.play()
        let range = rig.renderer.bufferedTimeRange
        #expect(range.end == Rig.time(ofFrame: Rig.count))
        #expect(range.duration >= MediaTime(value: 1, timescale: 1))
        #expect(rig.renderer.enqueuedEnd == range.start)
        #expect(rig.renderer.lead(at: range.end) == range.duration)
    }

    @Test func `an end in reverse is exact to the sample, and an end forwards does not apply`() {
        let rig = Rig()
        rig.renderer.endTime = Rig.time(ofFrame: 10)
        rig.renderer.startTime = Rig.time(ofFrame: 80_000)
        rig.renderer.reverseEndTime = Rig.time(ofFrame: 54_321)
        rig.play()
        rig.run(milliseconds: 1500)
        let heard = rig.sink.samples
        let count = Rig.count - 54_321
        #expect(heard.prefix(count) == (54_321..<Rig.count).reversed().map(Rig.number)[...])
        #expect(heard.dropFirst(count).allSatisfy { $0 == 0 })
    }

    @Test func `with varispeed the samples are resampled in reverse order`() {
        let rig = Rig()
        rig.renderer.timePitchAlgorithm = .varispeed
        rig.play(rate: -2)
        rig.run(milliseconds: 500)
        let heard = rig.sink.samples.prefix(20_000)
        for (index, sample) in heard.enumerated() {
            let expected = Rig.number(Rig.count - 1 - 2 * index)
            guard abs(sample - expected) > 1e-6 else { continue }
            Issue.record("\(sample) at \(index), not \(expected)")
            break
        }
    }

    @Test(arguments: [-1.0, -2])
    func `the volume of a mix follows item time`(rate: Double) {
        let rig = Rig { _ in 0.5 }
        rig.renderer.timePitchAlgorithm = .varispeed
        var parameters = AudioMixInputParameters()
        parameters.setVolume(0.25, at: MixRig.time(300))
        parameters.setVolumeRamp(from: 0.25, to: 0.75, timeRange: MixRig.range(1000..<1500))
        rig.renderer.inputParameters = parameters
        rig.play(rate: rate)
        rig.run(milliseconds: Int(1900 / rate.magnitude))
        let heard = rig.sink.samples
        for index in 0..<Int(86_400 / rate.magnitude) {
            let time = Double(Rig.count) / 48 - Double(index + 1) * rate.magnitude / 48
            // A step takes 10 ms, after it in the direction of playback.
            if time < 301, time > 300 - 12 * rate.magnitude { continue }
            let volume =
                time < 300 ? 1.0 : 0.25 + 0.5 * min(max(time - 1000, 0) / 500, 1)
            guard abs(Double(heard[index]) - 0.5 * volume) > 1e-4 else { continue }
            Issue.record("\(heard[index]) at \(time) ms, not \(0.5 * volume)")
            break
        }
    }

    @Test func `taps get the item times of their samples, which go back without a gap`() {
        let tap = NotingTap()
        let rig = Rig()
        var parameters = AudioMixInputParameters()
        parameters.taps = [tap]
        rig.renderer.inputParameters = parameters
        rig.play()
        rig.run(milliseconds: 500)
        let ranges = tap.sources.map(\.timeRange)
        #expect(ranges.count > 40)
        #expect(ranges.first?.end == Rig.time(ofFrame: Rig.count))
        #expect(
            zip(ranges, ranges.dropFirst()).allSatisfy {
                ($0.start - $1.end).magnitude
                    <= MediaTime(nanoseconds: 1)
            })
        #expect(tap.sources.allSatisfy { $0.isReversed })
        #expect(tap.sources.first?.flags == .startOfStream)
        #expect(tap.sources.dropFirst().allSatisfy { $0.flags == .none })
    }

    @Test func `an analyser returns the sample that is heard at a time`() {
        let tap = AudioAnalyzerTap()
        let rig = Rig()
        var parameters = AudioMixInputParameters()
        parameters.taps = [tap]
        rig.renderer.inputParameters = parameters
        rig.play()
        rig.run(milliseconds: 700)
        var samples = [Float](repeating: 0, count: 3)
        for frame in stride(from: 70_000, to: 90_000, by: 997) {
            let middle = Rig.time(ofFrame: frame) + MediaTime(value: 1, timescale: 96_000)
            let isKnown = samples.withUnsafeMutableBufferPointer {
                tap.copyWaveform(into: $0, channel: 0, at: middle)
            }
            #expect(isKnown)
            #expect(samples == [frame + 1, frame, frame - 1].map(Rig.number))
        }
    }

    @Test func `audio of the other direction is silent`() {
        let rig = Rig()
        rig.play(from: 48_000, rate: 1)
        rig.run(milliseconds: 300)
        #expect(rig.sink.samples.allSatisfy { $0 == 0 })
    }
}
