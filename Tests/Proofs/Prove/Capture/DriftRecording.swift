// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadAssets
import PlayheadUI

/// A recording of a camera and a microphone, and the camera's log of its frames.
struct DriftRecording {
    let path: String
    let log: String
    /// The host time of the microphone's first sample, in nanoseconds. A tone begins each second.
    let microphoneStart: Int64

    /// Returns the delay of each tone in the file relative to the frame of the same moment, in
    /// seconds.
    func offsets() throws -> [(second: Int, offset: Double)] {
        let frames = try frames()
        return try tones().compactMap { tone in
            // The moment of a tone is that of the nearest whole second since the start.
            guard let index = frames.firstIndex(where: { $0.file > tone }), index > 0 else {
                return nil
            }
            let (before, after) = (frames[index - 1], frames[index])
            let share = (tone - before.file) / (after.file - before.file)
            let seen = before.made + share * (after.made - before.made)
            let second = seen.rounded()
            // `seen` is the time at which the frame at the tone's position was made. The tone was
            // made at the whole second.
            return (Int(second), seen - second)
        }
    }

    /// Returns the rise of the line that fits offsets, from the first to the last, in seconds.
    /// Single offsets vary with the machine's load.
    static func growth(of offsets: [(second: Int, offset: Double)]) -> Double {
        guard let first = offsets.first, let last = offsets.last, last.second > first.second else {
            return 0
        }
        let count = Double(offsets.count)
        let middle = offsets.reduce(0.0) { $0 + Double($1.second) } / count
        let mean = offsets.reduce(0) { $0 + $1.offset } / count
        let (product, square) = offsets.reduce((0.0, 0.0)) { sums, offset in
            let distance = Double(offset.second) - middle
            return (sums.0 + distance * (offset.offset - mean), sums.1 + distance * distance)
        }
        return product / square * Double(last.second - first.second)
    }

    /// The frames: their times in the file, and the true times at which they were made, in seconds
    /// since the microphone's start.
    private func frames() throws -> [(file: Double, made: Double)] {
        var made: [Int: Double] = [:]
        for line in try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n") {
            let parts = line.split(separator: " ")
            if parts.count == 3, let number = Int(parts[0]), let time = Int64(parts[2]) {
                made[number] = Double(time - microphoneStart) / 1e9
            }
        }
        let reader = try AssetReader(asset: URLAsset(url: URL(fileURLWithPath: path)))
        let output = try reader.addVideoOutput()
        var frames: [(file: Double, made: Double)] = []
        while let frame = try output.copyNextSampleBuffer() {
            guard let number = FrameNumberStrip.read(from: frame.pixelBuffer),
                let time = made[number]
            else { continue }
            frames.append((frame.presentationTime.seconds, time))
        }
        return frames
    }

    /// The times at which tones begin in the file, in seconds.
    private func tones() throws -> [Double] {
        let reader = try AssetReader(asset: URLAsset(url: URL(fileURLWithPath: path)))
        let output = try reader.addAudioOutput(format: .mono(sampleRate: 48_000))
        var (tones, quiet, position): ([Double], Int, Int) = ([], 0, 0)
        while let buffer = try output.copyNextSampleBuffer() {
            buffer.withSamples { samples in
                for (index, sample) in samples.enumerated() {
                    if abs(sample) > 0.05 {
                        if quiet >= 4800 { tones.append(Double(position + index) / 48_000) }
                        quiet = 0
                    } else {
                        quiet += 1
                    }
                }
            }
            position += buffer.frameCount
        }
        return tones
    }
}
