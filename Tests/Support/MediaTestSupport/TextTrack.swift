// SPDX-License-Identifier: Apache-2.0

/// A text track of MP4, written by tests: alone, or beside the tracks of a video that the `ffmpeg`
/// command has written. Times are in milliseconds.
public struct TextTrack: Sendable {
    /// A sample: its duration and its data.
    public typealias Sample = (duration: UInt32, bytes: [UInt8])

    /// A cue of WebVTT with its times.
    public typealias Cue = (
        start: UInt32, end: UInt32, identifier: String, settings: String, text: String
    )

    /// The type of the sample entry, and its boxes and texts.
    public var entry: (type: String, contents: [UInt8])
    public var handler = "text"
    public var samples: [Sample]
    /// The time of the first sample.
    public var start: UInt64 = 0

    public init(entry: (type: String, contents: [UInt8]), samples: [Sample]) {
        (self.entry, self.samples) = (entry, samples)
    }

    /// Creates a WebVTT track. Each sample has the cues that are shown during it.
    ///
    /// - Parameter header: The text of the file before its first cue.
    public init(webVTT cues: [Cue], header: String = "WEBVTT") {
        let configuration = Self.box("vttC", Array(header.utf8))
        let edges = Set(cues.flatMap { [$0.start, $0.end] } + [0]).sorted()
        self.init(
            entry: ("wvtt", configuration),
            samples: zip(edges, edges.dropFirst()).map { start, end in
                let shown = cues.filter { $0.start <= start && $0.end >= end }
                let boxes = shown.flatMap { Self.box("vttc", Self.parts(of: $0)) }
                return (end - start, boxes.isEmpty ? Self.box("vtte", []) : boxes)
            })
    }

    private static func parts(of cue: Cue) -> [UInt8] {
        var parts: [UInt8] = []
        if !cue.identifier.isEmpty { parts += box("iden", Array(cue.identifier.utf8)) }
        if !cue.settings.isEmpty { parts += box("sttg", Array(cue.settings.utf8)) }
        return parts + box("payl", Array(cue.text.utf8))
    }

    // MARK: - Files

    /// A file with this track alone, in one piece.
    public func file() -> [UInt8] {
        let data = samples.flatMap(\.bytes)
        let type = Self.box("ftyp", Array("isom".utf8) + Self.bytes(0) + Array("isomiso6".utf8))
        let mdat = Self.box("mdat", data)
        let movie = movieHeader() + track(1, offset: UInt32(type.count + 8))
        return type + mdat + Self.box("moov", movie)
    }

    /// A video that the `ffmpeg` command has written, with this track added. Its index must be at
    /// its end or, if it is fragmented, at its beginning, without an index of fragments.
    ///
    /// - Parameter isFragmented: A Boolean value that indicates whether the text is a fragment.
    public func adding(to video: [UInt8], isFragmented: Bool = false) -> [UInt8] {
        guard let movie = Self.place(of: "moov", in: video, 0..<video.count) else { return video }
        let contents = Array(video[movie.lowerBound + 8..<movie.upperBound])
        let identifier = contents.count(of: "trak") + 1
        let before = Array(video[..<movie.lowerBound])
        let after = Array(video[movie.upperBound...])
        guard isFragmented else {
            let grown = contents + track(UInt32(identifier), offset: 0)
            let offset = UInt32(before.count + grown.count + 8 + after.count + 8)
            let moved = contents + track(UInt32(identifier), offset: offset)
            return before + Self.box("moov", moved) + after
                + Self.box("mdat", samples.flatMap(\.bytes))
        }
        var whole = contents
        if let extends = Self.place(of: "mvex", in: whole, 0..<whole.count) {
            let inner = whole[extends.lowerBound + 8..<extends.upperBound]
            let grown = Self.box("mvex", inner + Self.defaults(UInt32(identifier)))
            whole.replaceSubrange(extends, with: track(UInt32(identifier), offset: nil) + grown)
        }
        return before + Self.box("moov", whole) + fragment(UInt32(identifier)) + after
    }

    /// The header of a fragmented file with this track alone.
    public func header() -> [UInt8] {
        let type = Self.box("ftyp", Array("iso6".utf8) + Self.bytes(0) + Array("iso6cmfc".utf8))
        let movie =
            movieHeader() + track(1, offset: nil) + Self.box("mvex", Self.defaults(1))
        return type + Self.box("moov", movie)
    }

    /// A fragment with the samples.
    public func fragment(_ identifier: UInt32 = 1) -> [UInt8] {
        func boxes(_ offset: UInt32) -> [UInt8] {
            let times = samples.flatMap { sample in
                Self.bytes(sample.duration) + Self.bytes(UInt32(sample.bytes.count))
            }
            let run = [0, 0, 3, 1] + Self.bytes(UInt32(samples.count)) + Self.bytes(offset) + times
            return Self.box("mfhd", Self.bytes(0) + Self.bytes(1))
                + Self.box(
                    "traf",
                    Self.box("tfhd", [0, 2, 0, 0] + Self.bytes(identifier))
                        + Self.box(
                            "tfdt",
                            [1, 0, 0, 0] + Self.bytes(UInt32(start >> 32))
                                + Self.bytes(UInt32(truncatingIfNeeded: start)))
                        + Self.box("trun", run))
        }
        let size = boxes(0).count + 8
        return Self.box("moof", boxes(UInt32(size + 8)))
            + Self.box("mdat", samples.flatMap(\.bytes))
    }

