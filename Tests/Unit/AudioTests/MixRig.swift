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

/// A renderer on a manual clock with sound of any kind, and what is heard of it.
final class MixRig {
    static let rate = 48_000
    let clock = ManualClock()
    let sink: CaptureAudioSink
    let timebase: Timebase
    let renderer: AudioRenderer
    /// What sample a frame has in a channel.
    let sound: (_ frame: Int, _ channel: Int) -> Float
    private var written = 0

    /// - Parameter stopwatch: what taps are timed by; by default they are quick, however busy the
    ///   machine is.
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

    /// Enqueues from where it left off until the ring is full.
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

    /// Starts to play what is heard from now on.
    func play(from time: MediaTime = .zero, rate: Double = 1) {
        fill()
        renderer.resume()
        timebase.setRate(rate, time: time, atMasterTime: clock.time, holdingUntilThen: true)
    }

    /// Jumps while it plays.
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

    /// What a channel sounded like, one sample a frame.
    func heard(channel: Int = 0) -> [Float] {
        let samples = sink.samples
        let count = renderer.format.channelCount
        return stride(from: channel, to: samples.count, by: count).map { samples[$0] }
    }

    /// Gives the renderer parameters with some taps.
    func setTaps(_ taps: [AudioProcessingTap]) {
        var parameters = AudioMixInputParameters()
        parameters.taps = taps
        renderer.inputParameters = parameters
    }
}
