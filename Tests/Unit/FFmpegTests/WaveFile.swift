// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A WAV file of 32-bit float samples, made in memory: audio with known samples.
struct WaveFile {
    var sampleRate: Int
    /// One array of samples per channel, all of the same length.
    var channels: [[Float]]
    /// WAVE's channel mask; 0 leaves it to the reader.
    var channelMask: UInt32 = 0

    var data: Data {
        var bytes = Data()
        func add(_ text: String) { bytes.append(contentsOf: text.utf8) }
        func add<Number: FixedWidthInteger>(_ number: Number) {
            withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
        }
        let count = channels.first?.count ?? 0
        let frameSize = channels.count * 4
        add("RIFF")
        add(UInt32(60 + count * frameSize))
        add("WAVEfmt ")
        add(UInt32(40))
        add(UInt16(0xfffe))  // WAVE_FORMAT_EXTENSIBLE
        add(UInt16(channels.count))
        add(UInt32(truncatingIfNeeded: sampleRate))
        add(UInt32(truncatingIfNeeded: sampleRate * frameSize))
        add(UInt16(frameSize))
        add(UInt16(32))
        add(UInt16(22))
        add(UInt16(32))
        add(channelMask)
        // KSDATAFORMAT_SUBTYPE_IEEE_FLOAT
        bytes.append(contentsOf: [3, 0, 0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xaa, 0, 0x38, 0x9b, 0x71])
        add("data")
        add(UInt32(count * frameSize))
        for index in 0..<count {
            for channel in channels { add(channel[index].bitPattern) }
        }
        return bytes
    }

    func write(to path: String) throws { try data.write(to: URL(filePath: path)) }
}
