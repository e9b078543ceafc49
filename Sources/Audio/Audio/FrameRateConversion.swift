// SPDX-License-Identifier: Apache-2.0

/// Conversion between sample frames and nanoseconds at one sample rate.
///
/// - Concurrency: any thread, real-time ones included.
struct FrameRateConversion: Sendable {
    let sampleRate: Int64

    init(sampleRate: Int) { self.sampleRate = Int64(sampleRate) }

    /// The duration of `frames`, rounded to the nearest nanosecond. Split into whole seconds and
    /// the rest, so that it neither overflows nor drifts, however long the run.
    func nanoseconds(frames: Int64) -> Int64 {
        let (seconds, rest) = frames.quotientAndRemainder(dividingBy: sampleRate)
        let half = rest < 0 ? -sampleRate / 2 : sampleRate / 2
        return seconds * 1_000_000_000 + (rest * 1_000_000_000 + half) / sampleRate
    }

    /// How many frames `nanoseconds` last, with their fraction.
    func frames(nanoseconds: Int64) -> Double {
        Double(nanoseconds) * Double(sampleRate) / 1e9
    }

    /// How many frames `nanoseconds` last, to the nearest.
    func nearestFrame(nanoseconds: Int64) -> Int64 {
        Int64(frames(nanoseconds: nanoseconds).rounded())
    }
}
