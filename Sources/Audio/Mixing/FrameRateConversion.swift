// SPDX-License-Identifier: Apache-2.0

/// A conversion between sample frames and nanoseconds at one sample rate.
///
/// - Concurrency: any thread, including real-time threads.
package struct FrameRateConversion: Sendable {
    package let sampleRate: Int64

    package init(sampleRate: Int) { self.sampleRate = Int64(sampleRate) }

    /// Returns the duration of `frames`, in nanoseconds, rounded to nearest. Whole seconds and the
    /// remainder are converted separately, so that long runs neither overflow nor drift.
    package func nanoseconds(frames: Int64) -> Int64 {
        let (seconds, rest) = frames.quotientAndRemainder(dividingBy: sampleRate)
        let half = rest < 0 ? -sampleRate / 2 : sampleRate / 2
        return seconds * 1_000_000_000 + (rest * 1_000_000_000 + half) / sampleRate
    }

    /// Returns the number of frames in `nanoseconds`, including the fraction of a frame.
    package func frames(nanoseconds: Int64) -> Double {
        Double(nanoseconds) * Double(sampleRate) / 1e9
    }

    /// Returns the number of frames in `nanoseconds`, rounded to the nearest whole frame.
    package func nearestFrame(nanoseconds: Int64) -> Int64 {
        Int64(frames(nanoseconds: nanoseconds).rounded())
    }
}
