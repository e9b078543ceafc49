// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadAudio
import PlayheadBuffers
import PlayheadTime

/// One audio track of an export. Positions are counted in samples from the start of the range.
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
    /// The index after the last frame that was read; nil before the first.
    private var readEnd: Int64?
    /// A Boolean value that indicates whether all samples were read.
    private(set) var hasEnded = false

    /// The maximum difference between the start of a buffer and the end of the previous one that
    /// counts as rounding, in seconds.
    private static let tolerance = 0.005

    init(
        _ output: AssetReaderTrackOutput<AudioBuffer>, format: AudioFormat, mix: OfflineAudioMix?,
        start: MediaTime, end: MediaTime
    ) {
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
        var index = readEnd ?? 0
        if buffer.presentationTime.isNumeric {
            let stated = Self.frames(buffer.presentationTime - start, format)
            let tolerance = Int64(Self.tolerance * Double(format.sampleRate))
            if readEnd == nil || abs(stated - index) > tolerance { index = stated }
        }
        let count = Int(max(0, min(Int64(buffer.frameCount), limit - index)))
        pendingStart = index
        readEnd = index + Int64(buffer.frameCount)
        pending = buffer.withSamples { Array($0[..<(count * format.channelCount)]) }
        if let mix {
            let time =
                start + MediaTime(value: index, timescale: Int32(clamping: format.sampleRate))
            pending.withUnsafeMutableBufferPointer { mix.apply(to: $0, at: time) }
        }
        return true
    }
}
