// SPDX-License-Identifier: Apache-2.0

/// Boxes of MP4 that tests write: event messages, and what surrounds them in a segment.
public enum SegmentEventBoxes {
    /// The time of an event message, in units of its timescale.
    public enum Time: Sendable {
        /// The distance from the earliest time of the segment (version 0).
        case distance(UInt32)
        /// A time on the timeline of the segment's timestamps (version 1).
        case timestamp(UInt64)
    }

    /// Returns a box with its header.
    public static func box(_ type: String, _ contents: [UInt8]) -> [UInt8] {
        bytes(UInt32(contents.count + 8)) + Array(type.utf8) + contents
    }

    /// Returns an event message (`emsg`).
    public static func message(
        _ scheme: String, value: String = "", at time: Time, timescale: UInt32 = 1000,
        duration: UInt32 = .max, identifier: UInt32 = 0, _ message: [UInt8]
    ) -> [UInt8] {
        let texts = Array(scheme.utf8) + [0] + Array(value.utf8) + [0]
        let end = bytes(duration) + bytes(identifier)
        switch time {
        case .distance(let distance):
            let contents = [0, 0, 0, 0] + texts + bytes(timescale) + bytes(distance) + end
            return box("emsg", contents + message)
        case .timestamp(let time):
            let contents = [1, 0, 0, 0] + bytes(timescale) + bytes(time) + end + texts
            return box("emsg", contents + message)
        }
    }

    /// A sample of a fragment, in units of the track's timescale.
    public struct Sample: Sendable {
        public var duration: UInt32
        public var byteCount: UInt32
        /// The time from decoding to presentation.
        public var offset: Int32

        public init(_ duration: UInt32, _ byteCount: UInt32, _ offset: Int32) {
            (self.duration, self.byteCount, self.offset) = (duration, byteCount, offset)
        }
    }

    /// Returns a fragment (`moof`) with tracks, each of which has one run of samples.
    public static func fragment(
        _ tracks: [(decodeTime: UInt64, samples: [Sample])]
    ) -> [UInt8] {
        let boxes = tracks.enumerated().flatMap { index, track in
            let samples = track.samples.flatMap {
                bytes($0.duration) + bytes($0.byteCount) + bytes($0.offset)
            }
            let count = bytes(UInt32(track.samples.count))
            return box(
                "traf",
                box("tfhd", [0, 2, 0, 0] + bytes(UInt32(index + 1)))
                    + box("tfdt", [1, 0, 0, 0] + bytes(track.decodeTime))
                    // The samples have durations, sizes and offsets. The place of the data is
                    // stated too.
                    + box("trun", [1, 0, 0x0B, 1] + count + bytes(UInt32(0)) + samples))
        }
        return box("moof", box("mfhd", [UInt8](repeating: 0, count: 8)) + boxes)
    }

    /// Returns a segment whose indexes (`sidx`) state another earliest time.
    ///
    /// - Parameter time: Returns the time for that which an index states, both in units of the
    ///   timescale, which is its second argument.
    public static func settingIndexTimes(
        of segment: [UInt8], to time: (_ stated: UInt64, _ timescale: UInt64) -> UInt64
    ) -> [UInt8] {
        func number(_ range: Range<Int>) -> UInt64 {
            segment[range].reduce(0) { $0 << 8 | UInt64($1) }
        }
        var result = segment
        var place = 0
        while place + 8 <= segment.count {
            let size = Int(number(place..<place + 4))
            guard size >= 8, place + size <= segment.count else { break }
            if segment[place + 4..<place + 8].elementsEqual("sidx".utf8) {
                let width = segment[place + 8] == 0 ? 4 : 8
                let range = place + 20..<place + 20 + width
                let changed = time(number(range), number(place + 16..<place + 20))
                result.replaceSubrange(range, with: bytes(changed).suffix(width))
            }
            place += size
        }
        return result
    }

    /// Returns a segment with boxes after its first box, which states the type.
    public static func inserting(_ boxes: [UInt8], into segment: [UInt8]) -> [UInt8] {
        let size = segment.prefix(4).reduce(0) { $0 << 8 | Int($1) }
        return segment.prefix(size) + boxes + segment.dropFirst(size)
    }

    /// Returns a big-endian number.
    public static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
        stride(from: number.bitWidth - 8, through: 0, by: -8).map {
            UInt8(truncatingIfNeeded: number >> $0)
        }
    }
}
