// SPDX-License-Identifier: Apache-2.0

import PlayheadAudio
import PlayheadTime

/// The comparison of the samples that a device has recorded with those that the model says are
/// heard.
struct ModelledRecording {
    /// The next run and the next block of that run to compare, and the number of the last sample.
    private var run = 0
    private var block = 0
    private var last: Int?
    private(set) var sampleCount = 0

    /// Compares what has been heard since the last call. Returns the first difference.
    mutating func compare(_ recorded: [CapturedAudio], _ model: PlaybackModel) -> String? {
        let runs = model.device.runs
        while run < runs.count {
            let blocks = runs[run].blocks
            let end = runs[run].end
            while block < blocks.count {
                let start = blocks[block].clock
                // A block that has not been heard to its end may still be cut.
                if end == nil, start + ModelDevice.blockDuration > model.clock { return nil }
                if let end, start >= end { break }
                guard run < recorded.count else { return "nothing is heard at \(start)" }
                let first = block * ModelDevice.blockLength
                if block > 0, !blocks[block].continues(blocks[block - 1]) { last = nil }
                let samples = Self.samples(recorded[run], from: first)
                if let difference = blocks[block].difference(from: samples, last: &last) {
                    return "at \(start): \(difference)"
                }
                let isWhole = end.map { start + ModelDevice.blockDuration <= $0 } ?? true
                if isWhole, samples.count < ModelDevice.blockLength {
                    return "only \(samples.count) samples at \(start)"
                }
                block += 1
                sampleCount += samples.count
            }
            guard end != nil else { return nil }
            (run, block, last) = (run + 1, 0, nil)
        }
        return nil
    }

    /// Returns the samples of the left channel of a block.
    private static func samples(_ run: CapturedAudio, from first: Int) -> [Float] {
        let end = min(first + ModelDevice.blockLength, run.samples.count / 2)
        return first < end ? (first..<end).map { run.samples[2 * $0] } : []
    }
}
