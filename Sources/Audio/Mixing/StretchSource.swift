// SPDX-License-Identifier: Apache-2.0

/// Frames of a ring that follow each other in item time, as the sound callback may read them.
///
/// - Concurrency: the reader's thread, between `beginReading` and `endReading`.
struct StretchSource {
    /// Of the ring, whose frame i lies in slot i & mask.
    let samples: UnsafePointer<Float>
    let mask: Int64
    let channelCount: Int
    /// The frames that there are.
    let frames: Range<Int64>

    /// The samples of a frame; nil where there is none, and silence therefore.
    func frame(_ number: Int64) -> UnsafePointer<Float>? {
        frames.contains(number) ? samples + Int(number & mask) * channelCount : nil
    }

    /// What a frame sounds like, in two numbers: the sum of its channels, and the difference of the
    /// first two, which a sum would not hear where they cancel each other.
    func features(of number: Int64) -> (sum: Float, difference: Float) {
        guard let frame = frame(number) else { return (0, 0) }
        var sum: Float = 0
        for channel in 0..<channelCount { sum += frame[channel] }
        return (sum, channelCount > 1 ? frame[0] - frame[1] : 0)
    }
}
