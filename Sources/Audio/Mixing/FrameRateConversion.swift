// SPDX-License-Identifier: Apache-2.0

/// A conversion between sample frames and nanoseconds at one sample rate.
///
/// - Concurrency: any thread, real-time ones included.
package struct FrameRateConversion: Sendable {
    package let sampleRate: Int64

    package init(sampleRate: Int) { self.sampleRate = Int64(sampleRate) }

    /// Returns the duration of `frames`, rounded to the nearest nanosecond. Whole seconds and the
    /// rest are converted separately, so that long runs neither overflow nor drift.
    package func nanoseconds(frames: Int64) -> Int64 {
        let (seconds, rest) = frames.quotientAndRemainder(dividingBy: sampleRate)
        let half = rest < 0 ? -sampleRate / 2 : sampleRate / 2
        return seconds * 1_000_000_000 + (rest * 1_000_000_000 + half) / sampleRate
    }

    /// Returns the number of frames in `nanoseconds`, with its fraction.
    package func frames(nanoseconds: Int64) -> Double {
        Double(nanoseconds) * Double(sampleRate) / 1e9
    }

    /// Returns the number of frames in `nanoseconds`, rounded to the nearest.
    package func nearestFrame(nanoseconds: Int64) -> Int64 {
        Int64(frames(nanoseconds: nanoseconds).rounded())
    }
}
