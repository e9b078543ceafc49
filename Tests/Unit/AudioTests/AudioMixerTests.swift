// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadTime
import Testing

@testable import PlayheadAudio

/// Renderers that follow each other on one sink, each filled with samples that identify it.
private final class MixerRig {
    static let rate = 48_000
    let clock = ManualClock()
    let sink: CaptureAudioSink
    let mixer: AudioMixer
    private(set) var renderers: [AudioRenderer] = []

    init() {
        sink = CaptureAudioSink(format: .mono(sampleRate: Self.rate), clock: clock)
        mixer = AudioMixer(sink: sink)
    }

    /// Never 0, exact in `Float`, and different for each frame and renderer.
    static func sample(_ frame: Int, of renderer: Int) -> Float {
        Float((renderer + 1) * 10_000 + frame + 1) / 1_048_576
    }

    /// Adds a renderer that plays its first frames from `start` to `end` by the clock.
    ///
    /// - Parameters:
    ///   - lead: the time before the first frame.
    ///   - audioStart: the time of the renderer before which it is silent.
    func add(
        from start: MediaTime, to end: MediaTime, frames: Int = 9_000, lead: MediaTime = .zero,
        audioStart: MediaTime = .invalid
    ) {
        let timebase = Timebase(masterClock: clock)
        let renderer = AudioRenderer(sink: mixer.makeInput(), timebase: timebase)
        let number = renderers.count
        renderers.append(renderer)
        let buffer = AudioBuffer(
            format: renderer.format, presentationTime: lead, frameCount: frames
        ) { samples in
            for frame in 0..<frames { samples[frame] = Self.sample(frame, of: number) }
        }
        _ = renderer.enqueue(buffer)
        renderer.markEndOfStream()
        renderer.endTime = end - start
        renderer.startTime = audioStart
        timebase.setRate(1, time: .zero, atMasterTime: start, holdingUntilThen: true)
        renderer.resume()
    }

    static func seconds(frames: Double) -> MediaTime {
        MediaTime(nanoseconds: Int64((frames / Double(rate) * 1e9).rounded()))
    }
}

@Suite struct AudioMixerTests {
    @Test func `a mixer that releases a sink late does not stop its successor`() {
        let sink = CaptureAudioSink(clock: ManualClock())
        func play() -> AudioRenderer {
            let mixer = AudioMixer(sink: sink)
            let renderer = AudioRenderer(
                sink: mixer.makeInput(), timebase: Timebase(masterClock: sink.clock))
            renderer.resume()
            return renderer
        }
        let (first, second) = (play(), play())
        first.pause()
        #expect(sink.status == .running)
        first.invalidate()
        #expect(sink.status == .running)
        second.pause()
        #expect(sink.status == .paused)
        second.invalidate()
        #expect(sink.status == .ready)
    }

    /// For any position of the seam between two frames of the device, including the exact middle,
    /// and a nanosecond beside it.
    @Test(arguments: [0, 0.25, 0.4999, 0.49995, 0.5, 0.50005, 0.5001, 0.75, 0.99])
    func `the first sample of an item follows the last of the previous one`(fraction: Double) {
        for frames in [480, 481, 960, 2000, 2400, 7] {
            let rig = MixerRig()
            let start = MixerRig.seconds(frames: 1000 + fraction)
            let length = MediaTime(value: Int64(frames), timescale: Int32(MixerRig.rate))
            for number in 0..<3 {
                let begin = start + length * Int32(number)
                rig.add(from: begin, to: begin + length)
            }
            rig.sink.advance(to: MediaTime(value: 1, timescale: 2))
            let heard = Array(rig.sink.samples.drop { $0 == 0 }.prefix(3 * frames))
            let expected = (0..<3).flatMap { number in
                (0..<frames).map { MixerRig.sample($0, of: number) }
            }
            #expect(heard == expected, "\(frames) frames from \(fraction)")
            #expect(rig.sink.samples.drop { $0 == 0 }.dropFirst(3 * frames).allSatisfy { $0 == 0 })
        }
    }

