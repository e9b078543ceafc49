// SPDX-License-Identifier: Apache-2.0

import Glibc
import Playhead
import PlayheadThreads
import RealTimeTestSupport
import Synchronization

/// The program that `Scripts/prove/realtime` runs: the optimised audio callback does nothing that a
/// real-time thread must not do, while it does everything that it can do.
///
/// Two items on one mixer, each with every ready-made tap and a mix full of ramps, play at changing
/// rates. Threads of their own decode for them, seek, change everything that can be set and read
/// everything that can be read, so that the callback would wait for any lock that it shared with
/// one of them. The callback's thread is watched: allocations and locks by a malloc and lock
/// functions that precede glibc's, system calls by the kernel, reference counting by a retain and a
/// release that precede Swift's.
@main
struct RealTimeProof {
    private static let rates = [1.0, 1.25, 0.5, 2, 1, 3.7]

    static func main() {
        let seconds = CommandLine.arguments.contains("--short") ? 60 : 600
        let clock = ManualClock()
        let null = NullAudioSink(clock: clock)
        let sink = GuardedSink(null)
        let mixer = AudioMixer(sink: sink)
        let isDone = Atomic(false)
        let renderers = (0..<2).map { _ in
            AudioRenderer(sink: mixer.makeInput(), timebase: Timebase(masterClock: clock))
        }
        let taps = renderers.map { _ in makeTaps() }
        let others = zip(renderers, taps).flatMap { renderer, taps in
            [
                WorkerThread(name: "decoder") { feed(renderer, until: isDone) },
                WorkerThread(name: "control") { meddle(renderer, taps, until: isDone) },
            ]
        }
        for renderer in renderers { renderer.resume() }
        var usage = Usage()
        for second in 0..<seconds {
            for renderer in renderers {
                renderer.timebase.rate = rates[second / 2 % rates.count]
                if second % 10 == 9 {
                    renderer.timebase.setTime(.zero, atMasterTime: clock.time)
                }
            }
            null.advance(to: clock.time + MediaTime(value: 1, timescale: 1))
        }
        usage.end()
        isDone.store(true, ordering: .relaxed)
        for other in others { other.join() }
        let violations = sink.violations
        let delivered = renderers.reduce(0) { $0 + $1.statistics.deliveredFrames }
        let processed = taps.joined().reduce(0) { $0 + $1.statistics.processedFrames }
        print(
            """
            realtime
              calls               \(violations.calls), \(seconds) s of audio, two items
              frames delivered    \(delivered); through taps \(processed)
              allocations         \(violations.allocations)
              locks               \(violations.locks)
              system calls        \(watched(violations.systemCalls))
              references          \(violations.references)
              processor           \(usage.percent(of: seconds)) of one core for both
            """)
        let isEmpty = delivered < seconds * 48_000 || processed < delivered
        guard violations.isClean, violations.references == 0, !isEmpty else {
            print(isEmpty ? "too little was played" : violations.description)
            print(RealTimeViolations.referenceCallers)
            exit(1)
        }
    }

    private static func watched(_ count: Int) -> String {
        RealTimeViolations.watchesSystemCalls ? "\(count)" : "not watched by this kernel"
    }

    private static func makeTaps() -> [AudioProcessingTap] {
        AudioFilterTap.Kind.allCases.map { AudioFilterTap($0, frequency: 1000, gain: 3) } + [
            AudioGainTap(gain: 0.5), AudioLevelMeterTap(), AudioAnalyzerTap(),
        ]
    }

    private static func feed(_ renderer: AudioRenderer, until isDone: borrowing Atomic<Bool>) {
        var next = 0
        while !isDone.load(ordering: .relaxed) {
            let now = renderer.timebase.time
            let frame = Int(now.converted(toTimescale: 48_000).value)
            if abs(next - frame) > 240_000 {
                renderer.flush()
                next = max(0, frame)
            }
            let buffer = AudioBuffer(
                format: renderer.format,
                presentationTime: MediaTime(value: Int64(next), timescale: 48_000),
                frameCount: 4096
            ) { samples in
                for index in samples.indices where (next + index) % 24_000 < 12_000 {
                    samples[index] = Float(index % 200) / 400
                }
            }
            next += renderer.enqueue(buffer)
        }
    }

    private static func meddle(
        _ renderer: AudioRenderer, _ taps: [AudioProcessingTap],
        until isDone: borrowing Atomic<Bool>
    ) {
        var count = 0
        var bins = [Float](repeating: 0, count: 256)
        while !isDone.load(ordering: .relaxed) {
            count += 1
            renderer.volume = Float(count % 10) / 10
            renderer.isMuted = count % 3 == 0
            _ = renderer.statistics
            _ = renderer.bufferedTimeRange
            let now = renderer.timebase.time
            for tap in taps {
                (tap as? AudioGainTap)?.gain = Float(count % 11) / 10
                (tap as? AudioFilterTap)?.frequency = Double(count % 1000) * 20
                _ = (tap as? AudioLevelMeterTap)?.levels(at: now)
                bins.withUnsafeMutableBufferPointer { bins in
                    _ = (tap as? AudioAnalyzerTap)?.copySpectrum(into: bins, channel: 0, at: now)
                }
            }
            guard count % 20 == 1 else { continue }
            var parameters = AudioMixInputParameters()
            parameters.taps = taps
            parameters.pan = Float(count % 7) / 7
            parameters.duck(
                by: 0.5, during: [MediaTimeRange(start: now, duration: MediaTime(seconds: 0.1))])
            renderer.inputParameters = parameters
        }
    }
}

/// The processor time of the calling thread.
private struct Usage {
    private let start = Self.now
    private var duration = 0.0

    mutating func end() { duration = Self.now - start }

    func percent(of seconds: Int) -> String {
        let percent = (duration / Double(seconds) * 1000).rounded() / 10
        return "\(percent) %"
    }

    private static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
