// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadAudio
import PlayheadBuffers
import PlayheadTime

/// One audio track of an export. Positions are counted in samples from the start of the range.
///
/// As during playback, gaps are silence, and audio that overlaps the previous audio is dropped.
///
/// - Concurrency: the thread of the export.
final class ExportAudioSource {
    private let output: AssetReaderTrackOutput<AudioBuffer>
    private let mix: OfflineAudioMix?
    private let format: AudioFormat
    private let start: MediaTime
    /// The end of the track. Codecs deliver whole frames, which may extend past the end.
    private let limit: Int64
    /// The samples that were read but not taken yet, and the index of their first frame.
    private var pending: [Float] = []
    private var pendingStart: Int64 = 0
    /// The index after the last frame that was read; nil before the first frame.
    private var readEnd: Int64?
    /// A Boolean value that indicates whether all samples were read.
    private(set) var hasEnded = false

    /// A Boolean value that indicates whether the first sample is placed exactly.
    private let startsExactly: Bool

    /// Creates a source.
    ///
    /// - Parameter startsExactly: A Boolean value that indicates whether the first sample is placed
    ///   exactly, as when tracks are mixed. If not, and the sample's time is within a tolerance of
    ///   the start of the range, the sample is placed at the start of the range, as during
    ///   playback.
    init(
        _ output: AssetReaderTrackOutput<AudioBuffer>, format: AudioFormat, mix: OfflineAudioMix?,
        start: MediaTime, end: MediaTime, startsExactly: Bool = true
    ) {
        self.startsExactly = startsExactly
        self.output = output
        self.format = format
        self.mix = mix
        self.start = start
        limit = end.isNumeric ? Self.frames(end - start, format) : .max / 2
    }

    private static func frames(_ time: MediaTime, _ format: AudioFormat) -> Int64 {
        time.converted(toTimescale: Int32(clamping: format.sampleRate)).value
    }

    /// Adds the samples of a range to a block, and reads as far as necessary.
    ///
    /// - Parameters:
    ///   - first: The index of the block's first frame. It must not be lower than in the previous
    ///     call.
    ///   - block: The interleaved samples.
    /// - Returns: The index after the last frame that was added; `first` if none was added.
    func add(
        to block: UnsafeMutableBufferPointer<Float>, from first: Int64
    ) throws(MediaError) -> Int64 {
        let channels = format.channelCount
        let end = first + Int64(block.count / channels)
        var added = first
        while true {
            let pendingEnd = pendingStart + Int64(pending.count / channels)
            let low = max(first, pendingStart)
            let high = min(end, pendingEnd)
            if high > low {
                let target = Int(low - first) * channels
                let source = Int(low - pendingStart) * channels
                for index in 0..<(Int(high - low) * channels) {
                    block[target + index] += pending[source + index]
                }
                added = max(added, high)
            }
            if pendingEnd > end { return added }
            guard try read() else { return added }
        }
    }

    /// Reads the next buffer. Returns false after the last one.
    private func read() throws(MediaError) -> Bool {
        guard !hasEnded, let buffer = try output.copyNextSampleBuffer() else {
            hasEnded = true
            pending = []
            return false
        }
        let channels = format.channelCount
        var index = readEnd ?? 0
        if buffer.presentationTime.isNumeric {
            let stated = Self.frames(buffer.presentationTime - start, format)
            let tolerance = Self.frames(
                MediaTime(nanoseconds: AudioRingBuffer.timestampTolerance), format)
            if (readEnd == nil && startsExactly) || abs(stated - index) > tolerance {
                index = stated
            }
        }
        let end = index + Int64(buffer.frameCount)
        let first = max(index, readEnd ?? index)
        let last = min(end, limit)
        pendingStart = first
        readEnd = max(first, end)
        pending = buffer.withSamples { samples in
            guard last > first else { return [] }
            return Array(samples[Int(first - index) * channels..<Int(last - index) * channels])
        }
        if let mix {
            let time =
                start + MediaTime(value: first, timescale: Int32(clamping: format.sampleRate))
            pending.withUnsafeMutableBufferPointer { mix.apply(to: $0, at: time) }
        }
        return true
    }
}
