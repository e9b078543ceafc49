// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadTime

@testable import PlayheadAudio

/// A clock that measures every duration as zero.
final class StoppedClock: MediaClock {
    var time: MediaTime { .zero }
    func time(atHostTime hostTime: MediaTime) -> MediaTime { .zero }
    func hostTime(at time: MediaTime) -> MediaTime { .zero }
}

/// A renderer on a manual clock with any audio, and its output.
final class MixRig {
    static let rate = 48_000
    let clock = ManualClock()
    let sink: CaptureAudioSink
    let timebase: Timebase
    let renderer: AudioRenderer
    /// Returns the sample of a frame in a channel.
    let sound: (_ frame: Int, _ channel: Int) -> Float
    private var written = 0

    /// - Parameter stopwatch: the clock that measures taps; by default they are fast, however busy
    ///   the machine is.
    init(
        format: AudioFormat = .stereo(sampleRate: MixRig.rate),
        stopwatch: any MediaClock = StoppedClock(),
        sound: @escaping (_ frame: Int, _ channel: Int) -> Float = { _, _ in 0.5 }
    ) {
        sink = CaptureAudioSink(format: format, clock: clock)
        timebase = Timebase(masterClock: clock)
        renderer = AudioRenderer(
            sink: sink, timebase: timebase, bufferSeconds: 1, stopwatch: stopwatch)
        self.sound = sound
    }

    static func time(_ milliseconds: Int) -> MediaTime {
        MediaTime(value: Int64(milliseconds), timescale: 1_000)
    }

    static func range(_ milliseconds: Range<Int>) -> MediaTimeRange {
        MediaTimeRange(start: time(milliseconds.lowerBound), end: time(milliseconds.upperBound))
    }

    /// Enqueues from the last position until the ring is full.
    private func fill() {
        while true {
            let (start, channels) = (written, renderer.format.channelCount)
            let buffer = AudioBuffer(
                format: renderer.format,
                presentationTime: MediaTime(value: Int64(start), timescale: Int32(Self.rate)),
                frameCount: 1000
            ) { samples in
                for index in samples.indices {
                    samples[index] = sound(start + index / channels, index % channels)
                }
            }
            let taken = renderer.enqueue(buffer)
            written += taken
            if taken < 1000 { return }
        }
    }

    /// Plays from a time on, starting now.
    func play(from time: MediaTime = .zero, rate: Double = 1) {
        fill()
        renderer.resume()
        timebase.setRate(rate, time: time, atMasterTime: clock.time, holdingUntilThen: true)
    }

    /// Seeks during playback.
    func seek(to frame: Int) {
        renderer.flush()
        written = frame
        fill()
        timebase.setTime(
            MediaTime(value: Int64(frame), timescale: Int32(Self.rate)), atMasterTime: clock.time)
    }

    /// Runs the clock for some time, keeping the ring full.
    func run(milliseconds: Int, isStarving: Bool = false) {
        let end = clock.time + Self.time(milliseconds)
        while clock.time < end {
            if !isStarving { fill() }
            sink.advance(to: min(end, clock.time + Self.time(10)))
        }
    }

    /// Returns the output of a channel, one sample per frame.
    func heard(channel: Int = 0) -> [Float] {
        let samples = sink.samples
        let count = renderer.format.channelCount
        return stride(from: channel, to: samples.count, by: count).map { samples[$0] }
    }

    /// Sets parameters with some taps.
    func setTaps(_ taps: [AudioProcessingTap]) {
        var parameters = AudioMixInputParameters()
        parameters.taps = taps
        renderer.inputParameters = parameters
    }
}
