// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadUI

/// Audio at a rate, rendered on a manual clock: the samples that a listener would hear.
struct StretchRun {
    /// Ticks of 10 ms, at intervals that no rate divides evenly, over a quiet hum.
    static let tickPeriod = 30_011
    static let sampleRate = 48_000

    let rate: Double
    let heard: [Float]

    /// - Parameter signal: the sample of a frame at 48 kHz.
    init(rate: Double, seconds: Double, signal: (Int) -> Float) {
        self.rate = rate
        let clock = ManualClock()
        let sink = CaptureAudioSink(format: .mono(sampleRate: Self.sampleRate), clock: clock)
        let timebase = Timebase(masterClock: clock)
        let renderer = AudioRenderer(sink: sink, timebase: timebase)
        var written = 0
        func fill() {
            var taken = 1000
            while taken == 1000 {
                let start = written
                let buffer = AudioBuffer(
                    format: renderer.format,
                    presentationTime: MediaTime(
                        value: Int64(start), timescale: Int32(Self.sampleRate)),
                    frameCount: 1000
                ) { samples in
                    for index in 0..<1000 { samples[index] = signal(start + index) }
                }
                taken = renderer.enqueue(buffer)
                written += taken
            }
        }
        fill()
        renderer.resume()
        timebase.setRate(rate, time: .zero, atMasterTime: .zero)
        let step = MediaTime(value: 1, timescale: 100)
        while clock.time.seconds < seconds {
            fill()
            sink.advance(to: clock.time + step)
        }
        heard = sink.samples
    }

    static func tick(_ frame: Int) -> Float {
        let since = (frame - 24_000) % tickPeriod
        guard frame >= 24_000, since < 480 else { return 0 }
        return 0.8 * (1 - Float(since) / 480) * cosf(2 * .pi * 1000 * Float(since) / 48_000)
    }

    static func tone(_ hertz: Float, _ height: Float, _ frame: Int) -> Float {
        height * sinf(2 * .pi * hertz * Float(frame % sampleRate) / Float(sampleRate))
    }

    /// The offsets of the ticks from their times, in milliseconds of item time, and the numbers of
    /// missing and of extra ticks.
    var tickErrors: (errors: [Double], missing: Int, extra: Int) {
        var onsets: [Double] = []
        var last = -10_000
        for (index, sample) in heard.enumerated() where abs(sample) > 0.45 {
            if index - last > 960 { onsets.append(Double(index)) }
            last = index
        }
        let end = Double(heard.count) - 4800
        var errors: [Double] = []
        var missing = 0
        var frame = 24_000
        while Double(frame) / rate < end {
            let due = Double(frame) / rate
            let nearest = onsets.min { abs($0 - due) < abs($1 - due) } ?? .infinity
            let error = (nearest - due) * rate / Double(Self.sampleRate) * 1000
            if abs(error) < 100 { errors.append(error) } else { missing += 1 }
            frame += Self.tickPeriod
        }
        let extra = onsets.filter { $0 < end }.count - errors.count
        return (errors, missing, extra)
    }

    /// The frequency, computed from the zero crossings after a tenth of a second.
    var frequency: Double {
        let samples = heard.dropFirst(Self.sampleRate / 10)
        var rises: [Int] = []
        for index in samples.indices.dropFirst()
        where samples[index - 1] < 0 && samples[index] >= 0 { rises.append(index) }
        guard let first = rises.first, let last = rises.last, last > first else { return .nan }
        return Double(rises.count - 1) * Double(Self.sampleRate) / Double(last - first)
    }
}
