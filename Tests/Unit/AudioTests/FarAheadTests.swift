// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadTime
import Synchronization
import Testing

@testable import PlayheadAudio

/// A sink that takes its audio long before it plays; the test requests it.
private final class FarAheadSink: AudioSink {
    static let ahead = MediaTime(value: 2, timescale: 1)
    let format = AudioFormat.mono(sampleRate: 48_000)
    let clock: any MediaClock
    let taken = Mutex(FarAheadSink.ahead)
    var latency: MediaTime { taken.withLock { $0 } }
    var status: AudioSinkStatus { .running }

    init(clock: ManualClock) { self.clock = clock }

    func start(_ source: any AudioSource, onStatusChange: @escaping @Sendable () -> Void) {}
    func resume() {}
    func pause() {}
    func stop() {}
}

@Suite struct FarAheadTests {
    private static let rate = 48_000
    private let clock = ManualClock()
    private let timebase: Timebase
    private let renderer: AudioRenderer

    init() {
        timebase = Timebase(masterClock: clock)
        renderer = AudioRenderer(
            sink: FarAheadSink(clock: clock), timebase: timebase, bufferSeconds: 1,
            stopwatch: StoppedClock())
    }

    private static func sample(_ frame: Int) -> Float { Float(frame % 65_536 + 1) / 131_072 }

    /// Takes the audio that plays in a range of clock time, block by block, while the ring is kept
    /// full.
    private func take(milliseconds: Range<Int>, written: inout Int) -> [Float] {
        var taken: [Float] = []
        for block in stride(from: milliseconds.lowerBound, to: milliseconds.upperBound, by: 10) {
            fill(&written)
            var samples = [Float](repeating: 0, count: Self.rate / 100)
            samples.withUnsafeMutableBufferPointer {
                guard let start = $0.baseAddress else { return }
                renderer.render(
                    into: start, frameCount: $0.count, presentationTime: Int64(block) * 1_000_000)
            }
            taken += samples
        }
        return taken
    }

    private func fill(_ written: inout Int) {
        while true {
            let first = written
            let buffer = AudioBuffer(
                format: renderer.format,
                presentationTime: MediaTime(value: Int64(first), timescale: Int32(Self.rate)),
                frameCount: 1000
            ) { samples in
                for index in samples.indices { samples[index] = Self.sample(first + index) }
            }
            let count = renderer.enqueue(buffer)
            written += count
            if count < 1000 { return }
        }
    }

    private func start() {
        timebase.setRate(1, time: .zero, atMasterTime: .zero, holdingUntilThen: true)
    }

    @Test func `audio that the sink took but did not play is delivered again after a pause`() {
        var written = 0
        start()
        _ = take(milliseconds: 0..<2100, written: &written)
        clock.advance(to: MixRig.time(100))
        timebase.rate = 0
        clock.advance(to: MixRig.time(200))
        timebase.rate = 1
        let again = take(milliseconds: 200..<2300, written: &written)
        let first = Self.rate / 10
        let isWhole = again.indices.allSatisfy { again[$0] == Self.sample(first + $0) }
        #expect(isWhole)
        #expect(renderer.statistics.underruns == 0)
    }

    @Test func `taps find the audio that is heard now`() {
        let (analyzer, meter) = (AudioAnalyzerTap(), AudioLevelMeterTap())
        var parameters = AudioMixInputParameters()
        parameters.taps = [analyzer, meter]
        renderer.inputParameters = parameters
        var written = 0
        start()
        _ = take(milliseconds: 0..<5000, written: &written)
        // With a lead of 2 s, the audio of 3 s plays now; a frame may be slightly behind.
        for milliseconds in [2500, 3000, 4900] {
            var samples = [Float](repeating: 0, count: 100)
            let isThere = samples.withUnsafeMutableBufferPointer {
                analyzer.copyWaveform(into: $0, channel: nil, at: MixRig.time(milliseconds))
            }
            #expect(isThere && meter.levels(at: MixRig.time(milliseconds)) != nil)
        }
    }

    /// The latency of a sink may grow after an item was opened, if the device is found to be slow
    /// or gets an offset.
    @Test func `history grows with the sink's latency`() {
        let sink = FarAheadSink(clock: clock)
        sink.taken.withLock { $0 = .zero }
        let renderer = AudioRenderer(
            sink: sink, timebase: Timebase(masterClock: clock), bufferSeconds: 1)
        #expect(renderer.ring.historyFrames == Self.rate / 2)
        sink.taken.withLock { $0 = MediaTime(value: 4, timescale: 5) }
        let buffer = AudioBuffer(
            format: renderer.format, presentationTime: .zero, frameCount: 100
        ) { $0.update(repeating: 1) }
        #expect(renderer.enqueue(buffer) == 100)
        #expect(renderer.ring.historyFrames == Self.rate)
        // The capacity ahead of the playhead is unchanged.
        #expect(renderer.ring.capacity - renderer.ring.historyFrames >= Self.rate)
    }
}
