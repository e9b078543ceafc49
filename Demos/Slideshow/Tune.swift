// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadUI

/// Music in four measures of four beats: broken chords over a bass.
enum Tune {
    /// The duration of a beat, at 120 beats per minute.
    static let beat = MediaTime(value: 1, timescale: 2)
    private static let sampleRate = 48_000
    /// The notes of each measure, in semitones from A below middle C; the first is the bass.
    private static let measures: [[Int]] = [
        [-9, 3, 7, 10, 15, 10, 7, 10], [-12, 3, 7, 12, 15, 12, 7, 12],
        [-16, 0, 3, 8, 12, 8, 3, 8], [-14, -2, 2, 5, 10, 5, 2, 5],
    ]

    /// Writes the music to a file, and returns its path.
    static func write(in folder: URL, measures count: Int) throws -> String {
        let length = sampleRate * 2
        var samples = [Float](repeating: 0, count: length * count + sampleRate)
        for measure in 0..<count {
            let notes = measures[measure % measures.count]
            for (index, note) in notes.enumerated() {
                let start = measure * length + index * length / notes.count
                add(note, volume: 0.14, decay: 5, at: start, to: &samples)
                if index == 0 { add(note, volume: 0.24, decay: 1.6, at: start, to: &samples) }
            }
        }
        let file = folder.appendingPathComponent("tune.wav")
        try data(samples).write(to: file)
        return file.path
    }

    /// Adds a plucked note.
    private static func add(
        _ note: Int, volume: Float, decay: Float, at start: Int, to samples: inout [Float]
    ) {
        let step = 2 * Float.pi * 220 * powf(2, Float(note) / 12) / Float(sampleRate)
        let count = min(samples.count - start, sampleRate * 3 / 2)
        for index in 0..<max(0, count) {
            let time = Float(index) / Float(sampleRate)
            let attack = min(time * 200, 1)
            let phase = step * Float(index)
            samples[start + index] +=
                volume * attack * expf(-decay * time) * (sinf(phase) + 0.35 * sinf(2 * phase))
        }
    }

    /// Returns a WAVE file of one channel of 16 bits.
    private static func data(_ samples: [Float]) -> Data {
        var data = Data()
        func append(_ value: some FixedWidthInteger) {
            withUnsafeBytes(of: value.littleEndian) { data.append(contentsOf: $0) }
        }
        data.append(contentsOf: Array("RIFF".utf8))
        append(UInt32(36 + samples.count * 2))
        data.append(contentsOf: Array("WAVEfmt ".utf8))
        append(UInt32(16))
        append(UInt16(1))
        append(UInt16(1))
        append(UInt32(sampleRate))
        append(UInt32(sampleRate * 2))
        append(UInt16(2))
        append(UInt16(16))
        data.append(contentsOf: Array("data".utf8))
        append(UInt32(samples.count * 2))
        for sample in samples { append(Int16(max(-1, min(1, sample)) * 32_767)) }
        return data
    }
}
