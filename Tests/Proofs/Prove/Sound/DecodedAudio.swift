// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadUI

/// The audio of a file, decoded in sequence.
struct DecodedAudio {
    let format: AudioFormat
    private(set) var start = MediaTime.invalid
    private(set) var samples: [Float] = []
    /// Buffers that do not begin where the one before them ends.
    private(set) var breaks: [String] = []

    var frameCount: Int { samples.count / format.channelCount }

    init(_ asset: Asset, format: AudioFormat) throws {
        self.format = format
        let output = try AssetReader(asset: asset).addAudioOutput(format: format)
        try append(output, limit: .max)
    }

    /// Reads from the current position of an output, up to a number of frames.
    init(
        _ output: AssetReaderTrackOutput<AudioBuffer>, format: AudioFormat, limit: Int
    ) throws {
        self.format = format
        try append(output, limit: limit)
    }

    private mutating func append(
        _ output: AssetReaderTrackOutput<AudioBuffer>, limit: Int
    ) throws {
        var end = MediaTime.invalid
        while frameCount < limit, let buffer = try output.copyNextSampleBuffer() {
            let time = buffer.presentationTime
            if start.isNumeric {
                if time != end {
                    breaks.append(
                        "\((time - end).seconds * 1000) ms at \(end.seconds) s")
                }
            } else {
                start = time
            }
            buffer.withSamples { samples += $0 }
            end = time + buffer.duration
        }
    }

    func time(ofFrame frame: Int) -> MediaTime {
        start + MediaTime(value: Int64(frame), timescale: Int32(format.sampleRate))
    }

    /// Returns the level of the difference between some frames and those from `first` on, relative
    /// to the latter, in decibels; minus infinity if they are equal.
    func difference(_ other: ArraySlice<Float>, from first: Int) -> Double {
        let channels = format.channelCount
        let offset = first * channels
        guard offset >= 0, offset + other.count <= samples.count else { return .infinity }
        return samples.withUnsafeBufferPointer { mine in
            other.withUnsafeBufferPointer { theirs -> Double in
                guard let left = mine.baseAddress, let right = theirs.baseAddress else {
                    return -.infinity
                }
                if memcmp(left + offset, right, theirs.count * 4) == 0 { return -.infinity }
                var (signal, residue) = (0.0, 0.0)
                for index in 0..<theirs.count {
                    let expected = Double(left[offset + index])
                    let difference = Double(right[index]) - expected
                    signal += expected * expected
                    residue += difference * difference
                }
                if residue == 0 { return -.infinity }
                return 10 * log10(residue / max(signal, 1e-12))
            }
        }
    }

    /// Returns the delay of `other` relative to `first`, in frames; nil if it is not found near
    /// `first`.
    func shift(of other: ArraySlice<Float>, near first: Int, reach: Int = 4096) -> Int? {
        let channels = format.channelCount
        let probe = other.suffix(min(other.count, 512 * channels))
        let place = first + (other.count - probe.count) / channels
        let candidates = (0...reach).lazy.flatMap { [$0, -$0] }
        return candidates.first { difference(probe, from: place - $0) < -50 }
    }

    /// Returns the range and the number of the frames that differ from those from `first` on; nil
    /// if none does.
    func differing(_ other: ArraySlice<Float>, from first: Int) -> (ClosedRange<Int>, Int)? {
        let channels = format.channelCount
        let offset = first * channels
        guard offset >= 0, offset + other.count <= samples.count else { return nil }
        let places = (0..<other.count).filter {
            other[other.startIndex + $0] != samples[offset + $0]
        }
        guard let low = places.first, let high = places.last else { return nil }
        return (low / channels...high / channels, places.count)
    }
}
