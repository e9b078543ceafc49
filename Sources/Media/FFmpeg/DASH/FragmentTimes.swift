// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets

/// A reader of MP4 that moves the decode times of fragments, and the times of indexes, block by
/// block.
///
/// - Concurrency: a value.
/// - Corresponds to: `tfdt` and `sidx` of ISO/IEC 14496-12, 8.8.12 and 8.16.3.
struct FragmentTimes {
    /// The number of bytes before the next box; the maximum if no box follows.
    private var distance: Int64 = 0
    /// The track of the boxes that follow.
    private var track = 0

    private enum BoxType {
        static let trackHeader = BoxReader.type("tkhd")
        static let mediaHeader = BoxReader.type("mdhd")
        static let fragmentHeader = BoxReader.type("tfhd")
        static let decodeTime = BoxReader.type("tfdt")
        static let index = BoxReader.type("sidx")
        /// The boxes whose contents are boxes.
        static let containers = Set(
            ["moov", "trak", "mdia", "moof", "traf"].map { BoxReader.type($0) })
    }

    /// The numbers of bytes that are read of the contents of boxes.
    private static let contents = [
        BoxType.trackHeader: 24, BoxType.mediaHeader: 24, BoxType.fragmentHeader: 8,
        BoxType.decodeTime: 12, BoxType.index: 20,
    ]

    /// Moves the times in a block.
    ///
    /// - Returns: The number of bytes that are final. The others must be passed again, with bytes
    ///   that follow them.
    mutating func move(_ bytes: inout [UInt8], by shift: FragmentShift) -> Int {
        var place = 0
        while true {
            let passed = min(distance, Int64(bytes.count - place))
            place += Int(passed)
            if distance < .max { distance -= passed }
            guard distance == 0, bytes.count - place >= 8 else { return place }
            var header = 8
            var size = Self.number(bytes, place, 4)
            let type = Int(Self.number(bytes, place + 4, 4) ?? 0)
            if size == 1 {
                header = 16
                guard bytes.count - place >= header else { return place }
                size = Self.number(bytes, place + 8, 8)
            }
            guard let size, size >= Int64(header) else {
                // The box extends to the end, or the file is damaged.
                distance = .max
                continue
            }
            if BoxType.containers.contains(type) {
                place += header
                continue
            }
            if let limit = Self.contents[type] {
                let end = place + header + Int(min(size - Int64(header), Int64(limit)))
                guard bytes.count >= end else { return place }
                take(type, &bytes, place + header..<end, shift)
            }
            distance = size
        }
    }

    private mutating func take(
        _ type: Int, _ bytes: inout [UInt8], _ contents: Range<Int>, _ shift: FragmentShift
    ) {
        guard let version = bytes[contents].first else { return }
        func number(at offset: Int, _ count: Int) -> Int64? {
            guard offset + count <= contents.count else { return nil }
            return Self.number(bytes, contents.lowerBound + offset, count)
        }
        switch type {
        case BoxType.trackHeader: track = number(at: version == 0 ? 12 : 20, 4).map { Int($0) } ?? 0
        case BoxType.fragmentHeader: track = number(at: 4, 4).map { Int($0) } ?? 0
        case BoxType.mediaHeader:
            if let scale = number(at: version == 0 ? 12 : 20, 4) {
                shift.note(timescale: scale, ofTrack: track)
            }
        default:
            let isIndex = type == BoxType.index
            let (offset, count) = (isIndex ? 12 : 4, version == 0 ? 4 : 8)
            let scale = isIndex ? number(at: 8, 4).flatMap { Int32(exactly: $0) } : nil
            guard let time = number(at: offset, count),
                let ticks = isIndex ? shift.ticks(at: scale) : shift.ticks(ofTrack: track)
            else { return }
            let moved = time &+ ticks
            for index in 0..<count {
                bytes[contents.lowerBound + offset + index] = UInt8(
                    truncatingIfNeeded: moved >> (8 * Int64(count - 1 - index)))
            }
        }
    }

    /// Returns a big-endian number; nil if it is too large.
    private static func number(_ bytes: [UInt8], _ place: Int, _ count: Int) -> Int64? {
        let value = bytes[place..<place + count].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return Int64(exactly: value)
    }
}
