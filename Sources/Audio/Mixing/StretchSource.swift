// SPDX-License-Identifier: Apache-2.0

/// Consecutive frames of a ring, by item time, which the audio callback may read.
///
/// - Concurrency: the reader's thread, between `beginReading` and `endReading`.
struct StretchSource {
    /// The samples of the ring, whose frame i is in slot i & mask.
    let samples: UnsafePointer<Float>
    let mask: Int64
    let channelCount: Int
    /// The available frames.
    let frames: Range<Int64>

    /// Returns the samples of a frame; nil if it is not available and therefore silent.
    func frame(_ number: Int64) -> UnsafePointer<Float>? {
        frames.contains(number) ? samples + Int(number & mask) * channelCount : nil
    }

    /// Returns two numbers that characterise a frame: the sum of its channels, and the difference
    /// of the first two, which a sum would miss if they cancel each other.
    func features(of number: Int64) -> (sum: Float, difference: Float) {
        guard let frame = frame(number) else { return (0, 0) }
        var sum: Float = 0
        for channel in 0..<channelCount { sum += frame[channel] }
        return (sum, channelCount > 1 ? frame[0] - frame[1] : 0)
    }
}
