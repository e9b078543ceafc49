// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadTime

/// The peaks of a file's audio: the minimum and the maximum of the samples in each short interval.
///
/// - Concurrency: a value; any thread.
struct TrimWaveform: Sendable {
    /// The smallest and the largest sample of an interval.
    typealias Peak = ClosedRange<Float>

    /// The sample rate, in frames per second.
    let sampleRate: Int
    /// The number of audio frames in an interval.
    let interval: Int
    private var peaks: [Peak?] = []

    /// The number of intervals in a second. Long files have longer intervals.
    private static let intervalsPerSecond = 200
    private static let maximumCount = 1 << 21

    /// Creates the waveform of a file of which nothing has been read.
    init(sampleRate: Int, duration: MediaTime) {
        self.sampleRate = max(1, sampleRate)
        let total = duration.isNumeric ? duration.seconds * Double(sampleRate) : 0
        interval = max(
            1, sampleRate / Self.intervalsPerSecond, Int(total) / Self.maximumCount + 1)
    }

    /// Adds interleaved samples.
    ///
    /// - Parameter first: The number of the first audio frame, counted from the start of the file.
    mutating func add(_ samples: UnsafeBufferPointer<Float>, channelCount: Int, at first: Int) {
        guard channelCount > 0 else { return }
        for frame in 0..<samples.count / channelCount where first + frame >= 0 {
            let index = (first + frame) / interval
            guard index < Self.maximumCount * 2 else { return }
            while peaks.count <= index { peaks.append(nil) }
            for channel in 0..<channelCount {
                let sample = samples[frame * channelCount + channel]
                guard sample.isFinite else { continue }
                let peak = peaks[index] ?? sample...sample
                peaks[index] = min(peak.lowerBound, sample)...max(peak.upperBound, sample)
            }
        }
    }

    /// Adds a buffer of samples.
    mutating func add(_ buffer: AudioBuffer) {
        guard buffer.presentationTime.isNumeric else { return }
        let first = Int((buffer.presentationTime.seconds * Double(sampleRate)).rounded())
        buffer.withSamples { add($0, channelCount: buffer.format.channelCount, at: first) }
    }

    /// Returns the peak of the intervals that a range of time touches; nil if they have no samples.
    func peak(from start: Double, to end: Double) -> Peak? {
        let scale = Double(sampleRate) / Double(interval)
        // A time that was rounded does not touch one more interval.
        let tolerance = 0.000001
        let first = max(0, Int((start * scale + tolerance).rounded(.down)))
        let last = min(peaks.count, max(first + 1, Int((end * scale - tolerance).rounded(.up))))
        guard first < last else { return nil }
        return peaks[first..<last].reduce(nil as Peak?) { sum, peak in
            guard let peak else { return sum }
            guard let sum else { return peak }
            return min(sum.lowerBound, peak.lowerBound)...max(sum.upperBound, peak.upperBound)
        }
    }
}
