// SPDX-License-Identifier: Apache-2.0

/// Consecutive frames of a ring that the audio callback may read. They follow each other in item
/// time.
///
/// - Concurrency: the reader's thread, between `beginReading` and `endReading`.
package struct StretchSource {
    /// The samples of the ring. Frame i is in slot i & mask.
    let samples: UnsafePointer<Float>
    let mask: Int64
    let channelCount: Int
    /// The available frames.
    let frames: Range<Int64>

    package init(
        samples: UnsafePointer<Float>, mask: Int64, channelCount: Int, frames: Range<Int64>
    ) {
        self.samples = samples
        self.mask = mask
        self.channelCount = channelCount
        self.frames = frames
    }

    /// Returns the samples of a frame; nil if the frame is not available and therefore silent.
    package func frame(_ number: Int64) -> UnsafePointer<Float>? {
        frames.contains(number) ? samples + Int(number & mask) * channelCount : nil
    }

    /// Returns two numbers that characterise a frame: the sum of its channels, and the difference
    /// of the first two channels. Channels that cancel each other in the sum still show in the
    /// difference.
    func features(of number: Int64) -> (sum: Float, difference: Float) {
        guard let frame = frame(number) else { return (0, 0) }
        var sum: Float = 0
        for channel in 0..<channelCount { sum += frame[channel] }
        return (sum, channelCount > 1 ? frame[0] - frame[1] : 0)
    }
}
