// SPDX-License-Identifier: Apache-2.0

import Glibc
import PlayheadBuffers
import PlayheadTime
import Testing

@testable import PlayheadAudio

@Suite struct OwnSoundTests {
    private let clock = ManualClock()

    /// Returns the output of a source over half a second, one sample per frame.
    private func heard(_ source: any AudioSource, format: AudioFormat) -> [Float] {
        let sink = CaptureAudioSink(format: format, clock: clock)
        sink.start(source) {}
        sink.resume()
        sink.advance(to: clock.time + MixRig.time(500))
        sink.stop()
        return stride(from: 0, to: sink.samples.count, by: format.channelCount).map {
            sink.samples[$0]
        }
    }

    @Test func `samples begin at the exact frame and end in silence`() {
        let samples = (1...4800).map { Float($0) / 8192 }
        let source = PCMSource(samples, format: .mono(sampleRate: 48_000))
        source.play(at: MixRig.time(100))
        let heard = heard(source, format: source.format)
        #expect(heard[..<4800].allSatisfy { $0 == 0 })
        #expect(Array(heard[4800..<9600]) == samples)
        #expect(heard[9600...].allSatisfy { $0 == 0 })
        #expect(source.duration.seconds == 0.1)
    }

    @Test func `a loop has no gap, and a past start is caught up with`() {
        let samples = (1...1000).map { Float($0) / 8192 }
        let source = PCMSource(samples, format: .mono(sampleRate: 48_000), loops: true)
        source.play(at: MediaTime(value: -2345, timescale: 48_000))
        let heard = heard(source, format: source.format)
        for (frame, sample) in heard.enumerated() {
            #expect(sample == samples[(frame + 2345) % 1000])
        }
        source.stop()
        #expect(self.heard(source, format: source.format).allSatisfy { $0 == 0 })
    }

    @Test func `a tone has its frequency, and ticks have their interval`() {
        let tone = ToneSource(frequency: 1000, volume: 0.5, format: .stereo(sampleRate: 48_000))
        tone.play(at: .zero)
        let heard = heard(tone, format: tone.format)
        for (frame, sample) in heard.enumerated() {
            let expected = 0.5 * cos(2 * .pi * Double(frame) / 48)
            #expect(abs(Double(sample) - expected) < 1e-5)
        }
        let ticks = ToneSource(
            frequency: 1000, volume: 0.5, format: .stereo(sampleRate: 48_000),
            ticks: (interval: 0.1, length: 0.01))
        ticks.play(at: clock.time)
        for (frame, sample) in self.heard(ticks, format: ticks.format).enumerated() {
            if frame % 4800 >= 481 { #expect(sample == 0) }
            if frame % 4800 == 0 { #expect(abs(sample - 0.5) < 1e-5) }
        }
    }

    @Test func `a source plays or is silent for any arguments`() {
        let source = PCMSource([], format: .stereo(sampleRate: 48_000), loops: true)
        source.play(at: .positiveInfinity)
        source.play(at: .zero)
        source.volume = .nan
        #expect(heard(source, format: source.format).allSatisfy { $0 == 0 })
        let tone = ToneSource(
            frequency: .infinity, volume: .nan, format: .mono(sampleRate: 8000),
            ticks: (interval: 0, length: -1))
        tone.play(at: .zero)
        #expect(heard(tone, format: tone.format).allSatisfy { $0 == 0 })
    }

    @Test(arguments: [Double.infinity, .nan, 1e300])
    func `a tick with an infinite interval is heard once`(interval: Double) {
        let tone = ToneSource(
            frequency: 1000, volume: 0.5, format: .mono(sampleRate: 8000),
            ticks: (interval: interval, length: 0.01))
        tone.play(at: .zero)
        let heard = heard(tone, format: tone.format)
        #expect(abs(heard[0] - 0.5) < 1e-5 && heard[80...].allSatisfy { $0 == 0 })
    }

    @Test func `a negative interval is harmless`() {
        let tone = ToneSource(
            format: .mono(sampleRate: 8000), ticks: (interval: -.infinity, length: 0.01))
        tone.play(at: .zero)
        #expect(heard(tone, format: tone.format).allSatisfy { abs($0) <= 1 })
    }
}
