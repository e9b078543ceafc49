// SPDX-License-Identifier: Apache-2.0

import PlayheadTime
import PlayheadWriting

/// An editor that ends the tracks of a complete MP4 or QuickTime file at a time, by changing their
/// edit lists (ISO/IEC 14496-12:2022, 8.6.6).
///
/// The file may contain frames that are shown after the end, because earlier frames are decoded
/// from them. FFmpeg's muxer always ends an edit list with the last frame.
struct MovieEnding {
    private let file: WritingFile
    /// The bytes of the `moov` box, and its position in the file.
    private var bytes: [UInt8]
    private let offset: Int64

    /// The maximum size of the index that is read, in bytes. The index of a day of video takes some
    /// tens of megabytes.
    private static let maximumSize = 1 << 30

    /// Reads the index. Fails if the file has no index.
    init?(_ file: WritingFile) {
        self.file = file
        var place: Int64 = 0
        let end = file.byteCount
        while place + 8 <= end {
            guard let header = Self.read(file, at: place, count: 16) else { return nil }
            var size = Int64(Self.number(header, 0, 4))
            if size == 1 { size = Int64(clamping: Self.number(header, 8, 8)) }
            guard size >= 8, place + size <= end else { return nil }
            if Array(header[4..<8]) == Array("moov".utf8) {
                guard size <= Self.maximumSize,
                    let bytes = Self.read(file, at: place, count: Int(size))
                else { return nil }
                self.bytes = bytes
                offset = place
                return
            }
            place += size
        }
        return nil
    }

    private static func read(_ file: WritingFile, at place: Int64, count: Int) -> [UInt8]? {
        file.seek(to: place)
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            let part = bytes.withUnsafeMutableBytes {
                file.read(UnsafeMutableRawBufferPointer(rebasing: $0[done...]))
            }
            guard part > 0 else { return done >= 8 && count == 16 ? bytes : nil }
            done += part
        }
        return bytes
    }

    private static func number(_ bytes: [UInt8], _ place: Int, _ count: Int) -> UInt64 {
        bytes[place..<place + count].reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Ends all tracks at the given time, and writes the index if any track has changed.
    mutating func end(at time: MediaTime) {
        guard let header = boxes("mvhd", in: 8..<bytes.count).first else { return }
        let isLong = bytes[header.lowerBound] == 1
        let scalePlace = header.lowerBound + (isLong ? 20 : 12)
        let scale = Self.number(bytes, scalePlace, 4)
        guard scale > 0, let scale = Int32(exactly: scale) else { return }
        let end = UInt64(max(0, time.converted(toTimescale: scale).value))
        var hasChanged = false
        for track in boxes("trak", in: 8..<bytes.count) {
            for edits in boxes("edts", in: track).flatMap({ boxes("elst", in: $0) }) {
                hasChanged = shorten(edits, to: end) || hasChanged
            }
            for header in boxes("tkhd", in: track) {
                let isLong = bytes[header.lowerBound] == 1
                lower(header.lowerBound + (isLong ? 28 : 20), isLong ? 8 : 4, to: end)
            }
        }
        guard hasChanged else { return }
        lower(scalePlace + 4, isLong ? 8 : 4, to: end)
        file.seek(to: offset)
        _ = bytes.withUnsafeBytes { file.write($0) }
    }

    /// Returns the positions of the contents of all boxes that have the given type and lie in the
    /// given range.
    private func boxes(_ type: String, in range: Range<Int>) -> [Range<Int>] {
        var found: [Range<Int>] = []
        var place = range.lowerBound
        while place + 8 <= range.upperBound {
            let size = Int(Self.number(bytes, place, 4))
            guard size >= 8, place + size <= range.upperBound else { break }
            if bytes[(place + 4)..<(place + 8)].elementsEqual(type.utf8) {
                found.append((place + 8)..<(place + size))
            }
            place += size
        }
        return found
    }

    /// Shortens an edit list. Returns whether the list has changed.
    private mutating func shorten(_ box: Range<Int>, to end: UInt64) -> Bool {
        let width = bytes[box.lowerBound] == 1 ? 8 : 4
        let count = Int(Self.number(bytes, box.lowerBound + 4, 4))
        var total: UInt64 = 0
        var hasChanged = false
        for index in 0..<count {
            let place = box.lowerBound + 8 + index * (2 * width + 4)
            guard place + 2 * width + 4 <= box.upperBound else { break }
            let duration = Self.number(bytes, place, width)
            let kept = min(duration, end - min(total, end))
            if kept < duration {
                store(kept, place, width)
                hasChanged = true
            }
            total += kept
        }
        return hasChanged
    }

    private mutating func lower(_ place: Int, _ width: Int, to value: UInt64) {
        guard Self.number(bytes, place, width) > value else { return }
        store(value, place, width)
    }

    private mutating func store(_ value: UInt64, _ place: Int, _ width: Int) {
        for index in 0..<width {
            bytes[place + index] = UInt8(
                truncatingIfNeeded: value >> UInt64(8 * (width - 1 - index)))
        }
    }
}
