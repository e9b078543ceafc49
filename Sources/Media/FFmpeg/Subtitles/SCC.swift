// SPDX-License-Identifier: Apache-2.0

import PlayheadTime

/// The timecodes of Scenarist's closed captions: those of NTSC, with or without dropped frame
/// numbers.
///
/// FFmpeg treats both as clock times in which a second has 30 frames of 33 ms. Non-drop timecodes,
/// which fall behind by 3.6 s in an hour, are therefore rewritten as the drop-frame timecodes of
/// the same frames. FFmpeg's times are then replaced by exact ones.
///
/// - Corresponds to: SMPTE ST 12-1, 5.2.2.
enum SCC {
    private static let head = Array("Scenarist_SCC".utf8)
    /// The duration that FFmpeg assumes for a frame, in milliseconds.
    private static let frameMilliseconds: Int64 = 33

    static func isSCC(_ text: [UInt8]) -> Bool { text.starts(with: head) }

    /// Returns the text with drop-frame timecodes only.
    static func normalized(_ text: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(text.count)
        for line in text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            if !result.isEmpty { result.append(UInt8(ascii: "\n")) }
            result += normalized(line: line)
        }
        return result
    }

    private static func normalized(line: ArraySlice<UInt8>) -> [UInt8] {
        let code = line.prefix { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D }
        // A semicolon, or in some files a full stop, marks dropped frame numbers.
        let fields = code.split(separator: UInt8(ascii: ":")).map {
            Int64(String(decoding: $0, as: UTF8.self)) ?? -1
        }
        guard fields.count == 4, code.count <= 16, fields.allSatisfy({ (0...99).contains($0) })
        else { return Array(line) }
        let count = ((fields[0] * 60 + fields[1]) * 60 + fields[2]) * 30 + fields[3]
        return Array(dropFrameCode(count).utf8) + line.dropFirst(code.count)
    }

    /// The number of frames in ten minutes, and in a minute whose first two frame numbers are
    /// dropped.
    private static let (tenMinutes, minute) = (Int64(17982), Int64(1798))

    private static func dropFrameCode(_ count: Int64) -> String {
        let (tens, rest) = count.quotientAndRemainder(dividingBy: tenMinutes)
        // The first minute of ten has all numbers, the others lack two.
        let minutes = rest < 1800 ? 0 : 1 + (rest - 1800) / minute
        let number = count + tens * 18 + minutes * 2
        let fields = [number / 108_000, number / 1800 % 60, number / 30 % 60, number % 30]
        let texts = fields.map { $0 < 10 ? "0\($0)" : "\($0)" }
        return texts[..<3].joined(separator: ":") + ";" + texts[3]
    }

    /// Returns the time of a drop-frame timecode.
    ///
    /// - Parameter time: The time that FFmpeg computed for it.
    static func time(_ time: MediaTime) -> MediaTime {
        guard time.isNumeric else { return time }
        let milliseconds = Int64((time.seconds * 1000).rounded())
        let (seconds, rest) = milliseconds.quotientAndRemainder(dividingBy: 1000)
        let minutes = seconds / 60
        let count = seconds * 30 + rest / frameMilliseconds - 2 * (minutes - minutes / 10)
        return MediaTime(value: count * 1001, timescale: 30000)
    }
}
