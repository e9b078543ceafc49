// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadTime
import RealTimeTestSupport

@testable import PlayheadAudio

/// A renderer on a manual clock, whose callback is watched, and its output.
final class PluginRig {
    /// A clock that measures every duration as zero, so that no tap is too slow.
    private final class StoppedClock: MediaClock {
        var time: MediaTime { .zero }
        func time(atHostTime hostTime: MediaTime) -> MediaTime { .zero }
        func hostTime(at time: MediaTime) -> MediaTime { .zero }
    }

    static let sampleRate = 48_000
    private let clock = ManualClock()
    private let capture: CaptureAudioSink
    private let sink: GuardedSink
    private let timebase: Timebase
    private let renderer: AudioRenderer
    private var written = 0

    /// The forbidden actions of the callback.
    var violations: RealTimeViolations { sink.violations }

    /// Starts to play through taps.
    init(
        _ taps: [AudioProcessingTap],
        format: AudioFormat = .stereo(sampleRate: PluginRig.sampleRate)
    ) {
        capture = CaptureAudioSink(format: format, clock: clock)
        sink = GuardedSink(capture)
        timebase = Timebase(masterClock: clock)
        renderer = AudioRenderer(
            sink: sink, timebase: timebase, bufferSeconds: 1, stopwatch: StoppedClock())
        var parameters = AudioMixInputParameters()
        parameters.taps = taps
        renderer.inputParameters = parameters
        fill()
        renderer.resume()
        timebase.setRate(1, time: .zero, atMasterTime: clock.time, holdingUntilThen: true)
    }

    /// The sample of a frame in a channel: at most half of full scale, and never 0.
    static func sample(_ frame: Int, _ channel: Int) -> Float {
        Float((frame * 7 + channel * 1_311) % 8_191 - 4_095) / 8_192 + 1 / 32_768
    }

    private func fill() {
        let channels = renderer.format.channelCount
        while true {
            let start = written
            let buffer = AudioBuffer(
                format: renderer.format,
                presentationTime: MediaTime(
                    value: Int64(start), timescale: Int32(renderer.format.sampleRate)),
                frameCount: 1000
            ) { samples in
                for index in samples.indices {
                    samples[index] = Self.sample(start + index / channels, index % channels)
                }
            }
            let taken = renderer.enqueue(buffer)
            written += taken
            if taken < 1000 { return }
        }
    }

    /// Plays for some time.
    func run(milliseconds: Int) {
        let end = clock.time + MediaTime(value: Int64(milliseconds), timescale: 1_000)
        while clock.time < end {
            fill()
            capture.advance(
                to: min(end, clock.time + MediaTime(value: 10, timescale: 1_000)))
        }
    }

    /// Ends playback, and releases the taps.
    func end() { renderer.invalidate() }

    /// Returns the output of a channel, one sample per frame.
    func heard(channel: Int = 0) -> [Float] {
        let samples = capture.samples
        return stride(from: channel, to: samples.count, by: renderer.format.channelCount)
            .map { samples[$0] }
    }

    /// Returns the first difference of two series of samples, or nil. The test library would search
    /// for the smallest set of differences, which takes minutes.
    static func difference<Samples: Collection<Float>>(
        _ heard: Samples, _ expected: Samples
    ) -> String? {
        if heard.count != expected.count { return "\(heard.count) of \(expected.count) frames" }
        let pairs = zip(heard, expected).enumerated()
        return pairs.first { $0.element.0 != $0.element.1 }
            .map { "\($0.element.0), not \($0.element.1), in frame \($0.offset)" }
    }

    /// Returns the source of a channel, as long as its output.
    func source(channel: Int = 0) -> [Float] {
        (0..<heard(channel: channel).count).map { Self.sample($0, channel) }
    }
}
