// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadBuffers
import PlayheadTime

/// A reader that returns the audio of a track in reverse order.
///
/// It has its own demuxer and decoder, so reverse and forward playback are independent. For each
/// window of an `AudioReversal`, an `AssetReader` seeks back and decodes the audio that the codec
/// needs beforehand, so that the samples are those of sequential decoding.
///
/// - Capacity: one window of at most two seconds, and its reversal.
/// - Concurrency: one thread.
/// - Errors: damaged data is reported and skipped, as in forward playback.
final class ReversedAudioReader {
    /// The identifier of the track.
    let trackID: Int

    private let reader: AssetReader
    private let output: AssetReaderTrackOutput<AudioBuffer>
    private let format: AudioFormat
    private let report: (MediaError) -> Void
    /// Returns whether the result is no longer needed.
    private let isOver: () -> Bool
    /// A Boolean value that indicates whether a read ended because its result was no longer needed.
    /// The reader is then at an unknown position, and is not used again.
    private(set) var isInterrupted = false
    private var reversal: AudioReversal
    private var errorCount = 0
    /// The number of consecutive windows in which nothing could be decoded.
    private var failureCount = 0

    /// The duration after the stated end of the track that is also read, because the container may
    /// have rounded that end.
    private static let endMargin = MediaTime(value: 1, timescale: 1)
    /// The distance behind the playhead, in seconds, after which audio is skipped.
    private static let skipSeconds: Int64 = 1
    /// The number of consecutive windows without a decodable sample after which reading ends.
    private static let failureLimit = 4

    /// - Parameters:
    ///   - reader: A reader of the asset, which nothing else uses.
    ///   - format: The format of the returned audio.
    init(
        _ reader: AssetReader, trackID: Int, format: AudioFormat,
        report: @escaping (MediaError) -> Void, isOver: @escaping () -> Bool
    ) throws(MediaError) {
        self.reader = reader
        self.trackID = trackID
        self.format = format
        self.report = report
        self.isOver = isOver
        output = try reader.addAudioOutput(trackID: trackID, format: format)
        reversal = AudioReversal(format: format, from: 0, to: 0)
    }

    /// Begins with the sample that is heard before `time`.
    func begin(at time: MediaTime) {
        var limit = time
        let end = output.track.timeRange.end
        if reader.description.providesPreciseDurationAndTiming, end.isNumeric {
            limit = min(limit, end + Self.endMargin)
        }
        let start = reader.description.startTime
        reversal = AudioReversal(
            format: format, from: start.isNumeric ? frame(at: max(start, .zero)) : 0,
            to: frame(at: limit))
        failureCount = 0
    }

    /// Decodes the next audio in reverse order. The times of buffers are negated item times.
    ///
    /// - Parameter time: The item time that is heard now. If audio is far behind it, reading
    ///   continues there.
    /// - Returns: the audio; nil at the beginning of the item, if nothing can be read, or if the
    ///   result is no longer needed.
    func next(heardAt time: MediaTime) -> AudioBuffer? {
        let heard = frame(at: time)
        if reversal.end - heard > Self.skipSeconds * Int64(format.sampleRate) {
            reversal.skip(to: heard)
        }
        guard let range = reversal.window, let samples = decode(range) else { return nil }
        return reversal.take(samples)
    }

    /// Returns the first frame that begins at or after a time.
    private func frame(at time: MediaTime) -> Int64 {
        let frame = time.converted(
            toTimescale: Int32(clamping: format.sampleRate), method: .roundTowardPositiveInfinity)
        return frame.isNumeric ? max(0, frame.value) : 0
    }

    /// Returns the middle between a frame and the one before it. Samples between frames of the
    /// output are rounded to the nearest frame.
    private func edge(of frame: Int64) -> MediaTime {
        MediaTime(value: 2 * frame - 1, timescale: Int32(clamping: 2 * format.sampleRate))
    }

    /// Decodes the samples of frames. Returns nil if nothing can be read, or if the result is no
    /// longer needed.
    private func decode(_ range: Range<Int64>) -> [Float]? {
        var window = AudioWindow(range, format: format)
        var failure: MediaError?
        reader.restart(
            timeRange: MediaTimeRange(
                start: edge(of: range.lowerBound), end: edge(of: range.upperBound)))
        do {
            while !isOver(), let buffer = try output.copyNextSampleBuffer() { window.add(buffer) }
        } catch {
            if isOver() {
                isInterrupted = true
                return nil
            }
            if error.code != .cancelled { report(error) }
            failure = error
        }
        if output.decodeErrorCount > errorCount {
            errorCount = output.decodeErrorCount
            if let error = output.lastDecodeError { report(error) }
        }
        if isOver() { return nil }
        guard let failure, window.isEmpty else {
            failureCount = 0
            return window.samples
        }
        // Earlier audio may be undamaged.
        failureCount += 1
        let isDamaged = failure.code == .decodingFailed && failureCount < Self.failureLimit
        return isDamaged ? window.samples : nil
    }
}