    /// As for a composition that is edited while it plays: its new frames are shown before its new
    /// audio is heard.
    @Test(arguments: [0, 0.25, 0.4999, 0.49995, 0.5, 0.50005, 0.5001, 0.75, 0.99])
    func `audio that starts within its timeline follows the previous one at the same sample`(
        fraction: Double
    ) {
        for frames in [480, 481, 960, 2000, 2400, 7] {
            let rig = MixerRig()
            let start = MixerRig.seconds(frames: 1000 + fraction)
            let length = MediaTime(value: Int64(frames), timescale: Int32(MixerRig.rate))
            rig.add(from: start, to: start + length)
            rig.add(from: start, to: start + length * Int32(2), audioStart: length)
            rig.sink.advance(to: MediaTime(value: 1, timescale: 2))
            let expected = (0..<2).flatMap { number in
                ((number * frames)..<((number + 1) * frames)).map {
                    MixerRig.sample($0, of: number)
                }
            }
            #expect(
                rig.sink.samples.filter { $0 != 0 } == expected, "\(frames) frames from \(fraction)"
            )
            let first = rig.sink.samples.firstIndex { $0 != 0 } ?? 0
            #expect(Array(rig.sink.samples[first...].prefix(2 * frames)) == expected)
        }
    }

    /// As beside a video, whose frames are off the grid of samples and end later.
    @Test(arguments: [0, 0.25, 0.4999, 0.49995, 0.5, 0.50005, 0.5001, 0.75, 0.99])
    func `audio that ends before its item is followed by silence`(fraction: Double) {
        for frames in [480, 481, 960, 2000, 2400, 7] {
            for lead in [0, 0.5, 20, 20.25, 20.49995, 20.5, 20.50005, 20.75] {
                let rig = MixerRig()
                let length = MixerRig.seconds(frames: Double(frames) + 40.5)
                let start = MixerRig.seconds(frames: 1000 + fraction)
                for number in 0..<3 {
                    let begin = start + length * Int32(number)
                    rig.add(
                        from: begin, to: begin + length, frames: frames,
                        lead: MixerRig.seconds(frames: lead))
                }
                rig.sink.advance(to: MediaTime(value: 1, timescale: 2))
                let expected = (0..<3).flatMap { number in
                    (0..<frames).map { MixerRig.sample($0, of: number) }
                }
                #expect(
                    rig.sink.samples.filter { $0 != 0 } == expected,
                    "\(frames) frames from \(fraction), \(lead) after the start")
            }
        }
    }

    @Test(arguments: [480, -480, 0])
    func `a delay moves all audio without loss`(frames: Int) {
        let rig = MixerRig()
        rig.mixer.delay = MediaTime(value: Int64(frames), timescale: Int32(MixerRig.rate))
        rig.add(from: MixerRig.seconds(frames: 1000), to: MixerRig.seconds(frames: 1960))
        rig.add(from: MixerRig.seconds(frames: 1960), to: MixerRig.seconds(frames: 2920))
        rig.sink.advance(to: MediaTime(value: 1, timescale: 2))
        let expected = (0..<2).flatMap { number in
            (0..<960).map { MixerRig.sample($0, of: number) }
        }
        #expect(rig.sink.samples.firstIndex { $0 != 0 } == 1000 + frames)
        #expect(Array(rig.sink.samples.drop { $0 == 0 }.prefix(1920)) == expected)
    }

    @Test func `a length that is not a whole number of frames causes neither drift nor gaps`() {
        let rig = MixerRig()
        // 100.3 frames: rounds of 100 and of 101.
        let length = MediaTime(value: 1003, timescale: 480_000)
        let start = MixerRig.seconds(frames: 500.4)
        for number in 0..<50 {
            let begin = start + length * Int32(number)
            rig.add(from: begin, to: begin + length)
        }
        rig.sink.advance(to: MediaTime(value: 1, timescale: 2))
        let samples = rig.sink.samples
        let heard = samples.indices.filter { samples[$0] != 0 }
        #expect(heard.first == 500)
        #expect(heard.count == (heard.last ?? 0) - 500 + 1)
        #expect(abs(heard.count - 5015) <= 1)
        var previous = (renderer: 0, frame: -1)
        for index in heard {
            let value = Int(samples[index] * 1_048_576) - 1
            let this = (renderer: value / 10_000 - 1, frame: value % 10_000)
            if this.renderer == previous.renderer {
                #expect(this.frame == previous.frame + 1)
            } else {
                #expect(this.renderer == previous.renderer + 1 && this.frame == 0)
                #expect((99...101).contains(previous.frame))
            }
            previous = this
        }
        #expect(previous.renderer == 49)
    }

    @Test func `the sink runs while any renderer does`() {
        let rig = MixerRig()
        #expect(rig.sink.status == .ready)
        rig.add(from: .zero, to: .positiveInfinity)
        #expect(rig.sink.status == .running)
        rig.add(from: .zero, to: .positiveInfinity)
        rig.renderers[0].pause()
        #expect(rig.renderers[0].sink.status == .paused)
        #expect(rig.renderers[1].sink.status == .running)
        #expect(rig.sink.status == .running)
        rig.renderers[1].pause()
        #expect(rig.sink.status == .paused)
        rig.renderers[0].resume()
        rig.renderers[0].invalidate()
        #expect(rig.sink.status == .paused)
        rig.renderers[1].invalidate()
        #expect(rig.sink.status == .ready)
    }

    @Test func `renderers that run together are summed`() {
        let rig = MixerRig()
        rig.add(from: .zero, to: MediaTime(value: 1, timescale: 10))
        rig.add(from: .zero, to: MediaTime(value: 1, timescale: 10))
        rig.sink.advance(to: MediaTime(value: 1, timescale: 20))
        let first = rig.sink.samples.firstIndex { $0 != 0 } ?? 0
        for frame in 0..<1000 {
            let sum = MixerRig.sample(frame, of: 0) + MixerRig.sample(frame, of: 1)
            #expect(rig.sink.samples[first + frame] == sum)
        }
    }

    @Test func `a renderer and its mixer do not retain each other`() {
        weak var mixer: AudioMixer?
        weak var renderer: AudioRenderer?
        do {
            let rig = MixerRig()
            rig.add(from: .zero, to: .positiveInfinity)
            rig.sink.advance(to: MediaTime(value: 1, timescale: 20))
            (mixer, renderer) = (rig.mixer, rig.renderers[0])
            rig.renderers[0].invalidate()
        }
        #expect(mixer == nil && renderer == nil)
    }

    @Test func `an end time is exact to the sample and can be moved`() {
        let rig = MixerRig()
        rig.add(from: .zero, to: MediaTime(value: 1001, timescale: 48_000))
        rig.sink.advance(to: MediaTime(value: 1, timescale: 20))
        #expect(rig.sink.samples[1000] == MixerRig.sample(1000, of: 0))
        #expect(rig.sink.samples[1001...].allSatisfy { $0 == 0 })
        rig.renderers[0].endTime = MediaTime(value: 5000, timescale: 48_000)
        rig.sink.advance(to: MediaTime(value: 2, timescale: 10))
        #expect(rig.sink.samples[4999] == MixerRig.sample(4999, of: 0))
        #expect(rig.sink.samples[5000] == 0)
    }
}
