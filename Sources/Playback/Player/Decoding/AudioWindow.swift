// SPDX-License-Identifier: Apache-2.0

import PlayheadAudio
import PlayheadBuffers
import PlayheadTime

/// The samples of a range of frames, put together from decoded buffers. Where there is no audio,
/// they are zero.
///
/// Buffers are placed as in an `AudioRingBuffer`: small deviations of their times are rounding, a
/// gap stays a gap, and frames that overlap earlier ones are left out.
///
/// - Concurrency: a value.
struct AudioWindow: Sendable {
    /// The interleaved samples.
    private(set) var samples: [Float]
    /// A Boolean value that indicates whether no audio has been added.
    private(set) var isEmpty = true

    private let range: Range<Int64>
    private let format: AudioFormat
    /// The frame after the last buffer; nil before the first buffer.
    private var next: Int64?

    /// - Parameter range: The frames, counted from time 0 of the item.
    init(_ range: Range<Int64>, format: AudioFormat) {
        self.range = range
        self.format = format
        samples = [Float](repeating: 0, count: range.count * format.channelCount)
    }

    /// Adds the buffer that follows the previous one.
    mutating func add(_ buffer: AudioBuffer) {
        guard let (position, skipped) = place(of: buffer) else { return }
        let end = position + Int64(buffer.frameCount - skipped)
        next = max(end, next ?? end)
        let wanted = range.clamped(to: position..<end)
        guard !wanted.isEmpty else { return }
        isEmpty = false
        let channels = format.channelCount
        let target = Int(wanted.lowerBound - range.lowerBound) * channels
        let source = (skipped + Int(wanted.lowerBound - position)) * channels
        buffer.withSamples { new in
            for index in 0..<(wanted.count * channels) {
                samples[target + index] = new[source + index]
            }
        }
    }

    /// Returns the position of a buffer, and the number of its first frames that are left out. Nil
    /// if the position is unknown.
    private func place(of buffer: AudioBuffer) -> (position: Int64, skipped: Int)? {
        guard buffer.presentationTime.isNumeric else { return next.map { ($0, 0) } }
        let rate = Int32(clamping: format.sampleRate)
        let stated = buffer.presentationTime.converted(toTimescale: rate).value
        guard let next else { return (stated, 0) }
        let tolerance = MediaTime(nanoseconds: AudioRingBuffer.timestampTolerance)
            .converted(toTimescale: rate).value
        if stated - next > tolerance { return (stated, 0) }
        if next - stated > tolerance {
            return (next, Int(min(next - stated, Int64(buffer.frameCount))))
        }
        return (next, 0)
    }
}