    // MARK: - Boxes

    /// Returns a box with its header.
    public static func box(_ type: String, _ contents: some Sequence<UInt8>) -> [UInt8] {
        SegmentEventBoxes.box(type, Array(contents))
    }

    private static func bytes(_ value: UInt32) -> [UInt8] {
        (0..<4).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    private static func defaults(_ identifier: UInt32) -> [UInt8] {
        box("trex", bytes(0) + bytes(identifier) + bytes(1) + bytes(0) + bytes(0) + bytes(0))
    }

    private static let matrix: [UInt8] = [0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x4000_0000]
        .flatMap { bytes($0) }

    private var duration: UInt32 { samples.reduce(0) { $0 + $1.duration } }

    private func movieHeader() -> [UInt8] {
        var contents = Self.bytes(0) + Self.bytes(0) + Self.bytes(0)
        contents += Self.bytes(1000) + Self.bytes(duration) + Self.bytes(0x10000)
        contents += [1, 0, 0, 0] + Self.bytes(0) + Self.bytes(0) + Self.matrix
        contents += [UInt8](repeating: 0, count: 24) + Self.bytes(2)
        return Self.box("mvhd", contents)
    }

    /// Returns a `trak` box.
    ///
    /// - Parameter offset: The place of the samples in the file; nil if they are in fragments.
    private func track(_ identifier: UInt32, offset: UInt32?) -> [UInt8] {
        let duration = offset == nil ? 0 : duration
        let listed = offset == nil ? [] : samples
        var header = [0, 0, 0, 3] + Self.bytes(0) + Self.bytes(0) + Self.bytes(identifier)
        header += Self.bytes(0) + Self.bytes(duration) + [UInt8](repeating: 0, count: 16)
        header += Self.matrix + Self.bytes(0) + Self.bytes(0)
        // The language is English.
        var media = Self.bytes(0) + Self.bytes(0) + Self.bytes(0) + Self.bytes(1000)
        media += Self.bytes(duration) + [0x15, 0xC7, 0, 0]
        let kind =
            Self.bytes(0) + Self.bytes(0) + Array(handler.utf8)
            + [UInt8](repeating: 0, count: 13)
        let description =
            Self.bytes(0) + Self.bytes(1)
            + Self.box(entry.type, [0, 0, 0, 0, 0, 0, 0, 1] + entry.contents)
        let count = UInt32(listed.count)
        let durations = listed.flatMap { Self.bytes(1) + Self.bytes($0.duration) }
        let sizes = listed.flatMap { Self.bytes(UInt32($0.bytes.count)) }
        let chunks =
            listed.isEmpty
            ? Self.bytes(0)
            : Self.bytes(1) + Self.bytes(1) + Self.bytes(count)
                + Self.bytes(1)
        let places = listed.isEmpty ? Self.bytes(0) : Self.bytes(1) + Self.bytes(offset ?? 0)
        let table =
            Self.box("stsd", description)
            + Self.box("stts", Self.bytes(0) + Self.bytes(count) + durations)
            + Self.box("stsc", Self.bytes(0) + chunks)
            + Self.box("stsz", Self.bytes(0) + Self.bytes(0) + Self.bytes(count) + sizes)
            + Self.box("stco", Self.bytes(0) + places)
        let location = Self.box(
            "dref", Self.bytes(0) + Self.bytes(1) + Self.box("url ", [0, 0, 0, 1]))
        let information =
            Self.box("nmhd", Self.bytes(0)) + Self.box("dinf", location) + Self.box("stbl", table)
        return Self.box(
            "trak",
            Self.box("tkhd", header)
                + Self.box(
                    "mdia",
                    Self.box("mdhd", media) + Self.box("hdlr", kind)
                        + Self.box("minf", information)))
    }

    /// Returns the place of the first box with a type in a part of a file.
    private static func place(
        of type: String, in bytes: [UInt8], _ range: Range<Int>
    ) -> Range<Int>? {
        var place = range.lowerBound
        while place + 8 <= range.upperBound {
            let size = bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
            guard size >= 8, place + size <= range.upperBound else { return nil }
            if bytes[place + 4..<place + 8].elementsEqual(type.utf8) { return place..<place + size }
            place += size
        }
        return nil
    }
}

extension [UInt8] {
    /// Returns the number of occurrences of a word.
    fileprivate func count(of word: String) -> Int {
        let word = Array(word.utf8)
        return indices.dropLast(word.count - 1).count { self[$0...].starts(with: word) }
    }
}
