// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadTime

/// The progress of decoding audio in reverse: which samples are decoded next, and how the pieces
/// are joined.
///
/// Codecs decode forwards, so audio is decoded in windows, the latest first, and the samples of
/// each window are reversed. Two windows overlap by a few milliseconds, in which the later window
/// is faded into the earlier one. If both have decoded the same samples there, as they have with
/// most codecs, the result is exactly the reversal of sequential decoding. Otherwise the fade
/// prevents a click.
///
/// Positions are sample frames at the rate of the output, counted from time 0 of the item.
///
/// - Concurrency: a value.
struct AudioReversal: Sendable {
    /// The length of the first window, in frames, which is short so that audio begins soon.
    private let firstLength: Int64
    /// The length of the longest window, in frames. Each window is twice as long as the previous
    /// one, up to this length.
    private let longestLength: Int64
    /// The length of the overlap of two windows, in frames.
    private let overlap: Int64

    private let format: AudioFormat
    /// The first frame of the item.
    private let first: Int64
    /// The frame from which on all frames have been returned or skipped.
    private(set) var end: Int64
    private var length: Int64
    /// The samples of the frames up to `end` that the last window has in common with the next one.
    private var tail: [Float] = []

    /// Begins with the frame before `end`.
    init(format: AudioFormat, from first: Int64, to end: Int64) {
        let rate = Int64(format.sampleRate)
        self.init(
            format: format, from: first, to: end, firstLength: rate / 2, longestLength: 2 * rate,
            overlap: rate / 100)
    }

    /// - Precondition: windows are longer than their overlap.
    init(
        format: AudioFormat, from first: Int64, to end: Int64, firstLength: Int64,
        longestLength: Int64, overlap: Int64
    ) {
        precondition(
            overlap >= 0 && firstLength > overlap && longestLength >= firstLength,
            "windows are longer than their overlap")
        self.format = format
        self.first = first
        self.end = max(first, end)
        self.firstLength = firstLength
        self.longestLength = longestLength
        self.overlap = overlap
        length = firstLength
    }

    /// The frames to decode next; nil once the first frame has been returned.
    var window: Range<Int64>? {
        end > first ? max(first, end - length)..<end : nil
    }

    /// Continues with an earlier frame, because the frames after it are no longer needed.
    mutating func skip(to end: Int64) {
        guard end < self.end else { return }
        self.end = max(first, end)
        tail = []
        length = firstLength
    }

    /// Takes the samples of `window`, interleaved, and returns the frames that can be heard next,
    /// in reverse order. The time of the buffer is the negated item time at which its first frame
    /// begins to be heard.
    mutating func take(_ samples: [Float]) -> AudioBuffer? {
        guard let window else { return nil }
        let channels = format.channelCount
        precondition(samples.count == window.count * channels, "the samples of the window")
        let held = window.lowerBound > first ? Int(overlap) : 0
        let count = window.count - held
        let buffer = AudioBuffer(
            format: format,
            presentationTime: MediaTime(
                value: -end, timescale: Int32(clamping: format.sampleRate)),
            frameCount: count
        ) { target in
            for frame in 0..<count {
                let source = (window.count - 1 - frame) * channels
                for channel in 0..<channels {
                    target[frame * channels + channel] = joined(samples, at: source + channel)
                }
            }
        }
        tail = (0..<(held * channels)).map { joined(samples, at: $0) }
        end = window.lowerBound + Int64(held)
        length = min(2 * length, longestLength)
        return buffer
    }

    /// Returns a sample of the window. The last frames are faded into the frames of the window
    /// after it.
    private func joined(_ samples: [Float], at index: Int) -> Float {
        let place = index - (samples.count - tail.count)
        guard place >= 0 else { return samples[index] }
        let channels = format.channelCount
        let weight = Float(place / channels + 1) / Float(tail.count / channels + 1)
        return samples[index] + (tail[place] - samples[index]) * weight
    }
}
