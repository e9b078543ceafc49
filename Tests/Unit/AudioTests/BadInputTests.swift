// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadTime
import Testing

@testable import PlayheadAudio

/// Invalid audio, whose result is documented in Documentation/Audio.md.
@Suite struct BadInputTests {
    private let clock = ManualClock()
    private let sink: CaptureAudioSink
    private let timebase: Timebase
    private let renderer: AudioRenderer

    init() {
        sink = CaptureAudioSink(format: .mono(sampleRate: 48_000), clock: clock)
        timebase = Timebase(masterClock: clock)
        renderer = AudioRenderer(sink: sink, timebase: timebase)
    }

    private func enqueue(_ milliseconds: Range<Int>, sample: Float) {
        let buffer = AudioBuffer(
            format: renderer.format, presentationTime: MixRig.time(milliseconds.lowerBound),
            frameCount: milliseconds.count * 48
        ) { samples in
            for index in samples.indices { samples[index] = sample }
        }
        #expect(renderer.enqueue(buffer) == milliseconds.count * 48)
    }

    /// Returns the sample that plays at each millisecond of item time.
    private func heard(milliseconds: Int) -> [Float] {
        timebase.setRate(1, time: .zero, atMasterTime: .zero)
        renderer.resume()
        sink.advance(to: MixRig.time(milliseconds))
        return (0..<milliseconds).map { sink.samples[$0 * 48 + 24] }
    }

    @Test func `gaps in audio are silent, and the rest is at its time`() {
        enqueue(200..<300, sample: 0.5)
        enqueue(350..<400, sample: 0.25)
        renderer.markEndOfStream()
        let heard = heard(milliseconds: 600)
        for (millisecond, sample) in heard.enumerated() {
            let expected: Float =
                (200..<300).contains(millisecond)
                ? 0.5 : (350..<400).contains(millisecond) ? 0.25 : 0
            #expect(sample == expected, "\(millisecond) ms")
        }
        #expect(renderer.statistics.underruns == 0)
    }

    @Test func `overlapping audio is cut off`() {
        enqueue(0..<200, sample: 0.5)
        enqueue(150..<300, sample: 0.25)
        enqueue(50..<100, sample: 0.75)
        renderer.markEndOfStream()
        let heard = heard(milliseconds: 400)
        #expect(heard[..<200].allSatisfy { $0 == 0.5 })
        #expect(heard[200..<300].allSatisfy { $0 == 0.25 })
        #expect(heard[300...].allSatisfy { $0 == 0 })
    }

    @Test func `a buffer of another format is a precondition failure`() async {
        await #expect(processExitsWith: .failure) {
            let renderer = AudioRenderer(
                sink: NullAudioSink(clock: ManualClock()),
                timebase: Timebase(masterClock: ManualClock()))
            let buffer = AudioBuffer(
                format: .mono(sampleRate: 8000), presentationTime: .zero, frameCount: 1
            ) { _ in }
            _ = renderer.enqueue(buffer)
        }
    }
}
